"""What a page and a site cost a batch: processor time and bytes of each stage, on one core.

The pages are those of the labelled set that is named, or the bundled ones: larger pages cost more.
Run it with `python -m benchmarks.batch_costs [--set DIR]`, where DIR has JSON lines of labelled
pages, as `forest evaluate` reads them.
"""

from __future__ import annotations

import argparse
import gzip
import pickle
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from forest_crawler.batch.site_plans import SitePlan
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.sampling import SAMPLE_SIZE
from forest_crawler.crawl.warc_pages import NamedPages, make_page, page_hash
from forest_crawler.crawl.warc_records import Damage, read_responses
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.export.parts import PartForm
from forest_crawler.store.records import HeldPage
from tests.support.warc_builders import http_response, warc_record

Costs = defaultdict[str, float]


@contextmanager
def timed(costs: Costs, stage: str) -> Iterator[None]:
    """Add the processor time of a block to a stage."""
    began = time.process_time()
    yield
    costs[stage] += time.process_time() - began


def write_warc(path: Path, inputs: list[Path], max_pages: int) -> int:
    """Write pages as a WARC file; return how many."""
    number = 0
    with path.open("wb") as file:
        for source in inputs:
            for page in read_pages(source):
                if number >= max_pages:
                    return number
                url = page.url or f"http://{page.site}.example/{page.id}"
                body = page.source.encode() if isinstance(page.source, str) else page.source
                kind = "text/html; charset=utf-8" if isinstance(page.source, str) else "text/html"
                file.write(gzip.compress(warc_record(url, http_response(body, kind)), mtime=0))
                number += 1
    return number


def measure(path: Path) -> tuple[Costs, dict[str, float]]:
    """Run the stages of a batch in this process; return seconds per stage, and sizes."""
    costs: Costs = defaultdict(float)
    sites: dict[str, list[HeldPage]] = defaultdict(list)
    with timed(costs, "read and hash"):
        for response in read_responses(path, Damage()):
            if page := make_page(response.document, response.status, NamedPages()):
                sites[page.site].append(page)
    plans, results = [], []
    for site, pages in sites.items():
        sample = sorted(pages, key=lambda page: page_hash(page.key))[:SAMPLE_SIZE]
        with timed(costs, "induce"):
            found = induce_site(site, sample)
        plans.append(SitePlan(site, found.wrappers, 0, "induced"))
        job = SiteJob(site, tuple(enumerate(found.wrappers)), tuple(pages))
        with timed(costs, "extract"):
            results += extract_sites([job])
    lines = [page.article.line for it in results for page in it.pages if page.article]
    with timed(costs, "write Parquet"):
        table = PartForm("parquet").encode(lines)
    total = sum(map(len, sites.values()))
    sizes = {
        "pages": total,
        "sites": len(sites),
        "articles": len(lines),
        "WARC bytes per page": path.stat().st_size / total,
        "HTML bytes per page": sum(len(p.body) for it in sites.values() for p in it) / total,
        "Parquet bytes per article": len(table) / max(len(lines), 1),
        "JSON bytes per article": sum(map(len, lines)) / max(len(lines), 1),
        "bytes of a site's plan": sum(len(pickle.dumps(plan)) for plan in plans) / len(plans),
    }
    return costs, sizes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", type=Path, action="append", help="a file or directory of pages")
    parser.add_argument("--pages", type=int, default=2000, help="max number of pages")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "pages.warc.gz"
        write_warc(path, options.set or bundled_sites(), options.pages)
        measure(path)  # once to load modules and words
        costs, sizes = measure(path)
    for name, value in sizes.items():
        print(f"{name:28} {value:10.0f}")
    print(f"{'CPU ms per page':28}")
    for stage, seconds in costs.items():
        print(f"  {stage:26} {1000 * seconds / sizes['pages']:10.2f}")
    print(f"{'CPU ms per induced site':28} {1000 * costs['induce'] / sizes['sites']:10.1f}")


if __name__ == "__main__":
    main()
