"""The spider `feeds`: a feed list in, its articles' pages out.

Thin: what is due is in the store, what a document says is found in worker processes, what becomes
of a page is the pipeline's. Here is only which request comes next, and what its answer means.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from scrapy import Request, signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_crawler.crawl.outcomes import DROPPED, RETRY_AFTER, Outcome
from forest_crawler.crawl.polling import back_off, is_due
from forest_crawler.crawl.site_quota import FIRST_SLOTS, SiteQuota
from forest_crawler.crawl.source_polls import REFUSED_BY_OPTIONS, SourcePolls
from forest_crawler.errors import StoreError
from forest_crawler.feed.feed_list import FeedList, ListEntry, read_feed_list
from forest_crawler.fetching.content import request_meta
from forest_crawler.fetching.request_outcomes import PostponedRequest, outcome_of
from forest_crawler.pipelines.items import PageItem
from forest_crawler.spiders.archiving import ArchivingSpider
from forest_crawler.store import Lease, Source, Store

MAX_POLLS = 32
"""Sources that are asked at a time; the rest of the requests are pages."""

PATIENCE = 150.0
"""Seconds that a run waits for a page which its site wants fetched later, more than the longest
delay that is kept; beyond, the page is left to the next run."""

MAX_ATTEMPTS = 3
"""Times that a page is claimed before a passing fault counts as lasting."""

RETRY_INTERVAL = 600.0
"""Seconds until a page is tried again after a fault that may pass; doubled each time."""

DROPPED_PAUSE = 2.0
"""Seconds until a request is offered again that the scheduler did not take: its queue may be full,
and the page is not at fault."""

LEASE_PAUSE = 0.5
"""Seconds after which a few pages are claimed, too: the others may be stalling."""

IDLE_PAUSE = 1.0
"""Seconds after which it is looked whether something is due, where nothing is under way."""

MIN_INTERVAL = 60.0
"""Seconds between two polls of a source in one run."""

MAX_BACKLOG = 2000
"""Fetched pages that wait for the workers before no more are fetched."""

_log = logging.getLogger(__name__)


class FeedsSpider(ArchivingSpider):
    """Polls the sources of a list and fetches the pages that they name.

    Arguments: `feeds`, a list's file, `-` or addresses, separated by commas; `watch=1` goes on
    polling; `now=1` asks sources that are not due, too.
    """

    name = "feeds"

    def __init__(
        self,
        feeds: str | Iterable[str] | FeedList = (),
        watch: object = False,
        now: object = False,
        **kw: Any,
    ) -> None:
        super().__init__(**kw)
        if isinstance(feeds, str):
            feeds = [part for part in feeds.split(",") if part]
        # Whoever has read stdin hands the list over: stdin cannot be read again.
        self.list = feeds if isinstance(feeds, FeedList) else read_feed_list(feeds)
        self.is_watching = _flag(watch)
        self._asks_all = _flag(now)
        self._in_flight: dict[str, str] = {}
        self._last_lease = 0.0
        self._due: deque[Source] = deque()
        self._later: list[Source] = []
        self._polled: set[int] = set()
        self._dropped: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()

    @property
    def not_due(self) -> int:
        """Sources that this run has not asked, because it is too early."""
        return sum(source.id not in self._polled for source in self._later)

    async def start(self) -> AsyncIterator[Any]:
        """Polls and pages, as the store says, until nothing is due."""
        self._set_up()
        try:
            await self._add_sources(self.list.entries)
            while True:
                for request in self._next_polls():
                    yield request
                leases = await self._lease()
                self._fetch(leases)
                if not leases and await self._is_done():
                    _log.info("nothing more to fetch")
                    await self._pipeline.work.finish()
                    if await self._is_done():  # else articles go on on pages that are due now
                        break
                await self._wait(self._pause_after(leases))
            _log.info("all pages worked off")
        except StoreError:
            return  # said already; the crawl is being closed
        # Scrapy itself would look for its end every five seconds only.
        raise CloseSpider("finished")

    def _set_up(self) -> None:
        pipeline = self.find_pipeline()
        self._pipeline = pipeline
        pipeline.work.follows_parts = True
        self._store_thread = pipeline.session.store_thread
        self.polls = SourcePolls(self.crawler, pipeline, self._end_poll)
        self.crawler.signals.connect(self._hear_dropped, signals.request_dropped)
        settings = self.settings
        self._window = settings.getint("CONCURRENT_REQUESTS")
        # With a delay a second lease only waits; without one it keeps the connection busy.
        has_delay = settings.getfloat("DOWNLOAD_DELAY") > 0
        most = 2 if has_delay else settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN")
        self._places = SiteQuota(most)

    async def _add_sources(self, entries: Iterable[ListEntry]) -> None:
        urls = [entry.url for entry in entries]
        found = await self._store_thread.call(lambda store: _add_all(store, urls))
        now = time.time()
        for source in found:
            if source.disabled:
                self.polls.report(source, source.status or "gone")
            elif (
                self._asks_all
                or source.status in REFUSED_BY_OPTIONS
                or is_due(source.next_poll, now)
            ):
                self._due.append(source)
            else:
                self._later.append(source)

    def _next_polls(self) -> Iterator[Request]:
        if self.is_watching:
            self._take_due()
        while self._due and self.polls.active < MAX_POLLS:
            source = self._due.popleft()
            self._polled.add(source.id)
            yield self.polls.request(source)

    def _take_due(self) -> None:
        now = time.time()
        self._due.extend(source for source in self._later if is_due(source.next_poll, now))
        self._later = [source for source in self._later if not is_due(source.next_poll, now)]

    def _end_poll(self, source: Source) -> None:
        if not source.disabled:
            # Whatever went wrong with the poll, the next one is not at once.
            soonest = time.time() + MIN_INTERVAL
            self._later.append(replace(source, next_poll=max(source.next_poll, soonest)))
        self._changed.set()

    async def _lease(self) -> list[Lease]:
        # What has come and is not on disk yet counts, too: a kill repeats no more than the window.
        room = self._window - len(self._in_flight)
        if not self._is_worth_a_lease(room) or self._pipeline.work.backlog > MAX_BACKLOG:
            return []
        self._last_lease = time.monotonic()
        places, most = self._places.by_site(), self._places.max_slots
        busy = list(self._in_flight.values())

        def step(store: Store) -> tuple[list[Lease], list[Lease]]:
            own = store.lease(room, per_site=FIRST_SLOTS, slots=places)
            spare = self._places.spare(self._window, [*busy, *(lease.site for lease in own)])
            return own, store.lease(min(room - len(own), spare), per_site=most)

        own, more = await self._store_thread.call(step)
        leases: list[Lease] = own + more
        self._in_flight |= {lease.key: lease.site for lease in leases}
        return leases

    def _is_worth_a_lease(self, room: int) -> bool:
        """A lease looks at every site: rather few large ones than many small ones."""
        waited = time.monotonic() - self._last_lease
        return room >= self._window / 4 or (room > 0 and waited > LEASE_PAUSE)

    async def _is_done(self) -> bool:
        if self._in_flight or self._due or self.polls.active or self.is_watching:
            return False
        due = await self._store_thread.call(Store.next_due)
        return due is None or due > time.time() + PATIENCE

    def _pause_after(self, leases: list[Lease]) -> float:
        """Seconds until it is looked for more, unless something has changed before."""
        if leases:
            return 0.05
        return LEASE_PAUSE if self._in_flight else IDLE_PAUSE

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), seconds)
        self._changed.clear()

    def _fetch(self, leases: Iterable[Lease]) -> None:
        """Hand pages to the downloader, all at once: what `start` yields is taken one by one, each
        after a round of the event loop, and those are long while the store is at work."""
        engine = self.crawler.engine
        if engine is not None and engine.spider is not None:
            for lease in leases:
                engine.crawl(self._page_request(lease))

    def _page_request(self, lease: Lease) -> Request:
        return Request(
            lease.url,
            callback=self.parse_page,
            errback=self.fail_page,
            cb_kwargs={"lease": lease},
            meta=request_meta("page"),
            dont_filter=True,
        )

    def parse_page(self, response: Response, lease: Lease) -> Iterator[PageItem]:
        """A page has come: it goes to the pipeline."""
        self._places.grow(lease.site)
        yield PageItem.from_response(
            response,
            key=lease.key,
            source_id=lease.source_id,
            guid=lease.guid,
            entry=lease.entry,
            fetched_at=time.time(),
            is_part=lease.is_part,
        )

    async def fail_page(self, failure: Failure) -> None:
        """A page has not come: it is settled, or given back for later."""
        lease: Lease = failure.request.cb_kwargs["lease"]  # type: ignore[attr-defined]
        await self._miss_page(lease, failure.value or RuntimeError("no error"))

    def _hear_dropped(self, request: Request) -> None:
        """The scheduler, which may be another one than Scrapy's, has not taken a request."""
        dropped = PostponedRequest(DROPPED, time.time() + DROPPED_PAUSE)
        if lease := request.cb_kwargs.get("lease"):
            task = asyncio.ensure_future(self._miss_page(lease, dropped))
        elif source := request.cb_kwargs.get("source"):
            task = asyncio.ensure_future(self.polls.miss(source, dropped))
        else:
            return
        self._dropped.add(task)
        task.add_done_callback(self._dropped.discard)

    async def _miss_page(self, lease: Lease, error: BaseException) -> None:
        outcome = outcome_of(error)
        self._note_miss(lease.site, outcome)
        step: Callable[[Store], None]
        if outcome.passing and _is_retried(lease, outcome):
            at = _next_try(outcome, lease.attempts)
            step, what = (
                partial(Store.retry, key=lease.key, reason=outcome.reason, at=at),
                "retried",
            )
        elif outcome.is_refusal:
            step, what = partial(Store.skip, key=lease.key, reason=outcome.reason), "skipped"
        else:
            step, what = partial(Store.fail, key=lease.key, reason=outcome.reason), "failed"
        try:
            await self._store_thread.write(step)
        except StoreError:
            return
        self._pipeline.session.count(lease.site, what)
        self._pipeline.session.count(None, f"{what}/{outcome.reason}")
        self._settle(lease.key)
        if lease.is_part and what != "retried":
            self._pipeline.work.lose_part(lease.site)
        self._pipeline.work.touch(lease.site)

    def _note_miss(self, site: str, outcome: Outcome) -> None:
        if outcome.is_trouble:
            self._places.shrink(site)
        elif outcome.is_answer:
            self._places.grow(site)

    def settle_page(self, item: PageItem) -> None:
        """A page is in the store, or will never be: there is room for another."""
        if item.key is not None:
            self._settle(item.key)

    def _settle(self, key: str) -> None:
        site = self._in_flight.pop(key, None)
        if site is not None:
            self._pipeline.work.touch(site)
        if len(self._in_flight) < self._window / 2:
            self._changed.set()


def _is_retried(lease: Lease, outcome: Outcome) -> bool:
    """A part of an article has the article wait, so it is tried later only where we are put off."""
    if lease.is_part:
        return outcome.retry_at is not None and lease.attempts < MAX_ATTEMPTS
    return outcome.retry_at is not None or lease.attempts < MAX_ATTEMPTS


def _next_try(outcome: Outcome, attempts: int) -> float:
    """When a page is tried again. What puts us off over and over is left to a later run."""
    later = time.time() + back_off(RETRY_INTERVAL, attempts)
    if outcome.retry_at is None:
        return later
    is_endless = outcome.reason in (RETRY_AFTER, DROPPED) and attempts >= MAX_ATTEMPTS
    return max(outcome.retry_at, later) if is_endless else outcome.retry_at


def _add_all(store: Store, urls: list[str]) -> list[Source]:
    with store.batch():
        return [store.add_source(url) for url in urls]


def _flag(value: object) -> bool:
    """A spider argument from the command line is a string."""
    return value not in (False, None, "", "0", "no", "false")
