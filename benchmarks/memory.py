"""Measure growth up to pages of 20 MB: time per stage, and memory per byte of the page.

`python -m benchmarks.memory [MAX_MB]` grows a page of a bundled site by repeating what is in its
body, and prints for each stage the milliseconds per size, the exponent of their growth (1 is
linear), and how much memory the largest page takes beyond that of a small one, per byte. Each
measurement runs in a process of its own, whose peak counts.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.growth import growth_exponent
from forest_crawler import ArticleSource, Wrapper, extract, induce, make_article, parse_page
from forest_crawler.datasets.bundled_sites import bundled_sites

SITE = "harbour-gazette"
MAX_MB = 20.0
STEPS = 5  # each page has twice the size of the one before


def grow(page: bytes, size: int) -> bytes:
    """Repeat the inside of a page's body until the page has the size."""
    start = page.index(b">", page.index(b"<body")) + 1
    end = page.rindex(b"</body")
    inner = page[start:end]
    return page[:start] + inner * max(1, round(size / len(inner))) + page[end:]


def _pages() -> list[bytes]:
    site = next(it for it in bundled_sites() if it.name == SITE)
    return [file.read_bytes() for file in sorted(site.glob("*.html"))[:4]]


def _known(source: bytes, *, whole: bool) -> object:
    tree = parse_page(source)
    found = extract(tree, _WRAPPERS)
    if not whole:
        return found.selection.text
    return make_article(tree, found, ArticleSource()).line()


_WRAPPERS: list[Wrapper] = []
STAGES: dict[str, Callable[[bytes], object]] = {
    "tree": parse_page,
    "known site: text": lambda source: _known(source, whole=False),
    "known site: whole article": lambda source: _known(source, whole=True),
    "unknown page": lambda source: extract(parse_page(source), [], "page").selection.text,
    "induction, two pages": lambda source: induce(
        [parse_page(source), parse_page(source)], site="bench"
    ),
}


def main(words: Sequence[str]) -> None:
    """Print a line per stage."""
    if len(words) == 2:
        print(*_measure(words[0], int(words[1])))
        return
    largest = float(words[0]) if words else MAX_MB
    sizes = [round(largest * 1e6 / 2**step) for step in reversed(range(STEPS))]
    print(f"{'stage':28}" + "".join(f"{size / 1e6:8.1f} MB" for size in sizes) + "  exponent")
    for stage in STAGES:
        rows = [_run(stage, size) for size in sizes]
        times = [seconds for seconds, _ in rows]
        each = (rows[-1][1] - rows[0][1]) / (sizes[-1] - sizes[0])
        cells = "".join(f"{1000 * seconds:11.0f}" for seconds in times)
        exponent = growth_exponent(sizes, times)
        print(f"{stage:28}{cells}{exponent:10.2f}, {each:.0f} times its bytes", flush=True)


def _run(stage: str, size: int) -> tuple[float, int]:
    command = [sys.executable, "-m", "benchmarks.memory", stage, str(size)]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, capture_output=True, check=True, cwd=root, text=True)  # noqa: S603
    seconds, memory = done.stdout.split()
    return float(seconds), int(memory)


def _measure(stage: str, size: int) -> tuple[float, int]:
    """Return a stage's CPU seconds, and the peak memory of this process."""
    small, *_ = pages = _pages()
    _WRAPPERS.extend(induce(list(map(parse_page, pages)), site="bench"))
    work, source = STAGES[stage], grow(small, size)
    work(small)
    start = time.process_time()
    work(source)
    spent = time.process_time() - start
    return spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    main(sys.argv[1:])
