"""Measure the studio over a large store: `python -m benchmarks.studio_load`.

Makes a store of 10,000 sites and 1,000,000 articles (`--sites`, `--articles`), and requests the
studio's views from the application itself. Prints for each the server's time: of the first request,
which for `/sites` includes counting the store, the median and the slowest of later ones, and the
median of their processor time, background work included; then the process's memory. Ends with 1 if
the first page of the list takes more than 200 ms of the processor, or if the memory grows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from sqlalchemy import create_engine, insert
from starlette.applications import Starlette

from forest_crawler.store import open_store
from forest_crawler.store.schema import articles, fits, frontier, sources, wrappers
from forest_crawler.studio.app import make_app
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.static_export import fetch
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers

SITES, ARTICLES = 10_000, 1_000_000
DAYS, DAY = 90, 86_400.0
ROUNDS = 15
LIMIT = 0.2
"""Seconds for the first page of the list of sites."""

MAX_GROWTH = 20 << 20
"""Bytes that all rounds after the first may add."""

_BATCH = 20_000
_LINES = 500


def fill(url: str, number: int, size: int) -> None:
    """Write the rows of a crawl of many sites; articles come site by site in turn."""
    open_store(url).close()
    names = [f"site-{n:05}.example" for n in range(number)]
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(insert(sources), list(_sources(names)))
        connection.execute(insert(wrappers), list(_wrappers(names)))
        connection.execute(insert(fits), [{"site": it, "recent": "1" * 20} for it in names])
    lines = [zlib.compress(json.dumps(_article(n)).encode()) for n in range(_LINES)]
    for start in range(0, size, _BATCH):
        numbers = range(start, min(start + _BATCH, size))
        with engine.begin() as connection:
            connection.execute(insert(frontier), [_page(n, names) for n in numbers])
            connection.execute(insert(articles), [_row(n, size, names, lines) for n in numbers])
    engine.dispose()


def _sources(names: Sequence[str]) -> Iterator[dict[str, object]]:
    for number, name in enumerate(names):
        failures = 3 if number % 50 == 0 else 0
        yield {
            "key": f"{name}/feed",
            "url": f"https://{name}/feed",
            "site": name,
            "title": f"The paper of {name}",
            "status": "timeout" if failures else "200",
            "failures": failures,
            "last_poll": time.time() - number % 3600,
            "next_poll": time.time() + 600,
        }


def _wrappers(names: Sequence[str]) -> Iterator[dict[str, object]]:
    for name in names:
        document = dump_wrappers([Wrapper(name, "forest", "portable", ("//article",))])
        yield {"site": name, "position": 0, "pinned": False, "document": document, "created": 0.0}


def _article(number: int) -> dict[str, object]:
    words = " ".join(f"word{(number * 7 + step) % 5000}" for step in range(150))
    return {"title": f"Story {number}", "text": words, "html": "", "agreement": 0.97}


def _page(number: int, names: Sequence[str]) -> dict[str, object]:
    site = names[number % len(names)]
    return {
        "id": number + 1,
        "key": f"{site}/{number}",
        "url": f"https://{site}/{number}",
        "site": site,
        "state": "archived",
        "due": 0.0,
        "attempts": 0,
        "scheduled": 0.0,
    }


def _row(number: int, size: int, names: Sequence[str], lines: Sequence[bytes]) -> dict[str, object]:
    page = _page(number, names)
    return {
        "id": f"a{number}",
        "page_id": page["id"],
        "site": page["site"],
        "url": page["url"],
        "extractor": "wrapper",
        "content_hash": str(number),
        "archived": time.time() - DAYS * DAY * (1 - number / size),
        "line": lines[number % len(lines)],
    }


VIEWS = (
    "/sites",
    "/sites?page=150",
    "/sites?sort=articles",
    "/sites?look=1",
    "/sites?q=site-077",
    "/sites/site-00042.example",
    "/articles",
    "/articles?site=site-00042.example",
    "/articles/a500000",
    "/sources",
    "/exports",
)


async def request(app: Starlette, view: str) -> tuple[float, float]:
    """Request a view; return its seconds by the clock and by the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    status, _, _ = await fetch(app, view)
    spent = time.perf_counter() - clock, time.process_time() - processor
    if status != 200:
        raise SystemExit(f"{view}: {status}")
    return spent


async def measure(app: Starlette, views: Sequence[str]) -> bool:
    """Print each view's times and the memory; report whether the limits hold."""
    print(f"{'view':36} {'first':>8} {'median':>8} {'slowest':>8} {'CPU':>8}  (ms)")
    is_quick = True
    app.state.studio.warm_up()  # as the server does when it starts
    for view in views:
        first, _ = await request(app, view)
        later = [await request(app, view) for _ in range(ROUNDS)]
        clock, processor = [it[0] for it in later], median(it[1] for it in later)
        row = (first, median(clock), max(clock), processor)
        print(f"{view:36} " + " ".join(f"{1000 * it:8.1f}" for it in row))
        is_quick = is_quick and (view != "/sites" or processor < LIMIT)
    before = _memory()
    for _ in range(ROUNDS):
        for view in views:
            await request(app, view)
    grown = _memory() - before
    print(f"memory: {before >> 20} MB, after {ROUNDS * len(views)} more requests +{grown >> 20} MB")
    return is_quick and grown < MAX_GROWTH


def _memory() -> int:
    """Return the resident memory of this process in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main(arguments: Sequence[str]) -> int:
    """Make the store, request the views, and compare with the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--articles", type=int, default=ARTICLES)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as directory:
        url = f"sqlite:///{directory}/forest.db"
        began = time.perf_counter()
        fill(url, options.sites, options.articles)
        size = Path(directory, "forest.db").stat().st_size
        print(
            f"{options.sites:,} sites, {options.articles:,} articles: {size >> 20} MB, made in "
            f"{time.perf_counter() - began:.0f} s"
        )
        views = [it.replace("a500000", f"a{options.articles // 2}") for it in VIEWS]
        app = make_app(StudioOptions(url))
        try:
            return 0 if asyncio.run(measure(app, views)) else 1
        finally:
            app.state.studio.close()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
