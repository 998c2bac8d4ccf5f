"""`SourcePolls`: schedules the pages of a source's answer, and its next poll.

The spider makes the requests; here is what their answers mean for the source: its feed is found,
its entries become pages to fetch, and it is polled sooner or later next time.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.hub_subscriptions import HubSubscriptions
from forest_crawler.crawl.outcomes import LEASE_EXPIRED, RETRY_AFTER, Outcome
from forest_crawler.crawl.poll_status import source_site
from forest_crawler.crawl.poll_words import describe_label
from forest_crawler.crawl.polling import FIRST_INTERVAL, adapt_interval, back_off, fix_interval
from forest_crawler.crawl.site_cap import SiteCap
from forest_crawler.crawl.source_jobs import SourceReading
from forest_crawler.crawl.source_reader import SourceReader
from forest_crawler.crawl.source_schedule import SourceSchedule
from forest_crawler.crawl.workers import WorkerError
from forest_crawler.errors import FatalError
from forest_crawler.store import Candidate, Source, Store
from forest_crawler.store.source_leases import LeasedSources, polled_host
from forest_crawler.text.durations import describe_seconds

MAX_SITE_PAGES = 2000
"""New pages of a site that are scheduled in one run, unless FOREST_SITE_PAGES says otherwise."""

OK = "ok"
UNCHANGED = "unchanged"
GONE = "gone"
NO_FEED = "no feed found"
LINKS = "links"
"""How a poll ended: stored as the source's status."""

_REDISCOVER_AFTER = 3  # failed polls of a feed that was found on a page

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PollReport:
    """How the poll of a source ended, for people."""

    url: str
    status: str
    entries: int = 0
    new: int = 0
    refused: tuple[str, ...] = ()  # why no entry may be fetched

    @property
    def is_good(self) -> bool:
        """Whether the source is of use."""
        return self.status in (OK, UNCHANGED, LINKS)

    @property
    def is_empty(self) -> bool:
        """Whether the source is a sound feed without entries."""
        return self.status == OK and not self.entries


