"""What the fork server loads before it forks workers: all that pages need, and nothing else."""

from __future__ import annotations

import subprocess
import sys

from forest_crawler.cli.crawl import _is_new

LOADED = """
import sys
import forest_crawler.crawl.worker_preload  # applies a wrapper, `page`, and reads a feed
heavy = ("sklearn", "scipy", "nltk", "sqlalchemy", "scrapy", "twisted", "py3langid")
print([name for name in heavy if name in sys.modules])
needed = ("lxml", "numpy", "feedparser", "htmldate", "forest_crawler.induction.forest")
print([name for name in needed if name not in sys.modules])
before = len(sys.modules)
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.worker_preload import PAGES, SITE
extract_sites([SiteJob(SITE, (), tuple(PAGES))])
print(len(sys.modules) - before)
import forest_crawler.crawl.induction_preload
print("sklearn" in sys.modules, "sqlalchemy" in sys.modules)
"""


def test_workers_load_scikit_learn_only_for_inductions_and_never_the_database() -> None:
    command = [sys.executable, "-c", LOADED]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout.splitlines(), done.stderr) == (["[]", "[]", "0", "True False"], "")


def test_store_that_is_to_be_created_is_known_as_new(tmp_path: object) -> None:
    assert _is_new(f"sqlite:///{tmp_path}/forest.db?timeout=5")
    assert not _is_new(f"sqlite:///{tmp_path}")
    assert not _is_new("sqlite://")
    assert not _is_new("postgresql://127.0.0.1/forest")
