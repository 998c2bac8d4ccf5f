"""Compare what a page costs us with what it costs others: one table per labelled set.

`make bench-speed` runs every row on a page before it turns to the next page, in one process and in
CPU time, so that a busy machine slows all rows down alike. Each page's time is the median of five
runs. Every row starts with the page's bytes and returns its result. Others get the encoding,
we find it. A site is induced after the runs of its pages. Compare the ratios, not the milliseconds.
`python -m benchmarks.speed SET [SET …] --step N` takes every Nth site of the sets; `--write` puts
the tables into docs/explanation/speed.md.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import os
import platform
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TypeAlias

import trafilatura
from lxml import etree
from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree
from selectolax.lexbor import LexborHTMLParser

from benchmarks.bench_data import encode, find_set
from forest_crawler import ArticleSource, extract, induce, make_article, parse_page
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.extraction.methods.page import PageModelExtractor
from forest_crawler.wrapper.wrapper import Wrapper

SETS = ("big9", "chaos", "waddle")
RUNS = 5
MIN_PAGES, MAX_PAGES = 2, 10
"""A site's pages: fewer have no wrapper, and more are not in an induction's sample."""

PARSE = "lxml: parse"
INDUCE = "forest: induction, per page of the sample"
FAST = "trafilatura, fast"
WHOLE = "trafilatura"
RESILIPARSE = "resiliparse: main-content text"

DOCUMENT = Path("docs/explanation/speed.md")
BEGIN, END = "<!-- speed -->", "<!-- /speed -->"
PACKAGES = ("lxml", "selectolax", "resiliparse", "trafilatura")

Source: TypeAlias = tuple[tuple[bytes, str], str | None]
"""A page's bytes and their encoding, and its URL."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page's bytes, their encoding, and its site's wrappers."""

    source: bytes
    encoding: str
    url: str | None
    wrappers: tuple[Wrapper, ...]


def parse_bare(page: Page) -> object:
    """Parse with lxml alone."""
    return etree.fromstring(page.source, etree.HTMLParser(encoding=page.encoding, huge_tree=True))


def parse_resiliparse(page: Page) -> HTMLTree:
    """Decode and parse with resiliparse alone."""
    return HTMLTree.parse_from_bytes(page.source, page.encoding)


def whole_article(page: Page) -> object:
    """Make the article as a crawl does for a site whose wrapper is trusted, up to its line."""
    tree = parse_page(page.source, url=page.url)
    found = extract(tree, page.wrappers)
    return make_article(tree, found, ArticleSource(url=page.url)).line()


ROWS: Mapping[str, Callable[[Page], object]] = {
    PARSE: parse_bare,
    "lexbor (selectolax): parse": lambda page: LexborHTMLParser(
        page.source.decode(page.encoding, "replace")
    ),
    "resiliparse: parse": parse_resiliparse,
    RESILIPARSE: lambda page: extract_plain_text(
        parse_resiliparse(page), main_content=True, alt_texts=False
    ),
    "forest, known site: tree": lambda page: parse_page(page.source, url=page.url),
    "forest, known site: nodes": lambda page: extract(
        parse_page(page.source, url=page.url), page.wrappers
    ),
    "forest, known site: text": lambda page: (
        extract(parse_page(page.source, url=page.url), page.wrappers).selection.text
    ),
    "forest, known site: whole article": whole_article,
    "forest, unknown page: text": lambda page: (
        PageModelExtractor().extract(parse_page(page.source, url=page.url)).text
    ),
    FAST: lambda page: trafilatura.extract(page.source, fast=True),
    WHOLE: lambda page: trafilatura.extract(page.source),
    "trafilatura: JSON with metadata": lambda page: trafilatura.extract(
        page.source, output_format="json", with_metadata=True
    ),
}