@dataclass(frozen=True, slots=True)
class ListChange:
    """How a new list differs from the one before."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    number: int  # of sources in the new list


class SourcePolls:
    """The polls of one crawl; `on_end` is called after each, `hubs` report news between them."""

    def __init__(
        self,
        engine: CrawlEngine,
        reader: SourceReader,
        schedule: SourceSchedule,
        cap: SiteCap,
        on_end: Callable[[], None] = lambda: None,
        hubs: HubSubscriptions | None = None,
    ) -> None:
        self._engine = engine
        self._session = engine.session
        self._reader = reader
        self._schedule = schedule
        self._cap = cap
        self._on_end = on_end
        self._hubs = hubs
        if hubs is not None:
            hubs.on_news = self._poll_soon
        self.reports: dict[str, PollReport] = {}  # of the sources that somebody should look at
        self._listed: dict[str, None] = {}

    @property
    def is_done(self) -> bool:
        """Whether this run polls nothing more."""
        return self._schedule.is_done

    @property
    def still_failing(self) -> list[Source]:
        """Sources that failed in earlier runs, and that this run has not polled."""
        return self._schedule.still_failing

    @property
    def not_due(self) -> int:
        """How many sources this run has not polled, because it was too early."""
        return self._schedule.not_due

    async def add(self, urls: Sequence[str]) -> None:
        """Add sources to the store and to this run's schedule."""
        self._listed |= dict.fromkeys(urls)
        sources = await self._session.store_thread.call(partial(_add_sources, urls=urls))
        if self._session.store.is_shared:  # so that processes don't begin with the same ones
            random.shuffle(sources)
        for source in sources:
            if source.disabled:
                self._report(source, source.status or GONE)
                _log.warning("%s: %s", source.url, describe_label(source.status or GONE))
            else:
                self._schedule.add(source)

    async def replace_list(self, urls: Sequence[str]) -> ListChange:
        """Poll the sources of a new list from now on, and no longer those that it lacks."""
        added = [url for url in dict.fromkeys(urls) if url not in self._listed]
        removed = list(self._listed.keys() - set(urls))
        self._schedule.remove(set(removed))
        for url in removed:
            del self._listed[url]
            self.reports.pop(url, None)
        await self.add(added)
        self._on_end()
        return ListChange(tuple(added), tuple(sorted(removed)), len(self._listed))

    def begin(self) -> Iterator[Source]:
        """Yield sources to request now; each must come back to `receive` or `miss`."""
        for source in self._schedule.begin_polls():
            self._engine.begin_poll(source)
            yield source

    async def lease(self, max_sites: int) -> list[Source]:
        """Return sources to request now that this process may; as `begin` otherwise.

        Those whose hosts want a pause are polled afterwards. With a shared store, the sites of
        their hosts are leased, up to a number of sites.
        """
        wanted = list(self.begin())
        if not wanted:
            return []
        step = partial(_lease_sources, wanted=wanted, max_sites=max_sites)
        found = await self._session.store_thread.call(step)
        for source in found.elsewhere:
            self._engine.end_poll(source)
            self._schedule.put_back(source)
        for source in found.later:
            self._engine.end_poll(source)
            self._schedule.drop(source)
        return found.mine

    async def receive(self, source: Source, answer: Answer) -> None:
        """End a poll that brought an answer."""
        try:
            await self._read(source, answer)
        except WorkerError as err:
            await self._miss(source, err.reason)
        except FatalError:
            pass  # logged already; the crawl is closing
        finally:
            await self._end(source)

    async def miss(self, source: Source, outcome: Outcome) -> None:
        """End a poll that brought no answer."""
        if outcome.reason == LEASE_EXPIRED:  # not the source's fault
            self._engine.end_poll(source)
            self._schedule.put_back(source)
            return
        try:
            pause = outcome.retry_at if outcome.wants_pause else None
            await self._miss(source, outcome.source_status, outcome.retry_at, pause)
        except FatalError:
            pass
        finally:
            await self._end(source)

    async def _end(self, source: Source) -> None:
        with suppress(FatalError):  # then it is as it was, and the crawl is closing
            source = await self._session.store_thread.call(
                partial(Store.get_source, source_id=source.id)
            )
        self._engine.end_poll(source)
        self._schedule.end(source)
        if self._hubs is not None and source.url in self._listed:
            self._hubs.update(source)
        self._on_end()

    def _poll_soon(self, source: Source) -> None:
        if source.url in self._listed:
            self._schedule.poll_soon(source.id)
            self._on_end()

    async def _read(self, source: Source, answer: Answer) -> None:
        if answer.status == 304:
            await self._keep(source, SourceReading("feed"), {}, UNCHANGED)
        elif answer.status == 410:
            await self._disable(source)
        elif answer.status != 200:
            await self._miss(source, f"http-{answer.status}")
        else:
            await self._read_body(source, answer)

    async def _read_body(self, source: Source, answer: Answer) -> None:
        reading = await self._reader.read(answer, source.id)
        if reading.kind == "page" and source.feed_url is not None:
            await self._miss(source, reading.reason or "not a feed")
        elif reading.kind == "page" and source.status != LINKS:
            await self._discover(source, answer, reading)
        elif reading.reason:
            await self._miss(source, reading.reason)
        elif reading.kind == "page":
            await self._keep(source, reading, {}, LINKS)
        else:
            reading = await self._reader.follow(reading, source.id)
            requested = source.feed_url or source.url
            feed_url = answer.url if answer.moved_permanently else requested
            await self._keep(source, reading, _validators(answer) | {"feed_url": feed_url})

    async def _discover(self, source: Source, answer: Answer, page: SourceReading) -> None:
        """Keep the feed or sitemap that a page leads to; else the links on the page."""
        found = await self._reader.discover(page, answer.url, source.id)
        if page.candidates and (found is None or found[1].refusal):
            await self._keep(source, page, {}, LINKS)
        elif found is not None:
            feed, reading = found
            await self._keep(source, reading, _validators(feed) | {"feed_url": feed.url})
        else:
            await self._miss(source, NO_FEED)

    async def _keep(
        self, source: Source, reading: SourceReading, changes: dict[str, Any], status: str = OK
    ) -> None:
        """Schedule the pages of a reading, and set the next poll."""
        status = reading.refusal or status
        changes = changes | {"failures": 0, "status": status, "site": source_site(source)}
        if status != UNCHANGED:
            changes |= {"entries": len(reading.candidates), "hub": reading.hub}
            changes["topic"] = reading.topic
        if reading.title:
            changes["title"] = reading.title
        step = partial(self._schedule_pages, source=source, reading=reading, changes=changes)
        new, capped, reopened, wait = await self._session.store_thread.write(step)
        self._session.count(None, "capped", capped)
        self._session.count(None, "reopened", reopened)
        refused = tuple(sorted(reading.refused)) if reading.refusal else ()
        self._report(source, status, len(reading.candidates), new, refused)
        if new or source.failures:
            _log_news(source, len(reading.candidates), new, wait)
        self._session.count(source_site(source), "feeds/read")
        self._session.count(None, "scheduled", new)
        for reason, number in reading.refused.items():
            self._session.count(None, f"refused/{reason.replace(' ', '-')}", number)

    def _schedule_pages(
        self, store: Store, source: Source, reading: SourceReading, changes: dict[str, Any]
    ) -> tuple[int, int, int, float]:
        """Schedule pages; return how many are new, dropped by the cap, and reopened.

        The last value is the time until the next poll. Runs in the store's thread.
        """
        with store.batch():
            wanted = self._skip_unwanted(store, reading.candidates)
            candidates = self._cap.apply(store, wanted)
            new = store.schedule(candidates)
            named = [candidate.key for candidate in wanted]
            reopened = store.reopen(named)
            days = self._session.options.version_days
            new += store.schedule_versions(candidates, days * 86_400)
            interval = source.interval or FIRST_INTERVAL
            adapted = adapt_interval(interval, new_entries=new, requested=reading.interval)
            every = self._schedule.every
            wait = fix_interval(every, requested=reading.interval) if every else adapted
            if self._hubs is not None and not every:
                wait = max(wait, self._hubs.poll_interval(source) or 0.0)
            capped = len(wanted) - len(candidates)
            # What is left out of this document may be wanted later: it must be read again.
            leaves_out = len(candidates) < len(reading.candidates)
            is_incomplete = leaves_out or reading.refusal or store.has_reopenable(named)
            again = {"etag": None, "modified": None} if is_incomplete else {}
            now = time.time()
            polled = {"interval": adapted, "last_poll": now, "next_poll": now + wait, "new": new}
            store.update_source(source.id, **(polled | changes | again))
            return new, capped, reopened, wait

    def _skip_unwanted(self, store: Store, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
        """Return the pages in the crawl's scope; record the others as skipped."""
        scope = self._session.options.scope
        if not scope:
            return candidates
        reasons = {it.key: scope.refuse_candidate(it) for it in candidates}
        unwanted = [it for it in candidates if reasons[it.key]]
        known = store.known_keys([it.key for it in unwanted])
        fresh = [it for it in unwanted if it.key not in known]
        store.schedule(fresh)
        for candidate in fresh:
            reason = reasons[candidate.key] or ""
            store.skip(candidate.key, reason)
            self._session.count(candidate.site, "skipped")
            self._session.count(None, f"skipped/{reason}")
        return [it for it in candidates if not reasons[it.key]]

    async def _miss(
        self,
        source: Source,
        reason: str,
        retry_at: float | None = None,
        pause: float | None = None,
    ) -> None:
        """Back off from a source that gave nothing to read.

        `pause`: until when its host wants no request, for a page neither.
        """
        failures = source.failures + 1
        wait = back_off(self._schedule.every or source.interval or FIRST_INTERVAL, failures)
        now = time.time()
        changes: dict[str, Any] = {
            "failures": failures,
            "status": reason,
            "last_poll": now,
            "next_poll": max(retry_at or 0.0, now + wait),
            "new": 0,
        }
        if failures >= _REDISCOVER_AFTER and source.feed_url != source.url:
            changes |= {"feed_url": None, "etag": None, "modified": None}
        await self._session.store_thread.write(
            partial(_record_miss, source=source, changes=changes, pause=pause)
        )
        self._session.count(source_site(source), "feeds/failed")
        self._session.count(None, f"feeds/failed/{reason.replace(' ', '-')}")
        self._report(source, reason)
        _log_failure(source, reason, failures, changes["next_poll"] - now)

    async def _disable(self, source: Source) -> None:
        """Never poll a source again: its server says that it is gone."""
        changes = {"disabled": True, "status": GONE, "last_poll": time.time(), "new": 0}
        await self._session.store_thread.write(
            lambda store: store.update_source(source.id, **changes)
        )
        self._session.count(source_site(source), "feeds/gone")
        self._report(source, GONE)
        _log.warning("%s: %s; never polled again", source.url, describe_label(GONE))

    def _report(self, source: Source, status: str, *counts: Any) -> None:
        report = PollReport(source.url, status, *counts)
        if report.refused:
            _log.warning("%s: %s", source.url, status)
        if report.is_good and not report.refused and not report.is_empty:
            self.reports.pop(source.url, None)
        else:
            self.reports[source.url] = report


def _log_news(source: Source, entries: int, new: int, wait: float) -> None:
    again = f" (read again after {source.failures} failures)" if source.failures else ""
    then = describe_seconds(wait)
    _log.info("%s: %d new of %d entries%s; next poll in %s", source.url, new, entries, again, then)


def _log_failure(source: Source, reason: str, failures: int, wait: float) -> None:
    row = f", failed {failures} times in a row" if failures > 1 else ""
    then = describe_seconds(wait)
    _log.warning("%s: %s%s; next poll in %s", source.url, describe_label(reason), row, then)


def _add_sources(store: Store, urls: Sequence[str]) -> list[Source]:
    with store.batch():
        return store.add_sources(urls)


def _lease_sources(store: Store, wanted: Sequence[Source], max_sites: int) -> LeasedSources:
    if store.is_shared:
        return store.lease_sources(wanted, max_sites)
    free, paused = store.postpone_paused(wanted)
    return LeasedSources(free, [], paused)


def _record_miss(
    store: Store, source: Source, changes: dict[str, Any], pause: float | None
) -> None:
    if pause is None:
        store.update_source(source.id, **changes)
        return
    with store.batch():
        store.update_source(source.id, **changes)
        store.pause_host(polled_host(source), RETRY_AFTER, pause)


def _validators(answer: Answer) -> dict[str, str | None]:
    return {"etag": answer.etag, "modified": answer.last_modified}
