"""`SourcePolls`: a source is asked, its feed found, its entries scheduled, its next poll set.

A source may be a feed, a page that names one, a sitemap, or a page with nothing but links to its
articles; they are tried in this order, and what was found is remembered.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from scrapy import Request
from scrapy.crawler import Crawler
from scrapy.http import Response
from twisted.python.failure import Failure

from forest_crawler.crawl.polling import FIRST_INTERVAL, adapt_interval, back_off
from forest_crawler.crawl.source_jobs import Document, SourceReading, read_source
from forest_crawler.crawl.workers import WorkerError
from forest_crawler.errors import FatalError
from forest_crawler.feed.sitemaps import usual_sitemaps
from forest_crawler.fetching.content import request_meta
from forest_crawler.fetching.request_outcomes import outcome_of
from forest_crawler.fetching.url_check import read_rules
from forest_crawler.pipelines.forest import ForestPipeline
from forest_crawler.store import Candidate, Source, Store
from forest_crawler.urls.hosts import site_of

READ_SECONDS = 10.0
"""What a worker may take for a feed; the largest we take are read in two."""

MAX_SITEMAPS = 5
"""Sitemaps of an index that are read in one poll: the news first, then the newest."""

SITE_PAGES = 2000
"""New pages of a site that are scheduled in one run, unless FOREST_SITE_PAGES says otherwise."""

CAP_PERIOD = 24 * 3600.0
"""Seconds after which a run that goes on counts anew."""

OK = "ok"
UNCHANGED = "unchanged"
GONE = "gone"
NO_FEED = "no feed found"
LINKS = "links"
"""How a poll ended: kept as the source's status."""

REFUSED_BY_OPTIONS = frozenset({"port", "private-address"})
"""Statuses that say nothing of a source: the next run may allow what this one does not."""

_PERMANENT = {301, 308}
_TOLD_STATUSES = [
    304,
    *range(400, 600),
]  # which say something of the source; redirects are followed
_REDISCOVER_AFTER = 3  # failed polls of a feed that was found on a page

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PollReport:
    """What a poll gave, for people."""

    url: str
    status: str
    entries: int = 0
    new: int = 0

    @property
    def is_good(self) -> bool:
        """Whether the source is of use."""
        return self.status in (OK, UNCHANGED, LINKS)


