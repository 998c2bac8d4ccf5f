"""Options of a batch with a page that takes too long.

Whoever unpickles them, in a process of Spark's, imports this module, which changes the job that
workers run there.
"""

from __future__ import annotations

import os
import time

from forest_crawler.batch.options import BatchOptions
from forest_crawler.crawl import limited_jobs
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob, SiteResult

HANGING, CRASHING = "loup-patou", "orgue-village"


class HangingOptions(BatchOptions):
    """Options of a batch in which one page hangs and one crashes its worker."""

    __slots__ = ()


def extract_or_hang(jobs: list[SiteJob]) -> list[SiteResult]:
    """Extract pages, except for the two."""
    urls = [page.url for job in jobs for page in job.pages]
    if any(HANGING in url for url in urls):
        time.sleep(60)
    if any(CRASHING in url for url in urls):
        os.abort()
    return extract_sites(jobs)


vars(limited_jobs).update(extract_sites=extract_or_hang, PAGE_SECONDS=1.0, JOB_SECONDS=1.0)
