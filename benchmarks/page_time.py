"""Compare the time of `page` with trafilatura's fast mode.

`python -m benchmarks.page_time [SET] [STEP]` uses every STEPth page of a labelled set, by default
every third of big9; parsing is included on all sides. The sides alternate, and each page's shortest
time over all rounds counts, so that a busy machine slows all down. Compare the ratios, not the
seconds.
"""

from __future__ import annotations

import sys

import trafilatura

from benchmarks.bench_data import find_set
from benchmarks.timing import time_each
from forest_crawler import parse_page
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.extraction.methods.page import PageModelExtractor

ROUNDS = 7


def main(name: str = "big9", step: str = "3") -> None:
    """Print each side's time over all pages, and its share of trafilatura's."""
    path = find_set(name)
    if path is None:
        return
    sources = [page.source for page in read_pages(path)][:: int(step)]
    rounds = [[time_each(side, sources) for side in SIDES] for _ in range(ROUNDS)]
    seconds = [sum(map(min, zip(*times, strict=True))) for times in zip(*rounds, strict=True)]
    for side, took in zip(SIDES, seconds, strict=True):
        each = 1000 * took / len(sources)
        print(
            f"{side.__name__:14} {each:6.2f} ms, {took / seconds[0]:.2f} of trafilatura's fast mode"
        )


def trafilatura_fast(source: bytes | str) -> object:
    """Run trafilatura without its fallback extractors."""
    return trafilatura.extract(source, fast=True)


def page(source: bytes | str) -> object:
    """Run the page-level method `page`."""
    return PageModelExtractor().extract(parse_page(source))


def parse(source: bytes | str) -> object:
    """Make the tree and number its elements, the start of all our methods."""
    return parse_page(source).outline


SIDES = (trafilatura_fast, page, parse)


if __name__ == "__main__":
    main(*sys.argv[1:])
