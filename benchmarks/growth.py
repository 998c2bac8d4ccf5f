"""Measure how the time of page-level methods grows with the page.

`python -m benchmarks.growth [METHOD…]` doubles a page four times. It prints a line per method: the
milliseconds of each size, and the exponent of the growth, 1 for linear and 2 for quadratic. Compare
times only within one run. Without arguments it measures all methods.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from collections.abc import Callable, Sequence

from forest_crawler.errors import MissingPackageError
from forest_crawler.extraction.methods.registry import extractor_names, get_extractor
from forest_crawler.page.tree import parse_page

SIZES = (1, 2, 4, 8, 16)
"""How often the page's part is repeated, in hundreds: about 1,000 to 16,000 elements."""

ROUNDS = 3
"""How often each size is timed; the shortest time has the least noise."""

PART = """<div class="story"><h2><a href="/s">A headline of some words</a></h2>
<p>A first paragraph, <b>with some emphasis</b>, that goes on for a line or two, as they do.</p>
<p>Another one without any.<br>And a line after a break, to have that too.</p>
<ul><li><a href="/1">First link</a></li><li><a href="/2">Second link</a></li></ul></div>
"""


def growth_exponent(sizes: Sequence[float], times: Sequence[float]) -> float:
    """Fit a line through the points on logarithmic scales; return its slope.

    >>> round(growth_exponent([1, 2, 4], [3, 6, 12]), 3), round(growth_exponent([1, 2], [1, 4]), 3)
    (1.0, 2.0)
    """
    xs, ys = [math.log(size) for size in sizes], [math.log(spent) for spent in times]
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    rise = sum((x - x_mean) * (y - y_mean) for x, y in zip(xs, ys, strict=True))
    return rise / sum((x - x_mean) ** 2 for x in xs)


def main(names: Sequence[str]) -> None:
    """Measure the given methods, or all that need no feed entry."""
    pages = ["<body>" + PART * (100 * size) + "</body>" for size in SIZES]
    trees = [parse_page(page) for page in pages]
    counts = "".join(f"{len(tree.outline.elements):>9}" for tree in trees)
    print(f"{'method':20}{counts}  exponent   (elements; milliseconds)")
    _report("parse_page", lambda i: len(parse_page(pages[i]).outline.elements))
    for name in names or extractor_names():
        extractor = get_extractor(name)
        if not hasattr(extractor, "extract"):
            continue
        extract = extractor.extract
        try:
            _report(name, lambda i: len(extract(trees[i]).nodes))  # noqa: B023  called at once
        except MissingPackageError as err:
            print(f"{name:20}  skipped: {err}")


def _report(name: str, work: Callable[[int], int]) -> None:
    times = [min(_seconds(work, i) for _ in range(ROUNDS)) for i in range(len(SIZES))]
    cells = "".join(f"{1000 * spent:9.1f}" for spent in times)
    print(f"{name:20}{cells}  {growth_exponent(SIZES, times):8.2f}", flush=True)


def _seconds(work: Callable[[int], int], size: int) -> float:
    # Exclude other processes and garbage collections of all five trees' objects.
    gc.collect()
    gc.disable()
    start = time.process_time()
    work(size)
    spent = time.process_time() - start
    gc.enable()
    return spent


if __name__ == "__main__":
    main(sys.argv[1:])
