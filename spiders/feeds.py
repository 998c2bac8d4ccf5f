"""The spider `feeds`: a feed list in, its articles' pages out.

Thin: it turns sources and leases into requests, and responses into answers and items. What is due
is in the store; `SourcePolls` and `PageQueue` decide what comes next and what a miss means.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any

from scrapy import FormRequest, Request, signals
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.feed_run import FeedRun
from forest_crawler.crawl.hub_subscriptions import HubSubscriptions
from forest_crawler.crawl.list_reload import ListReload
from forest_crawler.crawl.outcomes import DROPPED, HOME_PAGE, Outcome
from forest_crawler.crawl.page_queue import PageQueue
from forest_crawler.crawl.site_cap import SiteCap
from forest_crawler.crawl.source_polls import MAX_SITE_PAGES, SourcePolls
from forest_crawler.crawl.source_reader import SourceReader
from forest_crawler.crawl.source_schedule import SourceSchedule
from forest_crawler.errors import StoreError
from forest_crawler.feed.feed_list import FeedList, read_feed_list
from forest_crawler.fetching.answers import read_answer
from forest_crawler.fetching.content import request_meta
from forest_crawler.fetching.request_outcomes import outcome_of
from forest_crawler.fetching.url_check import read_policy
from forest_crawler.pipelines.items import PageItem
from forest_crawler.spiders.archiving import ArchivingSpider
from forest_crawler.store import Lease, Source
from forest_crawler.text.durations import read_duration
from forest_crawler.urls.canonical import is_home_page

DROPPED_PAUSE = 2.0
"""Seconds until a request that Scrapy's scheduler dropped is offered again: its queue may be full,
and the page is not at fault."""

SOURCE_STATUSES = [304, *range(400, 600)]
"""Statuses of a source that the engine reads itself; redirects are followed before."""

FEED_PRIORITY = 10
"""Sources before pages."""

_log = logging.getLogger(__name__)


class FeedsSpider(ArchivingSpider):
    """Polls the sources of a list and fetches the pages that they name.

    Arguments: `feeds`, a list's file, `-` or URLs, separated by commas; `watch=1` goes on polling;
    `now=1` polls sources that are not due, too; `every=5m` polls each so often. `names` are those
    of the lists, if `feeds` has been read already. `websub` is the public URL at which hubs report
    news to `hubs`, by way of whoever listens there.
    """

    name = "feeds"
    polls: SourcePolls
    _queue: PageQueue

    def __init__(
        self,
        feeds: str | Iterable[str] | FeedList = (),
        watch: object = False,
        now: object = False,
        every: str | float | None = None,
        names: Iterable[str] = (),
        websub: str | None = None,
        **kw: Any,
    ) -> None:
        super().__init__(**kw)
        if isinstance(feeds, str):
            feeds = [part for part in feeds.split(",") if part]
        # Whoever has read stdin hands the list over: stdin cannot be read again.
        if isinstance(feeds, FeedList):
            self.list, self._names = feeds, tuple(names)
        else:
            self._names = tuple(feeds)
            self.list = read_feed_list(self._names)
        seconds = read_duration(every) if isinstance(every, str) else every
        self._schedule = SourceSchedule(
            is_watching=_flag(watch), polls_all=_flag(now), every=seconds
        )
        self.hubs = HubSubscriptions(websub, self._send_form) if websub else None
        self._reload: ListReload | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    async def start(self) -> AsyncIterator[Any]:
        """Yield polls, and fetch pages, until nothing is due."""
        run = self._set_up(self.find_engine())
        try:
            async for step in run.steps([entry.url for entry in self.list.entries]):
                if isinstance(step, Source):
                    yield self._source_request(step)
                else:
                    self._fetch(step)
        except StoreError:
            return  # logged already; the crawl is closing
        # Scrapy itself would look for its end only every five seconds.
        raise CloseSpider("finished")

    def _set_up(self, engine: CrawlEngine) -> FeedRun:
        settings = self.settings
        # With a delay a second lease only waits; without one it keeps the connection busy.
        has_delay = settings.getfloat("DOWNLOAD_DELAY") > 0
        self._queue = PageQueue(
            engine,
            window=settings.getint("CONCURRENT_REQUESTS"),
            max_per_site=2 if has_delay else settings.getint("CONCURRENT_REQUESTS_PER_DOMAIN"),
            is_watching=self._schedule.is_watching,
        )
        reader = SourceReader(
            engine.session.workers,
            self._fetch_document,
            read_policy(self.crawler),
            settings.getint("FOREST_FEED_PAGES", 1),
        )
        cap = SiteCap(settings.getint("FOREST_SITE_PAGES", MAX_SITE_PAGES))
        self.polls = SourcePolls(engine, reader, self._schedule, cap, self._queue.wake, self.hubs)
        self._reload = ListReload(self._names, self.polls)
        self.crawler.signals.connect(self._miss_dropped, signals.request_dropped)
        return FeedRun(engine, self.polls, self._queue)

    def reload_list(self) -> None:
        """Read the lists again, soon: new sources are polled, removed ones no longer."""
        if (
            self._reload is not None
        ):  # else the crawl has only just begun, with the lists as they are
            self._keep_task(asyncio.ensure_future(self._reload.run()))

    def _source_request(self, source: Source) -> Request:
        headers = {"If-None-Match": source.etag, "If-Modified-Since": source.modified}
        return Request(
            source.feed_url or source.url,
            headers={name: value for name, value in headers.items() if value},
            callback=self.parse_source,
            errback=self.fail_source,
            cb_kwargs={"source": source},
            meta=request_meta("feed") | {"handle_httpstatus_list": SOURCE_STATUSES},
            dont_filter=True,
            priority=FEED_PRIORITY,
        )

    async def parse_source(self, response: Response, source: Source) -> None:
        """Hand the answer of a source to the engine."""
        await self.polls.receive(source, read_answer(response))

    async def fail_source(self, failure: Failure) -> None:
        """Report a source without an answer to the engine."""
        await self.polls.miss(_argument(failure, "source"), _outcome(failure))

    async def _fetch_document(self, url: str) -> Answer | None:
        """Fetch a document on the way to a feed; return `None` if that fails."""
        engine = self.crawler.engine
        if engine is None:
            return None
        request = Request(url, meta=request_meta("feed"), dont_filter=True, priority=FEED_PRIORITY)
        try:
            return read_answer(await engine.download_async(request))
        except Exception as err:
            _log.debug("%s: %s", url, outcome_of(err).reason)
            return None

    async def _send_form(self, url: str, form: dict[str, str]) -> bool:
        """Post a form to a hub; report whether it was accepted."""
        engine = self.crawler.engine
        # A hub's address is there to be posted to; robots.txt is about reading.
        meta = {"dont_obey_robotstxt": True, "handle_httpstatus_all": True}
        request = FormRequest(url, formdata=form, meta=meta, dont_filter=True)
        try:
            answer = await engine.download_async(request) if engine is not None else None
        except Exception as err:
            _log.info("%s: %s", url, outcome_of(err).reason)
            return False
        return answer is not None and 200 <= answer.status < 300

    def _fetch(self, leases: Iterable[Lease]) -> None:
        """Hand pages to the downloader, all at once.

        What `start` yields is taken one by one, each after a round of the event loop, and rounds
        are long while the store is at work.
        """
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
        """Make the item of a page, which goes to the pipeline.

        Sites redirect to their home page what is missing, or all pages during an outage.
        """
        is_moved = response.url != lease.url
        if is_moved and is_home_page(response.url) and not is_home_page(lease.url):
            self._miss(lease, Outcome(HOME_PAGE, passing=False, is_refusal=True))
            return
        self._queue.arrived(lease)
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
        """Report a page that did not arrive to the engine."""
        await self._queue.missed(_argument(failure, "lease"), _outcome(failure))

    def _miss_dropped(self, request: Request) -> None:
        """Report a request that the scheduler dropped, which may not be Scrapy's own."""
        outcome = Outcome(DROPPED, passing=True, retry_at=time.time() + DROPPED_PAUSE)
        if lease := request.cb_kwargs.get("lease"):
            self._miss(lease, outcome)
        elif source := request.cb_kwargs.get("source"):
            self._keep_task(asyncio.ensure_future(self.polls.miss(source, outcome)))

    def _miss(self, lease: Lease, outcome: Outcome) -> None:
        """Report a page that did not arrive to the engine, which takes a while."""
        self._keep_task(asyncio.ensure_future(self._queue.missed(lease, outcome)))

    def _keep_task(self, task: asyncio.Task[Any]) -> None:
        """Keep a reference to a task, which the event loop does not."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def release_page(self, item: PageItem) -> None:
        """Make room for another page: this one is in the store, or never will be."""
        if item.key is not None:
            self._queue.release(item.key)


def _argument(failure: Failure, name: str) -> Any:
    return failure.request.cb_kwargs[name]  # type: ignore[attr-defined]


def _outcome(failure: Failure) -> Outcome:
    return outcome_of(failure.value or RuntimeError("no error"))


def _flag(value: object) -> bool:
    """Read a spider argument, which is a string if it comes from the command line."""
    return value not in (False, None, "", "0", "no", "false")
