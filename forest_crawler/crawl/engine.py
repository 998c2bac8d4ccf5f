"""`CrawlEngine`: a crawl without Scrapy: pages go in, articles are archived.

The pipeline makes one and adds fetched pages to it; a spider finds it there, and reports its polls
to it. `PageQueue` and `SourcePolls` are the engine's side of the spider `feeds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from forest_crawler.crawl.page_writer import IncomingPage, PageWriter
from forest_crawler.crawl.poll_status import PollStatus, source_site
from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.site_scheduler import SiteScheduler
from forest_crawler.store import MOVED, Source, Store
from forest_crawler.store.source_leases import polled_site
from forest_crawler.store.versions import first_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.urls.link_keys import key_redirect


class CrawlEngine:
    """Holds fetched pages, has workers make articles of them, and archives those."""

    def __init__(
        self,
        session: CrawlSession,
        *,
        write_batch: int,
        before_write: Callable[[], None] | None = None,
    ) -> None:
        self.session = session
        self._poll_status = PollStatus()
        self._polled_sites: dict[int, str] = {}  # source → the site of the host that is requested
        self.scheduler = SiteScheduler(session, self._poll_status)
        self._writer = PageWriter(session.store_thread, session.bodies, write_batch, before_write)

    async def start(self) -> None:
        """Resume what earlier runs left."""
        self.session.start()
        await self.scheduler.start()

    @property
    def busy_sites(self) -> set[str]:
        """Sites that are being polled, or whose pages are held: their leases are kept."""
        return {*self.scheduler.busy_sites, *self.polled_sites}

    @property
    def polled_sites(self) -> set[str]:
        """Sites that are being polled."""
        return {*self._poll_status.sites, *self._polled_sites.values()}

    @property
    def is_idle(self) -> bool:
        """Whether no page is held that this run could work on."""
        return self.scheduler.is_idle

    async def finish(self) -> None:
        """Make articles of all held pages: no more will arrive in this run."""
        await self.scheduler.finish()

    def go_on(self) -> None:
        """Wait for whole samples again after `finish`: more pages will arrive."""
        self.scheduler.go_on()

    async def close(self) -> None:
        """Stop the work and release everything; the next run resumes it."""
        self.scheduler.stop()
        await self.session.close()

    async def add_page(self, page: IncomingPage) -> None:
        """Write a page into the store; it is on disk when this returns.

        Raises `StoreError` if the store can't take it.
        """
        first = first_key(page.key) if page.key else None  # of a later version
        key, site = key_redirect(page.url, first or page.key or page.named), site_of(page.url)
        if key is None or site is None:
            return
        if page.key is not None and first == key:
            key = page.key
        if page.is_part and page.key is not None and page.key != key:
            await self._skip_part(page.key, site)
        elif await self._writer.hold(page, key, site):
            self.session.count(site, "parts" if page.is_part else "pages")
            if page.key == key or await self._is_ours(site):
                self.scheduler.add(site)

    async def _is_ours(self, site: str) -> bool:
        """Report whether this process works on a site; a redirect may lead to any other."""
        if not self.session.store.is_shared or site in self.scheduler.busy_sites:
            return True
        step = partial(Store.wake_unless_owned, site=site)
        return await self.session.store_thread.write(step)

    async def _skip_part(self, key: str, site: str) -> None:
        """Skip a part that redirects, often to the article's first page: it isn't a part."""
        await self.session.store_thread.write(partial(Store.skip, key=key, reason=MOVED))
        self.scheduler.lose_part(site)

    def begin_poll(self, source: Source) -> None:
        """Note that a poll begins: its site's sample isn't complete before `end_poll`."""
        self._poll_status.begin(source_site(source))
        self._polled_sites[source.id] = polled_site(source)

    def end_poll(self, source: Source) -> None:
        """Note that a poll has ended: what it named is in the store."""
        site = source_site(source)
        self._poll_status.end(site)
        self._polled_sites.pop(source.id, None)
        if not self._poll_status.is_polling(site):
            self.scheduler.touch(site)

    def begin_sample(self, sites: Iterable[str]) -> None:
        """Note that the samples of sites come next: nothing is induced before they are held."""
        self._poll_status.begin_sample(sites)

    def end_sample(self, sites: Iterable[str]) -> None:
        """Note that the samples of sites are held."""
        for site in sites:
            self._poll_status.end_sample(site)
            self.scheduler.touch(site)
