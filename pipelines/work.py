"""`SiteWork`: which site's pages go to the workers next, and what is done with what comes back.

A site without wrappers waits until its sample is complete; then induction, then every held page
becomes an article. A site with wrappers does not wait. Pages come from the store and results go to
it: nothing here is lost in a crash, and memory does not grow with the crawl.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

from forest_crawler.drift import has_drifted, next_attempt
from forest_crawler.errors import FatalError, WrapperError
from forest_crawler.page_jobs import (
    InductionResult,
    NumberedWrapper,
    PageResult,
    SiteJob,
    SiteResult,
    extract_sites,
    induce_site,
)
from forest_crawler.sampling import LARGEST_SAMPLE, SAMPLE_SIZE, is_complete, is_telling
from forest_crawler.store import HeldPage, Store
from forest_crawler.workers import WorkerError

from .keeping import Kept, count_misses, keep_results, without
from .session import CrawlSession

JOB_PAGES = 20
"""Pages that are handed to a worker together, of as many sites as it takes."""

SITE_JOB_PAGES = 10
"""Pages of one site in a job: a redesign shows when they come back, not long after."""

JOB_SECONDS = 30.0
PAGE_SECONDS = 10.0
INDUCTION_SECONDS = 120.0
"""What a job may take: a page takes milliseconds, an induction seconds."""

AHEAD = 2
"""Jobs for each worker: one that runs, one that waits."""

_log = logging.getLogger(__name__)


class Outlook(Protocol):
    """Who knows whether more pages of a site will come."""

    def is_polling(self, site: str) -> bool:
        """Whether a source is being asked that may name pages of the site."""


@dataclass(frozen=True, slots=True)
class _Sample:
    """Pages to induce from; `old`: the wrappers that have drifted."""

    site: str
    pages: tuple[HeldPage, ...]
    old: tuple[NumberedWrapper, ...] = ()
    is_more_due: bool = False


@dataclass(slots=True)
class _Attempts:
    """Inductions of a site in this run that gave nothing, and the pages missed since."""

    failed: int = 0
    misses: int = 0

    @property
    def is_next_due(self) -> bool:
        return self.failed == 0 or self.misses >= next_attempt(self.failed)


class SiteWork:
    """The work on held pages. Sites are touched when something changed for them."""

    def __init__(self, session: CrawlSession, outlook: Outlook) -> None:
        self._session = session
        self._outlook = outlook
        self.follows_parts = False  # whoever fetches what the store says is due may set it
        self._touched: dict[str, None] = {}
        self._busy: set[str] = set()
        self._jobs: set[asyncio.Task[None]] = set()
        self._attempts: dict[str, _Attempts] = {}
        self._drifted: set[str] = set()
        self._wrappers: dict[str, tuple[NumberedWrapper, ...]] = {}
        self._held: Counter[str] = Counter()
        self._changed = asyncio.Event()
        self._is_ending = False
        self._is_planning = False
        self._loop: asyncio.Task[None] | None = None

    @property
    def backlog(self) -> int:
        """Pages that are held for sites at work."""
        return sum(self._held[site] for site in {*self._touched, *self._busy})

    @property
    def is_idle(self) -> bool:
        """Whether no page is held that this run could work on."""
        return not (self._held or self._jobs or self._is_planning)

    async def start(self) -> None:
        """Take up what earlier runs left held."""
        for site, held, _ in await self._session.ledger.call(Store.held_sites):
            self._held[site] = held
            self.touch(site)
        self._loop = asyncio.ensure_future(self._run())

    def add(self, site: str) -> None:
        """A page of a site is held from now on."""
        self._held[site] += 1
        self.touch(site)

    def lose_part(self, site: str) -> None:
        """A part of an article cannot be had: the page that waited for it is held again."""
        self._session.count(site, "parts/missing")
        self.add(site)

    def touch(self, site: str) -> None:
        """Look at a site again: a page of it came or will not come, a poll is over."""
        if self._held[site] or site in self._drifted:
            self._touched[site] = None
            self._changed.set()
        else:
            del self._held[site]

    async def finish(self) -> None:
        """Work off everything that is held: no more pages will come in this run."""
        self._is_ending = True
        for site in list(self._held):
            self.touch(site)
        while self._touched or self._jobs or self._is_planning:
            if self._loop is None or self._loop.done():
                break
            await asyncio.sleep(0.05)

    def stop(self) -> None:
        """Begin nothing more; what is under way is done again by the next run."""
        for task in (self._loop, *self._jobs):
            if task is not None:
                task.cancel()

    async def _run(self) -> None:
        most = AHEAD * self._session.workers.count
        while True:
            await self._changed.wait()
            self._changed.clear()
            while len(self._jobs) < most and (sites := self._ready_sites()):
                self._is_planning = True  # the sites are neither touched nor in a job meanwhile
                samples, jobs = await self._session.ledger.call(partial(self._plan, sites=sites))
                for sample in samples:
                    self._begin(self._induce(sample), [sample.site])
                if jobs:
                    self._begin(self._extract(jobs), [job.site for job in jobs])
                for site in sites:  # what found no room in the job
                    self.touch(site)
                self._is_planning = False

    def _ready_sites(self) -> list[str]:
        """Sites to be planned for; they are no longer touched."""
        ready = [site for site in self._touched if site not in self._busy][:JOB_PAGES]
        for site in ready:
            del self._touched[site]
        return ready

    def _plan(self, store: Store, sites: list[str]) -> tuple[list[_Sample], list[SiteJob]]:
        """What to do for the first of the sites, until a job is full; the others stay in `sites`.

        Runs in the store's thread.
        """
        samples: list[_Sample] = []
        jobs: list[SiteJob] = []
        room = JOB_PAGES
        with store.view():
            while sites and room > 0 and not samples:
                step = self._plan_site(store, sites.pop(0), room)
                if isinstance(step, _Sample):
                    samples.append(step)
                elif step is not None:
                    jobs.append(step)
                    room -= len(step.pages)
        return samples, jobs

    def _plan_site(self, store: Store, site: str, room: int) -> _Sample | SiteJob | None:
        wrappers = self._known_wrappers(store, site)
        attempts = self._attempts.get(site, _Attempts())
        if site in self._drifted:
            held = store.held_pages(site, LARGEST_SAMPLE, newest=True)
            recent = store.recent_pages(site, LARGEST_SAMPLE - len(held))
            return _Sample(site, (*held, *recent), wrappers)
        if wrappers or attempts.failed:
            pages = tuple(store.held_pages(site, min(room, SITE_JOB_PAGES)))
            if not pages:
                self._held.pop(site, None)
            return SiteJob(site, wrappers, pages) if pages else None
        is_more_due = not self._is_ending and (
            self._outlook.is_polling(site) or store.pending(site) > 0
        )
        if not is_complete(self._held[site], is_more_due=is_more_due):
            return None
        sample = store.held_pages(site, SAMPLE_SIZE)
        if not sample:
            self._held.pop(site, None)
            return None
        sample += store.recent_pages(site, SAMPLE_SIZE - len(sample))
        return _Sample(site, tuple(sample), (), is_more_due)

    def _known_wrappers(self, store: Store, site: str) -> tuple[NumberedWrapper, ...]:
        if site not in self._wrappers:
            try:
                stored = store.wrappers(site)
            except WrapperError as err:
                # Somebody wrote into the store. Its pages still become articles.
                _log.error("%s: its wrappers are not used: %s", site, err)
                stored = []
            self._wrappers[site] = tuple((row.id, row.wrapper) for row in stored)
        return self._wrappers[site]

    def _begin(self, work: Coroutine[None, None, None], sites: Sequence[str]) -> None:
        self._busy.update(sites)
        task = asyncio.ensure_future(self._settle(work, sites))
        self._jobs.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        self._changed.set()

    async def _settle(self, work: Coroutine[None, None, None], sites: Sequence[str]) -> None:
        try:
            await work
        except FatalError:
            self._busy.difference_update(sites)
            return  # said already, and the crawl is ending
        except BaseException:
            self._take_up(sites)
            raise
        self._take_up(sites)

    def _take_up(self, sites: Sequence[str]) -> None:
        self._busy.difference_update(sites)
        for site in sites:
            self.touch(site)

    async def _induce(self, sample: _Sample) -> None:
        site = sample.site
        old = [wrapper for _, wrapper in sample.old]
        try:
            found = await self._session.workers.run(
                INDUCTION_SECONDS, induce_site, site, sample.pages, old
            )
        except WorkerError as err:
            found = InductionResult(site, reason=err.reason)
        held = {page.key for page in sample.pages}
        skipped = {key: why for key, why in found.without.items() if key in held}
        if not sample.old and not is_telling(found.articles, is_more_due=sample.is_more_due):
            # Walls and listings so far: they are settled, and the sample goes on.
            rows = [PageResult(key, None, reason) for key, reason in skipped.items()]
            await self._keep([SiteResult(site, tuple(rows))])
            return
        self._drifted.discard(site)
        if found.wrappers:
            await self._replace(found, "drift" if sample.old else "first sample")
        else:
            attempts = self._attempts.setdefault(site, _Attempts())
            attempts.failed, attempts.misses = attempts.failed + 1, 0
            self._session.count(site, "induction/failed")
            _log.info("%s: no wrapper from %d pages: %s", site, len(held), found.reason)

    async def _replace(self, found: InductionResult, reason: str) -> None:
        site = found.site
        await self._session.ledger.write(
            lambda store: store.replace_wrappers(site, found.wrappers, reason)
        )
        self._wrappers.pop(site, None)
        self._attempts.pop(site, None)
        self._session.count(site, "induction/done")
        self._session.count(site, f"induction/{reason}")

    async def _extract(self, jobs: list[SiteJob]) -> None:
        results = await self._extract_within_limits(jobs)
        await self._keep([self._hold_back(result) for result in results])

    def _hold_back(self, result: SiteResult) -> SiteResult:
        """Leave pages held that miss with most of their siblings: new wrappers may fit them."""
        found = [page for page in result.pages if page.article is not None]
        fits = sum(page.is_fitted for page in found)
        attempts = self._attempts.get(result.site, _Attempts())
        is_wrapped = bool(self._wrappers.get(result.site))
        if not (is_wrapped and attempts.is_next_due and has_drifted(fits, len(found))):
            return result
        self._drifted.add(result.site)
        kept = [page for page in result.pages if page.article is None or page.is_fitted]
        return replace(result, pages=tuple(kept))

    async def _extract_within_limits(self, jobs: list[SiteJob]) -> list[SiteResult]:
        try:
            return await self._session.workers.run(JOB_SECONDS, extract_sites, jobs)
        except WorkerError:
            pass
        # One of the pages is the culprit: each for itself.
        return [
            SiteResult(
                job.site, tuple([await self._extract_alone(job, page) for page in job.pages])
            )
            for job in jobs
        ]

    async def _extract_alone(self, job: SiteJob, page: HeldPage) -> PageResult:
        alone = [replace(job, pages=(page,))]
        try:
            results = await self._session.workers.run(PAGE_SECONDS, extract_sites, alone)
        except WorkerError as err:
            return PageResult(page.key, None, err.reason, is_failure=True)
        return results[0].pages[0]

    async def _keep(self, results: Sequence[SiteResult]) -> None:
        """Archive and settle the pages of several sites in one step: each waits for the disk."""
        results = [result for result in results if result.pages]
        if not results:
            return
        follows = self.follows_parts
        kept = await self._session.ledger.write(lambda store: keep_results(store, results, follows))
        for result in results:
            self._held[result.site] -= len(result.pages)
            self._note(without(result, kept.waiting), kept)
        self._session.export_soon()

    def _note(self, result: SiteResult, kept: Kept) -> None:
        """Look for drift, and count."""
        site = result.site
        misses = count_misses(result)
        attempts = self._attempts.get(site, _Attempts())
        attempts.misses += misses
        if has_drifted(*kept.fits[site]) and misses and attempts.is_next_due:
            self._drifted.add(site)
        count = self._session.count
        count(site, "articles", sum(page.key in kept.archived for page in result.pages))
        for page in result.pages:
            count(site, "parts/joined", page.parts)
            if page.article is None:
                kind = "failed" if page.is_failure else "skipped"
                count(site, kind)
                count(None, f"{kind}/{page.reason}")
            elif page.is_fitted:
                count(site, "wrapper/applied")
            else:
                count(site, "wrapper/missed")
                count(site, f"fallback/{page.article.extractor.removeprefix('page:')}")
