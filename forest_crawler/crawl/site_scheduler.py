"""`SiteScheduler`: hands held pages to workers, and their results to the store.

Pages come from the store and results go to it: nothing here is lost in a crash, and memory does
not grow with the crawl. `planning` decides what is next, `limited_jobs` has workers do it,
`site_wrappers` knows what fits, `archive_results` writes the results.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeVar

from forest_crawler.crawl.archive_results import archive_results, count_misses, without
from forest_crawler.crawl.bounded_dict import BoundedDict
from forest_crawler.crawl.doubts import PackedText
from forest_crawler.crawl.jobs import (
    MAX_EARLIER,
    InductionResult,
    PageResult,
    SiteJob,
    SiteResult,
    doubt_pages,
    fail_pages,
)
from forest_crawler.crawl.limited_jobs import extract_within_limits, induce_within_limits
from forest_crawler.crawl.planning import JOB_PAGES, Planning, Sample
from forest_crawler.crawl.poll_status import PollStatus
from forest_crawler.crawl.sampling import has_enough_articles
from forest_crawler.crawl.session import CrawlSession
from forest_crawler.crawl.site_wrappers import SiteWrappers
from forest_crawler.errors import FatalError, StoreError
from forest_crawler.store import Store

AHEAD, WRITTEN = 2, 4
"""Jobs per worker: one that runs and one that waits; those whose results wait for a commit."""

MAX_SITES = 1000
"""Sites whose last texts are kept to compare with: about 4 kB each."""

_T = TypeVar("_T")

_log = logging.getLogger(__name__)


class SiteScheduler:
    """The work on held pages. A site is touched when something has changed for it."""

    def __init__(self, session: CrawlSession, poll_status: PollStatus) -> None:
        self._session = session
        self._wrappers = SiteWrappers()
        self._planning = Planning(
            self._wrappers,
            poll_status,
            method=session.options.method,
            fallback=session.options.fallback,
            forms=session.options.forms,
            scope=session.options.scope,
        )
        self._held = self._planning.held
        self.fetches = False  # set by whoever fetches the pages that the store has due
        self._touched: dict[str, None] = {}
        self._texts: BoundedDict[str, tuple[tuple[str, PackedText], ...]] = BoundedDict(MAX_SITES)
        self._busy: set[str] = set()
        self._given_up: set[str] = set()
        self._jobs: set[asyncio.Task[None]] = set()
        self._writing = 0  # jobs that need no worker any more
        self._changed = asyncio.Event()
        self._is_planning = False
        self._loop: asyncio.Task[None] | None = None

    @property
    def backlog(self) -> int:
        """Pages that are held for sites with work to do."""
        return sum(self._held[site] for site in {*self._touched, *self._busy})

    @property
    def is_idle(self) -> bool:
        """Whether no page is held that this run could work on."""
        return not (self._held or self._jobs or self._is_planning)

    @property
    def is_working(self) -> bool:
        """Whether a job is under way or to be planned; held pages may wait for siblings."""
        return bool(self._touched or self._jobs or self._is_planning)

    @property
    def busy_sites(self) -> set[str]:
        """Sites that this run works on, or has given up."""
        return {*self._held, *self._touched, *self._busy, *self._wrappers.drifted, *self._given_up}

    @property
    def has_given_up(self) -> bool:
        """Whether this run leaves held pages of a site to the next, after an error of ours."""
        return bool(self._given_up)

    async def start(self) -> None:
        """Resume with the pages that earlier runs left held.

        If others share the store, those come with the leases of their sites.
        """
        if not self._session.store.is_shared:
            for site, held, _ in await self._session.store_thread.call(Store.held_sites):
                self.resume(site, held)
        self._loop = asyncio.ensure_future(self._run())

    def resume(self, site: str, held: int) -> None:
        """Work on the held pages of a site that another run has fetched."""
        self._held[site] = held
        self._wrappers.forget(site)
        self.touch(site)

    def add(self, site: str) -> None:
        """Count another held page of a site."""
        self._held[site] += 1
        self.touch(site)

    def lose_part(self, site: str) -> None:
        """Note that a part is missing: the page that waited for it is held again."""
        self._session.count(site, "parts/missing")
        self.add(site)

    def touch(self, site: str) -> None:
        """Plan for a site again: a page of it arrived or never will, or a poll has ended."""
        if self._held[site] or site in self._wrappers.drifted:
            self._touched[site] = None
            self._changed.set()
        else:
            del self._held[site]

    async def finish(self) -> None:
        """Make articles of all held pages: no more will arrive in this run."""
        self._planning.is_ending = True
        for site in list(self._held):
            self.touch(site)
        while self.is_working:
            if self._loop is None or self._loop.done():
                break
            await asyncio.sleep(0.05)

    def go_on(self) -> None:
        """Wait for whole samples again."""
        self._planning.is_ending = False

    def stop(self) -> None:
        """Start nothing more; the next run repeats what is under way."""
        for task in (self._loop, *self._jobs):
            if task is not None:
                task.cancel()

    async def _run(self) -> None:
        while True:
            await self._changed.wait()
            self._changed.clear()
            while self._has_room and (sites := self._ready_sites()):
                self._is_planning = True  # the sites are neither touched nor in a job meanwhile
                samples, jobs = await self._plan(sites)
                for sample in samples:
                    self._begin(self._induce(sample), [sample.site])
                if jobs:
                    self._begin(self._extract(jobs), [job.site for job in jobs])
                for site in sites:  # those without room in the job
                    self.touch(site)
                self._is_planning = False

    @property
    def _has_room(self) -> bool:
        """Whether the workers have few jobs left, and the store does not lag."""
        workers = self._session.workers.count
        in_workers = len(self._jobs) - self._writing
        return in_workers < AHEAD * workers and self._writing < WRITTEN * workers

    async def _plan(self, sites: list[str]) -> tuple[list[Sample], list[SiteJob]]:
        named = [*sites]  # planning takes those out that it is done with
        try:
            step = partial(self._planning.plan, sites=sites)
            return await self._session.store_thread.call(step)
        except FatalError:
            raise
        except Exception:  # an error of ours: it must not end the work on all other sites
            _log.exception("%s: left to the next run", ", ".join(named))
            self._give_up(named)
            return [], []

    def _ready_sites(self) -> list[str]:
        """Return the sites to plan for; they are no longer touched."""
        ready = [site for site in self._touched if site not in self._busy][:JOB_PAGES]
        for site in ready:
            del self._touched[site]
        return ready

    def _begin(self, work: Coroutine[None, None, None], sites: Sequence[str]) -> None:
        self._busy.update(sites)
        task = asyncio.ensure_future(self._run_job(work, sites))
        self._jobs.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, job: asyncio.Task[None]) -> None:
        self._jobs.discard(job)
        self._changed.set()

    async def _run_job(self, work: Coroutine[None, None, None], sites: Sequence[str]) -> None:
        try:
            await work
        except FatalError as err:
            self._busy.difference_update(sites)
            if isinstance(err, StoreError):  # a worker's: a body is damaged
                self._session.store_thread.fail(err)
            return  # logged; the crawl is closing
        except Exception:  # an error of ours: repeated at once, it would never end
            _log.exception("%s: left to the next run", ", ".join(sites))
            self._give_up(sites)
        else:
            self._release(sites)

    def _give_up(self, sites: Sequence[str]) -> None:
        """Leave the held pages of sites to the next run."""
        self._busy.difference_update(sites)
        self._given_up.update(sites)
        for site in sites:
            self._held.pop(site, None)
            self._touched.pop(site, None)
            self._wrappers.end_drift(site)
            self._session.count(site, "errors")

    def _release(self, sites: Sequence[str]) -> None:
        self._busy.difference_update(sites)
        for site in sites:
            self.touch(site)

    async def _induce(self, sample: Sample) -> None:
        site, load = sample.site, self._session.bodies.load
        sample = replace(sample, held=await load(sample.held), recent=await load(sample.recent))
        found = await induce_within_limits(self._session.workers, sample)
        self._remember(found)
        held = {page.key for page in sample.held}
        skipped = {key: why for key, why in found.without.items() if key in held}
        broken = {key: why for key, why in found.broken.items() if key in held}
        doubts = {key: why for key, why in found.doubts.items() if key in held and self.fetches}
        await self._archive([SiteResult(site, (*fail_pages(broken), *doubt_pages(doubts)))])
        if doubts and not found.wrappers:
            return  # the next sample is without them
        is_enough = has_enough_articles(found.articles, is_more_due=sample.is_more_due)
        if not (sample.old or is_enough) and (skipped or broken):
            # Walls and listings so far: they are skipped, and the sample waits for more pages.
            rows = [PageResult(key, None, reason) for key, reason in skipped.items()]
            await self._archive([SiteResult(site, tuple(rows))])
            return
        self._wrappers.end_drift(site)
        if found.wrappers:
            await self._replace(found, "drift" if sample.old else "first sample")
        else:
            self._wrappers.note_failure(site)
            self._session.count(site, "induction/failed")
            _log.info("%s: no wrapper from %d pages: %s", site, len(sample.pages), found.reason)

    async def _replace(self, found: InductionResult, reason: str) -> None:
        site = found.site
        await self._write(lambda store: store.replace_wrappers(site, found.wrappers, reason))
        self._wrappers.forget(site)
        self._session.count(site, "induction/done")
        self._session.count(site, f"induction/{reason}")

    async def _extract(self, jobs: list[SiteJob]) -> None:
        load = self._session.bodies.load
        jobs = [
            replace(job, pages=await load(job.pages), earlier=self._texts.get(job.site, ()))
            for job in jobs
        ]
        results = await extract_within_limits(self._session.workers, jobs)
        for result in results:
            self._remember(result)
        await self._archive([self._wrappers.hold_back(result) for result in results])

    def _remember(self, result: SiteResult | InductionResult) -> None:
        """Keep the last texts of a site, to compare its next pages with."""
        if result.texts:
            texts = (*self._texts.get(result.site, ()), *result.texts)
            self._texts[result.site] = texts[-MAX_EARLIER:]

    async def _archive(self, results: Sequence[SiteResult]) -> None:
        """Archive the results of several sites in one step: each waits for the disk."""
        results = [result for result in results if result.pages]
        if not results:
            return
        step = partial(archive_results, results=results, fetches=self.fetches)
        done = await self._write(step)
        for result in results:
            site, resolved = result.site, without(result, done.waiting)
            self._held[site] -= len(result.pages)
            self._wrappers.note_checks(resolved)
            self._wrappers.check_drift(site, count_misses(resolved), done.fits[site])
            self._session.count_pages(resolved, done.archived)
            self._session.count_doubts(result, done.doubted)
        self._session.export_soon()
        await self._session.announce(list(done.archived.values()))

    async def _write(self, step: Callable[[Store], _T]) -> _T:
        """Write what a job has found; meanwhile the workers may get another job."""
        self._writing += 1
        self._changed.set()
        try:
            return await self._session.store_thread.write(step)
        finally:
            self._writing -= 1
