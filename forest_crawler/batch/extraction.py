"""The second pass over a file: its pages become articles, which are written as parts.

Pages of a site are extracted together, ten at a time, in the order of the file; results are written
in that order, too. So a file always gives the same parts, however many workers there are.
"""

from __future__ import annotations

import asyncio
from array import array
from collections import Counter, deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from forest_crawler.batch.inputs import local_copy, stem_of
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.repeats import Hashes
from forest_crawler.batch.scan import read_ahead
from forest_crawler.batch.site_plans import SitePlan
from forest_crawler.batch.tallies import Tally, count_page
from forest_crawler.crawl.jobs import SiteJob, SiteResult
from forest_crawler.crawl.limited_jobs import extract_within_limits
from forest_crawler.crawl.planning import JOB_PAGES, SITE_JOB_PAGES
from forest_crawler.crawl.warc_pages import NamedPages, is_feed, make_page, page_hash
from forest_crawler.crawl.warc_records import Damage, read_responses
from forest_crawler.crawl.workers import Workers
from forest_crawler.export.folders import open_folder
from forest_crawler.export.manifest import ManifestEntry, write_entry
from forest_crawler.export.parts import PartWriter
from forest_crawler.store.records import HeldPage

MAX_WAITING = 64 << 20
"""Bytes of pages that wait for siblings; beyond, the site that waits longest is extracted."""

AHEAD = 2
"""Jobs per worker: one that runs, one that waits."""


@dataclass(frozen=True, slots=True)
class FileResult:
    """What a file gave."""

    name: str
    articles: int
    tallies: Mapping[str, Tally]  # by site
    repeated: int  # pages that the file or an earlier one has already
    damage: Damage


@dataclass
class _Waiting:
    """Pages that wait until there are enough of their site."""

    pages: dict[str, list[HeldPage]] = field(
        default_factory=dict
    )  # the site that waits longest first
    size: int = 0

    def add(self, page: HeldPage) -> list[tuple[str, list[HeldPage]]]:
        """Add a page; return the sites whose pages need not wait any longer, with the pages."""
        waiting = self.pages.setdefault(page.site, [])
        waiting.append(page)
        self.size += len(page.body)
        ready = [self.take(page.site)] if len(waiting) >= SITE_JOB_PAGES else []
        while self.size > MAX_WAITING:
            ready.append(self.take(next(iter(self.pages))))
        return ready

    def take(self, site: str) -> tuple[str, list[HeldPage]]:
        """Take the pages of a site."""
        pages = self.pages.pop(site)
        self.size -= sum(len(page.body) for page in pages)
        return site, pages


class FileExtraction:
    """Extracts one file; `plans` has the sites' wrappers, `dropped` the pages of earlier files."""

    def __init__(
        self,
        workers: Workers,
        options: BatchOptions,
        plans: Mapping[str, SitePlan],
        named: NamedPages,
        dropped: Hashes = b"",
    ) -> None:
        self._workers, self._options = workers, options
        self._plans, self._named = plans, named
        self._seen = set(array("Q", dropped))
        self._repeated = 0
        self._tallies: dict[str, Tally] = {}

    async def run(self, name: str) -> FileResult:
        """Extract all pages of a file, write its parts, and list them in the manifest."""
        stem, damage = stem_of(name), Damage()
        folder = open_folder(self._options.output)
        writer = PartWriter(folder, stem, self._options.part_form)
        days: dict[str, str] = {}
        running: deque[asyncio.Task[list[SiteResult]]] = deque()
        with local_copy(name) as path:
            try:
                async for jobs in self._jobs(self._pages(path, damage)):
                    days |= {page.key: _day(page) for job in jobs for page in job.pages}
                    running.append(asyncio.ensure_future(self._extract(jobs)))
                    if len(running) > AHEAD * self._workers.count:
                        self._write(await running.popleft(), writer, days)
                while running:
                    self._write(await running.popleft(), writer, days)
            finally:
                for task in running:
                    task.cancel()
        parts = writer.finish()
        result = FileResult(
            name, sum(part.rows for part in parts), self._tallies, self._repeated, damage
        )
        write_entry(folder, ManifestEntry(stem, parts, _describe(result)))
        return result

    async def _pages(self, path: object, damage: Damage) -> AsyncIterator[HeldPage]:
        async for response in read_ahead(read_responses(str(path), damage)):
            if is_feed(response.document):
                continue
            page = make_page(response.document, response.status, self._named)
            if page is None:
                continue
            number = page_hash(page.key)
            if number in self._seen:
                self._repeated += 1
            else:
                self._seen.add(number)
                yield page

    async def _jobs(self, pages: AsyncIterator[HeldPage]) -> AsyncIterator[list[SiteJob]]:
        """Yield jobs of several sites, so that handing one over costs little per page."""
        waiting = _Waiting()
        jobs: list[SiteJob] = []
        async for page in pages:
            jobs += [self._job(*it) for it in waiting.add(page)]
            if sum(len(job.pages) for job in jobs) >= JOB_PAGES:
                yield jobs
                jobs = []
        for site in list(waiting.pages):
            jobs.append(self._job(*waiting.take(site)))
            if sum(len(job.pages) for job in jobs) >= JOB_PAGES:
                yield jobs
                jobs = []
        if jobs:
            yield jobs

    def _job(self, site: str, pages: list[HeldPage]) -> SiteJob:
        plan = self._plans.get(site)
        wrappers = tuple(enumerate(plan.wrappers)) if plan else ()
        last = plan.last_hash if plan else -1
        return SiteJob(
            site,
            wrappers,
            tuple(pages),
            self._options.fallback,
            self._options.forms,
            checked=frozenset(page.key for page in pages if page_hash(page.key) <= last),
        )

    async def _extract(self, jobs: list[SiteJob]) -> list[SiteResult]:
        return await extract_within_limits(self._workers, jobs)

    def _write(self, results: list[SiteResult], writer: PartWriter, days: dict[str, str]) -> None:
        for result in results:
            tally = self._tallies.setdefault(result.site, Counter())
            for page in result.pages:
                count_page(tally, page)
                day = days.pop(page.key)
                if page.article is not None:
                    writer.add(page.article.line, f"day={day}")


def _day(page: HeldPage) -> str:
    return datetime.fromtimestamp(page.fetched_at, UTC).date().isoformat()


def _describe(result: FileResult) -> dict[str, object]:
    total: Tally = Counter()
    for tally in result.tallies.values():
        total.update(tally)
    damage = result.damage
    return {
        "source": stem_of(result.name),
        "records": damage.readable,
        "broken_records": damage.broken,
        "first_broken": damage.first_broken if damage.broken else None,
        "repeated_pages": result.repeated,
        "pages": total["pages"],
        "articles": result.articles,
        "without_article": {
            name.partition("/")[2]: count for name, count in sorted(total.items()) if "/" in name
        },
    }
