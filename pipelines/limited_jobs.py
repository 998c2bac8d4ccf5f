"""The jobs that worker processes do for a crawl, each within its limits.

A job that goes beyond them is an outcome, with its reason, not an error.
"""

from __future__ import annotations

from dataclasses import replace

from forest_crawler.page_jobs import (
    InductionResult,
    PageResult,
    SiteJob,
    SiteResult,
    extract_sites,
    induce_site,
)
from forest_crawler.store import HeldPage
from forest_crawler.workers import WorkerError, Workers

from .planning import Sample

JOB_SECONDS = 30.0
PAGE_SECONDS = 10.0
INDUCTION_SECONDS = 120.0
"""What a job may take: a page takes milliseconds, an induction seconds."""


async def induce_within_limits(workers: Workers, sample: Sample) -> InductionResult:
    """Induce wrappers; a sample that goes beyond the limits gives none, and the reason."""
    old = [wrapper for _, wrapper in sample.old]
    try:
        return await workers.run(INDUCTION_SECONDS, induce_site, sample.site, sample.pages, old)
    except WorkerError as err:
        return InductionResult(sample.site, reason=err.reason)


async def extract_within_limits(workers: Workers, jobs: list[SiteJob]) -> list[SiteResult]:
    """Extract pages; one that goes beyond the limits fails, and costs no other."""
    try:
        return await workers.run(JOB_SECONDS, extract_sites, jobs)
    except WorkerError:
        pass
    # One of the pages is the culprit: each for itself.
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