class SourcePolls:
    """The polls of one crawl."""

    def __init__(
        self, crawler: Crawler, pipeline: ForestPipeline, on_end: Callable[[Source], None]
    ) -> None:
        self._crawler = crawler
        self._pipeline = pipeline
        self._session = pipeline.session
        self._on_end = on_end
        self._rules = read_rules(crawler)
        self._most_pages = crawler.settings.getint("FOREST_FEED_PAGES", 1)
        self._site_pages = crawler.settings.getint("FOREST_SITE_PAGES", SITE_PAGES)
        self._scheduled: dict[str, int] = {}
        self._counted_since = time.time()
        self.active = 0
        self.reports: dict[str, PollReport] = {}

    def report(self, source: Source, status: str, entries: int = 0, new: int = 0) -> None:
        """Keep what is to be told of a source."""
        report = self.reports[source.url] = PollReport(source.url, status, entries, new)
        if not report.is_good:
            _log.warning("%s: %s", source.url, status)

    def request(self, source: Source) -> Request:
        """The request that begins a poll."""
        self.active += 1
        self._pipeline.begin_poll(_site(source))
        headers = {"If-None-Match": source.etag, "If-Modified-Since": source.modified}
        return Request(
            source.feed_url or source.url,
            headers={name: value for name, value in headers.items() if value},
            callback=self._parse,
            errback=self._fail,
            cb_kwargs={"source": source},
            meta=request_meta("feed") | {"handle_httpstatus_list": _TOLD_STATUSES},
            dont_filter=True,
            priority=10,
        )

    async def _parse(self, response: Response, source: Source) -> None:
        try:
            await self._read(response, source)
        except WorkerError as err:
            await self._miss(source, err.reason)
        except FatalError:
            pass  # said already; the crawl is being closed
        finally:
            await self._end(source)

    async def _fail(self, failure: Failure) -> None:
        source: Source = failure.request.cb_kwargs["source"]  # type: ignore[attr-defined]
        await self.miss(source, failure.value or RuntimeError("no error"))

    async def miss(self, source: Source, error: BaseException) -> None:
        """End a poll that brought no answer."""
        outcome = outcome_of(error)
        try:
            await self._miss(source, outcome.reason, outcome.retry_at)
        except FatalError:
            pass
        finally:
            await self._end(source)

    async def _end(self, source: Source) -> None:
        with suppress(FatalError):  # else it is as it was: the crawl is being closed
            source = await self._session.store_thread.call(
                partial(Store.get_source, source_id=source.id)
            )
        self.active -= 1
        self._pipeline.end_poll(_site(source))
        self._on_end(source)

    async def _read(self, response: Response, source: Source) -> None:
        if response.status == 304:
            await self._keep(source, SourceReading("feed"), {}, UNCHANGED)
        elif response.status == 410:
            await self._disable(source)
        elif response.status != 200:
            await self._miss(source, f"http-{response.status}")
        else:
            await self._read_body(response, source)

    async def _read_body(self, response: Response, source: Source) -> None:
        reading = await self._look(response, source)
        asked = source.feed_url or source.url
        address = response.url if _is_moved(response) else asked
        if reading.kind == "page" and source.feed_url is not None:
            await self._miss(source, reading.reason or "not a feed")
        elif reading.kind == "page" and source.status != LINKS:
            await self._discover(response, source, reading)
        elif reading.reason:
            await self._miss(source, reading.reason)
        elif reading.kind == "page":
            await self._keep(source, reading, {}, LINKS)
        else:
            reading = await self._follow(reading, source)
            await self._keep(source, reading, _validators(response) | {"feed_url": address})

    async def _discover(self, response: Response, source: Source, page: SourceReading) -> None:
        """Try the feeds that a page names, the usual places, then sitemaps, then its links."""
        for address in (*page.others, *usual_sitemaps(response.url)):
            found = await self._fetch(address)
            if found is None:
                continue
            reading = await self._look(found, source)
            if reading.kind == "page" or reading.reason:
                continue
            reading = await self._follow(reading, source)
            if reading.candidates:
                changes = _validators(found) | {"feed_url": found.url}
                await self._keep(source, reading, changes)
                return
        if page.candidates:
            await self._keep(source, page, {}, LINKS)
        else:
            await self._miss(source, NO_FEED)

    async def _follow(self, reading: SourceReading, source: Source) -> SourceReading:
        """A reading with what its next pages, or an index's sitemaps, name."""
        others = list(reading.others[:MAX_SITEMAPS]) if reading.kind == "sitemap" else []
        found = {c.key: c for c in reading.candidates}
        pages, next_page = 1, reading.next_page
        while others or (next_page and pages < self._most_pages):
            response = await self._fetch(others.pop(0) if others else next_page or "")
            more = await self._look(response, source) if response else SourceReading("feed")
            pages, next_page, known = pages + 1, more.next_page, len(found)
            found = found | {c.key: c for c in more.candidates if c.key not in found}
            if len(found) == known:
                next_page = None  # pages that say the same for ever
        return replace(reading, candidates=tuple(found.values()))

    async def _look(self, response: Response, source: Source) -> SourceReading:
        kind = response.headers.get("Content-Type")
        document = Document(
            response.body,
            response.url,
            kind.decode("latin-1") if kind else None,
            source.id,
            self._rules,
            time.time(),
        )
        reading: SourceReading = await self._session.workers.run(
            READ_SECONDS, read_source, document
        )
        return reading

    async def _fetch(self, address: str) -> Response | None:
        """A document on the way to a feed; `None` where there is none."""
        engine = self._crawler.engine
        if engine is None:
            return None
        request = Request(address, meta=request_meta("feed"), dont_filter=True, priority=10)
        try:
            response = await engine.download_async(request)
        except Exception as err:  # whatever it was, this address leads nowhere
            _log.debug("%s: %s", address, outcome_of(err).reason)
            return None
        return response if response.status == 200 else None

    async def _keep(
        self, source: Source, reading: SourceReading, changes: dict[str, Any], status: str = OK
    ) -> None:
        interval = source.interval or FIRST_INTERVAL
        changes = changes | {"failures": 0, "status": status, "site": _site(source)}
        if reading.title:
            changes["title"] = reading.title

        def step(store: Store) -> tuple[int, int]:
            with store.batch():
                candidates = self._within_cap(store, reading.candidates)
                new = store.schedule(candidates)
                wait = adapt_interval(interval, new_entries=new, asked=reading.interval)
                next_poll = time.time() + wait
                capped = len(reading.candidates) - len(candidates)
                # What is left over is in the same document, which the next run must see again.
                again = {"etag": None, "modified": None} if capped else {}
                known = changes | again
                store.update_source(source.id, interval=wait, next_poll=next_poll, **known)
                return new, capped

        new, capped = await self._session.store_thread.write(step)
        self._session.count(None, "capped", capped)
        self.report(source, status, len(reading.candidates) - capped, new)
        self._session.count(_site(source), "feeds/read")
        self._session.count(None, "scheduled", new)
        for reason, number in reading.refused.items():
            self._session.count(None, f"refused/{reason.replace(' ', '-')}", number)

    async def _miss(self, source: Source, reason: str, retry_at: float | None = None) -> None:
        failures = source.failures + 1
        wait = back_off(source.interval or FIRST_INTERVAL, failures)
        changes: dict[str, Any] = {
            "failures": failures,
            "status": reason,
            "next_poll": max(retry_at or 0.0, time.time() + wait),
        }
        if failures >= _REDISCOVER_AFTER and source.feed_url != source.url:
            changes |= {"feed_url": None, "etag": None, "modified": None}
        await self._session.store_thread.write(
            lambda store: store.update_source(source.id, **changes)
        )
        self._session.count(_site(source), "feeds/failed")
        self._session.count(None, f"feeds/failed/{reason.replace(' ', '-')}")
        self.report(source, reason)

    async def _disable(self, source: Source) -> None:
        await self._session.store_thread.write(
            lambda store: store.update_source(source.id, disabled=True, status=GONE)
        )
        self._session.count(_site(source), "feeds/gone")
        self.report(source, GONE)

    def _within_cap(self, store: Store, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Less what is new beyond the cap of its site; a later run takes up there.

        Runs in the store's thread.
        """
        if time.time() - self._counted_since > CAP_PERIOD:
            self._counted_since = time.time()
            self._scheduled.clear()
        known = store.known_keys([candidate.key for candidate in candidates])
        kept = []
        for candidate in candidates:
            number = self._scheduled.get(candidate.site, 0)
            if candidate.key not in known and number < self._site_pages:
                self._scheduled[candidate.site] = number + 1
            if candidate.key in known or number < self._site_pages:
                kept.append(candidate)
        return kept


def _site(source: Source) -> str:
    return site_of(source.url) or source.url


def _is_moved(response: Response) -> bool:
    """Whether every redirect on the way said "for good": then the new address is the feed's."""
    reasons = response.meta.get("redirect_reasons", ())
    return bool(reasons) and all(reason in _PERMANENT for reason in reasons)


def _validators(response: Response) -> dict[str, str | None]:
    def header(name: str) -> str | None:
        value = response.headers.get(name)
        return value.decode("latin-1")[:1000] if value else None

    return {"etag": header("ETag"), "modified": header("Last-Modified")}
