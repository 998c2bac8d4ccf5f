"""Compare inducing a site with extracting its pages by trafilatura, in one run.

Prints seconds per site of ten pages, parsing included on both sides, and the ratio of our whole
induction to trafilatura's whole extraction. Then the memory of induction for growing samples.
"""

from __future__ import annotations

import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial

import trafilatura

from benchmarks.bench_data import find_set
from forest_crawler import induce, parse_page
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.induction import SITE_METHODS

ROUNDS = 3
"""How often each side runs, alternating; the fastest round counts, as the least disturbed."""


def main() -> None:
    """Run the comparison on big9."""
    path = find_set("big9")
    if path is None:
        return
    sites: dict[str, list[LabelledPage]] = defaultdict(list)
    for page in read_pages(path):
        sites[page.site].append(page)
    for method in SITE_METHODS:
        _compare(method, sites)
    _memory(max(sites.values(), key=len))


def _compare(method: str, sites: dict[str, list[LabelledPage]]) -> None:
    print(f"\n{method:24} {'induce':>8} {'trafilatura':>12} {'ratio':>6}")
    totals = [0.0, 0.0]
    for site, pages in sites.items():
        ours, theirs = _fastest(partial(_induce, method, pages), partial(_extract, pages))
        totals = [totals[0] + ours, totals[1] + theirs]
        print(f"{site:24} {ours:8.3f} {theirs:12.3f} {ours / theirs:6.2f}")
    print(f"{'all sites':24} {totals[0]:8.3f} {totals[1]:12.3f} {totals[0] / totals[1]:6.2f}")


def _fastest(*sides: Callable[[], None]) -> list[float]:
    best = [float("inf")] * len(sides)
    for _ in range(ROUNDS):
        for i, side in enumerate(sides):
            start = time.perf_counter()
            side()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def _induce(method: str, pages: Sequence[LabelledPage]) -> None:
    induce([parse_page(page.source) for page in pages], site="bench", method=method)


def _extract(pages: Sequence[LabelledPage]) -> None:
    for page in pages:
        trafilatura.extract(page.source)


def _memory(pages: Sequence[LabelledPage]) -> None:
    """Print the memory after induction, and its peak, for samples of 2, 4 and 8 pages."""
    print(f"\n{'pages':>5} {'peak MB':>8} {'kept MB':>8}   (Python objects, by tracemalloc)")
    for count in (2, 4, 8):
        tracemalloc.start()
        wrappers = induce([parse_page(page.source) for page in pages[:count]], site="bench")
        kept, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        print(f"{count:5} {peak / 1e6:8.1f} {kept / 1e6:8.1f}   {len(wrappers)} wrapper(s)")


if __name__ == "__main__":
    main()
