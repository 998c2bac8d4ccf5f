"""Run a crawl's jobs in workers, each within its limits.

A job that exceeds them is a result with a reason, not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import InductionResult, PageResult, SiteJob, SiteResult
from forest_crawler.crawl.planning import Sample
from forest_crawler.crawl.workers import Reason, WorkerError, Workers
from forest_crawler.store import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

JOB_SECONDS = 30.0
PAGE_SECONDS = 10.0
INDUCTION_SECONDS = 120.0
"""Time limits of jobs: a page takes milliseconds, an induction seconds."""

LIMITS = frozenset(get_args(Reason))


async def induce_within_limits(workers: Workers, sample: Sample) -> InductionResult:
    """Induce wrappers without pages that exceed the limits, which the result names.

    If only all pages together exceed them, the result has no wrappers, but the reason.
    """
    old = [wrapper for _, wrapper in sample.old]
    found = await _induce(workers, sample, sample.pages, old)
    if found.reason not in LIMITS:
        return found
    broken = await _find_broken(workers, sample)
    if broken:
        others = [page for page in sample.pages if page.key not in broken]
        found = await _induce(workers, sample, others, old)
    return replace(found, broken=broken)


async def _induce(
    workers: Workers, sample: Sample, pages: Sequence[HeldPage], old: Sequence[Wrapper]
) -> InductionResult:
    arguments = (sample.site, pages, old, sample.method)
    try:
        return await workers.run(INDUCTION_SECONDS, induce_site, *arguments)
    except WorkerError as err:
        return InductionResult(sample.site, reason=err.reason)


async def _find_broken(workers: Workers, sample: Sample) -> dict[str, str]:
    """Find the pages that exceed the limits by themselves, with the reason."""
    broken: dict[str, str] = {}
    for page in sample.pages:
        try:
            await workers.run(PAGE_SECONDS, induce_site, sample.site, [page])
        except WorkerError as err:
            broken[page.key] = err.reason
    return broken


async def extract_within_limits(workers: Workers, jobs: list[SiteJob]) -> list[SiteResult]:
    """Extract pages; one that exceeds the limits fails, and costs no other."""
    try:
        return await workers.run(JOB_SECONDS, extract_sites, jobs)
    except WorkerError:
        pass
    # One of the pages is the culprit: each by itself.
    return [
        SiteResult(
            job.site, tuple([await _extract_alone(workers, job, page) for page in job.pages])
        )
        for job in jobs
    ]


async def _extract_alone(workers: Workers, job: SiteJob, page: HeldPage) -> PageResult:
    alone = [replace(job, pages=(page,))]
    try:
        results = await workers.run(PAGE_SECONDS, extract_sites, alone)
    except WorkerError as err:
        return PageResult(page.key, None, err.reason, is_failure=True)
    return results[0].pages[0]
