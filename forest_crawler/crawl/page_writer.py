"""`PageWriter`: writes fetched pages into the store, a batch per step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock

from forest_crawler.crawl.body_transfers import BodyTransfers
from forest_crawler.crawl.store_thread import StoreThread
from forest_crawler.feed.entry_codec import EntryValues
from forest_crawler.store import Candidate, FetchedPage, Store


@dataclass(frozen=True, slots=True)
class IncomingPage:
    """A page as it was fetched; `key` is that of its lease, if there was one.

    `named` is its key in the feed that names it, if there was no lease.
    """

    url: str
    body: bytes = field(repr=False)
    status: int = 200
    content_type: str | None = None
    key: str | None = None
    source_id: int | None = None
    guid: str | None = None
    entry: EntryValues | None = field(default=None, repr=False)
    fetched_at: float | None = None
    is_part: bool = False  # of the article of another page
    truncated: bool = False  # its end may be missing
    named: str | None = None


@dataclass(frozen=True, slots=True)
class _Fetched:
    item: IncomingPage
    key: str
    site: str
    body_at: str | None


_Batch = tuple[list[_Fetched], "asyncio.Future[set[str]]"]


class PageWriter:
    """Pages that wait to be written; `batch_size` of them don't wait for more.

    `before_write` makes durable what must be on disk before a page is.
    """

    def __init__(
        self,
        store_thread: StoreThread,
        bodies: BodyTransfers,
        batch_size: int,
        before_write: Callable[[], None] | None = None,
    ) -> None:
        self._store_thread = store_thread
        self._bodies = bodies
        self._batch_size = batch_size
        self._before_write = before_write
        self._lock = Lock()  # the loop adds pages while the store's thread takes them
        self._batch: _Batch | None = None

    async def hold(self, item: IncomingPage, key: str, site: str) -> bool:
        """Hold a page under the URL at which it was found; return whether it wasn't yet."""
        body_at = await self._bodies.put(item.body)
        with self._lock:
            if self._batch is None:
                fetched: list[_Fetched] = []
                step = self._store_thread.write(partial(self._hold_fetched, fetched))
                self._batch = fetched, step
            fetched, step = self._batch
            fetched.append(_Fetched(item, key, site, body_at))
            if len(fetched) >= self._batch_size:
                self._store_thread.flush_soon()
        return key in await asyncio.shield(step)

    def _hold_fetched(self, fetched: list[_Fetched], store: Store) -> set[str]:
        """Hold the pages of a batch. Runs in the store's thread.

        A step whose commit fails is repeated, with the same pages.
        """
        with self._lock:
            if self._batch is not None and self._batch[0] is fetched:
                self._batch = None
        if self._before_write is not None:
            self._before_write()
        with store.batch():
            _move(store, [page for page in fetched if page.item.key != page.key])
            return store.hold_keys([_page(page) for page in fetched])


def _move(store: Store, fetched: list[_Fetched]) -> None:
    """Schedule pages under the URLs they were found at; skip those that redirected."""
    store.schedule([_candidate(page) for page in fetched])
    store.reopen([page.key for page in fetched], at_once=True)
    for page in fetched:
        if page.item.key is not None:
            store.move(page.item.key, page.key)


def _candidate(page: _Fetched) -> Candidate:
    item = page.item
    return Candidate(page.key, item.url, page.site, item.source_id, item.guid, item.entry)


def _page(page: _Fetched) -> FetchedPage:
    item = page.item
    return FetchedPage(
        page.key,
        b"" if page.body_at else item.body,
        item.status,
        item.content_type,
        item.url,
        item.fetched_at,
        item.truncated,
        page.body_at,
    )
