"""Options of a batch with a page that takes too long.

Whoever unpickles them, in a process of Spark's, changes the job that workers run there. Importing
this module changes nothing: pytest imports all modules to look for doctests.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import fields
from typing import Any

from forest_crawler.batch.options import BatchOptions
from forest_crawler.crawl import limited_jobs
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob, SiteResult

HANGING, CRASHING = "loup-patou", "orgue-village"


class HangingOptions(BatchOptions):
    """Options of a batch in which one page hangs and one crashes its worker."""

    __slots__ = ()

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        """Let the process that gets them hang and crash."""
        return _arrive, tuple(getattr(self, field.name) for field in fields(self))


def _arrive(*values: Any) -> HangingOptions:
    vars(limited_jobs).update(extract_sites=extract_or_hang, PAGE_SECONDS=1.0, JOB_SECONDS=1.0)
    return HangingOptions(*values)


def extract_or_hang(jobs: list[SiteJob]) -> list[SiteResult]:
    """Extract pages, except for the two."""
    urls = [page.url for job in jobs for page in job.pages]
    if any(HANGING in url for url in urls):
        time.sleep(60)
    if any(CRASHING in url for url in urls):
        os.abort()
    return extract_sites(jobs)
