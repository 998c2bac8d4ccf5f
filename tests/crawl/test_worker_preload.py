"""What the fork server loads before it forks workers: all that pages need, and nothing else."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
import forest_crawler.crawl.worker_preload  # induces, applies a wrapper, `page`, reads a feed
heavy = ("sklearn", "scipy", "nltk", "sqlalchemy", "scrapy", "twisted", "py3langid")
print([name for name in heavy if name in sys.modules])
needed = ("lxml", "numpy", "feedparser", "htmldate", "forest_crawler.induction.forest")
print([name for name in needed if name not in sys.modules])
before = len(sys.modules)
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.worker_preload import PAGES, SITE
extract_sites([SiteJob(SITE, (), tuple(PAGES))])
induce_site(SITE, PAGES)
print(len(sys.modules) - before)
"""


def test_workers_load_all_that_jobs_need_and_never_the_database() -> None:
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "[]", "0"], "")