def main(words: Sequence[str]) -> None:
    """Print a table per set."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--step", type=int, default=1, help="take every Nth site")
    parser.add_argument("--runs", type=int, default=RUNS)
    parser.add_argument("--rows", default="", help="only rows whose name has one of these, by `,`")
    parser.add_argument("--write", action="store_true", help="put the tables into the document")
    arguments = parser.parse_args(words)
    wanted = arguments.rows.split(",")
    rows = {name: run for name, run in ROWS.items() if any(part in name for part in wanted)}
    rows = {PARSE: parse_bare} | rows
    tables = []
    for name in arguments.sets:
        path = find_set(name)
        if path is None:
            return
        sites: dict[str, list[Source]] = defaultdict(list)
        for page in read_pages(path):
            sites[page.site].append((encode(page.source), page.url))
        enough = [pages[:MAX_PAGES] for pages in sites.values() if len(pages) >= MIN_PAGES]
        chosen = enough[:: arguments.step]
        seconds = _measure(chosen, rows, arguments.runs, wanted)
        tables.append(_table(f"{name}, {sum(map(len, chosen))} pages", seconds))
        print(f"\n{tables[-1]}", flush=True)
    if arguments.write:
        _write(tables)


def _measure(
    sites: Sequence[Sequence[Source]],
    rows: Mapping[str, Callable[[Page], object]],
    runs: int,
    wanted: Sequence[str],
) -> dict[str, float]:
    """Measure the mean CPU seconds per page of every row."""
    is_induced = any(part in INDUCE for part in wanted)
    total: dict[str, float] = defaultdict(float)
    count = 0
    for number, site in enumerate(sites):
        pages = _with_wrappers(site)
        count += len(pages)
        gc.collect()
        gc.freeze()  # what the benchmark itself holds
        for page in pages:
            times: dict[str, list[float]] = {name: [] for name in rows}
            for turn in range(runs):
                names = list(rows)
                for name in names[turn:] + names[:turn]:
                    times[name].append(_seconds(rows[name], page))
            for name, found in times.items():
                total[name] += statistics.median(found)
        if is_induced:
            total[INDUCE] += statistics.median(_seconds(_induce, pages) for _ in range(runs))
        print(f"\r{number + 1} of {len(sites)} sites", end="", file=sys.stderr, flush=True)
    print(f", {count} pages", file=sys.stderr)
    return {name: value / count for name, value in total.items()}


def _with_wrappers(site: Sequence[Source]) -> list[Page]:
    trees = [parse_page(source, url=url) for (source, _), url in site]
    wrappers = tuple(induce(trees, site="bench"))
    return [Page(source, encoding, url, wrappers) for (source, encoding), url in site]


def _induce(pages: Sequence[Page]) -> object:
    return induce([parse_page(page.source, url=page.url) for page in pages], site="bench")


def _seconds(step: Callable[..., object], subject: object) -> float:
    start = time.process_time()
    step(subject)
    return time.process_time() - start


def _table(name: str, seconds: Mapping[str, float]) -> str:
    yardsticks = [it for it in (PARSE, RESILIPARSE, FAST, WHOLE) if it in seconds]
    lines = [f"| {name} | ms per page | {' | '.join(f'/ {it}' for it in yardsticks)} |"]
    lines.append("|---" * (len(yardsticks) + 2) + "|")
    for row, value in sorted(seconds.items(), key=lambda item: item[1]):
        ratios = " | ".join(f"{value / seconds[it]:.2f}" for it in yardsticks)
        lines.append(f"| {row} | {1000 * value:.2f} | {ratios} |")
    return "\n".join(lines)


def _write(tables: Sequence[str]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN, 1)
    after = rest.split(END, 1)[1]
    made = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    versions = ", ".join(f"{it} {version(it)}" for it in PACKAGES)
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {versions}"
    parts = [f"Measured on {made}: {machine}.", *tables]
    DOCUMENT.write_text(
        before + BEGIN + "\n" + "\n\n".join(parts) + "\n" + END + after, encoding="utf-8"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
