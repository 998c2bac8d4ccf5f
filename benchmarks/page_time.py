"""What `page` costs against trafilatura's fast mode: `python -m benchmarks.page_time [SET] [STEP]`.

Every STEPth page of a labelled set, every third of big9 if none is named; parsing is included on
all sides. The steps take turns, and each page's shortest time over all rounds counts, so that a
busy machine slows them alike: ratios mean something anywhere, seconds do not.
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
    """Print each step's share of trafilatura's time over all pages."""
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
    """The peer, without the extractors that it falls back on."""
    return trafilatura.extract(source, fast=True)


def page(source: bytes | str) -> object:
    """The page-level method."""
    return PageModelExtractor().extract(parse_page(source))


def parse(source: bytes | str) -> object:
    """What all of our methods begin with: the tree, and its elements numbered."""
    return parse_page(source).outline


SIDES = (trafilatura_fast, page, parse)


if __name__ == "__main__":
    main(*sys.argv[1:])
