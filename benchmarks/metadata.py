"""Compare titles, authors and dates with those of two other tools on wcxb.

`python -m benchmarks.metadata` writes a table into docs/explanation/evaluation.md, between its
markers. That page also defines what is right. The same rules apply to all methods, and each sees
the single page only: no wrapper, no feed entry, no network.
"""

from __future__ import annotations

import argparse
import datetime
import re
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.bench_data import find_set
from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.peers.packages import without_warnings
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.page.tree import parse_page
from forest_crawler.text.comparison import comparable

SET = "wcxb"
DOCUMENT = Path("docs/explanation/evaluation.md")
MARKER = "metadata-table"

MIN_SHARE = 0.5
"""Share of the longer title's letters that the shorter one must have to count as contained."""

_NAME_ENDS = re.compile(r"[,;&/|]|\band\b|\bund\b|\bet\b")
_BY = re.compile(r"^\s*by\b:?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Metadata:
    """What a method finds on a page."""

    title: str | None
    authors: tuple[str, ...]
    date: str | None  # ISO, to the day or finer


def read_forest(page: LabelledPage) -> Metadata:
    """Make our article, without wrapper and feed."""
    try:
        tree = parse_page(page.source, url=page.url)
    except EmptyPageError:
        return Metadata(None, (), None)
    article = make_article(tree, extract(tree, [], FALLBACK), ArticleSource(page.url, page.site))
    return Metadata(article.title, article.authors, article.date_publish)


def read_trafilatura(page: LabelledPage) -> Metadata:
    """Read the metadata with trafilatura's defaults."""
    from trafilatura.metadata import extract_metadata

    found: Any = extract_metadata(page.source, default_url=page.url)
    return Metadata(found.title, tuple((found.author or "").split("; ")), found.date)


def read_newspaper(page: LabelledPage) -> Metadata:
    """Read the metadata with newspaper4k, without fetching images."""
    import newspaper

    article = newspaper.Article(page.url or "http://localhost/", fetch_images=False)
    with without_warnings():
        article.download(input_html=page.source)
        article.parse()
    moment = article.publish_date
    date = moment.date().isoformat() if moment else None
    return Metadata(article.title, tuple(article.authors or ()), date)


METHODS: dict[str, Callable[[LabelledPage], Metadata]] = {
    "forest": read_forest,
    "trafilatura": read_trafilatura,
    "newspaper4k": read_newspaper,
}
_PACKAGES = {"forest": "forest-crawler"}


@dataclass(slots=True)
class Score:
    """On how many labelled pages a method is right."""

    name: str
    titles: int = 0
    contained: int = 0
    authors: int = 0
    silent: int = 0  # no author found on pages without one
    dates: int = 0
    seconds: float = 0.0


def same_title(found: str | None, gold: str) -> bool:
    """Compare letters and digits, ignoring case, blanks and punctuation."""
    return comparable(found or "") == comparable(gold)


def contains_title(found: str | None, gold: str) -> bool:
    """Return whether one title contains the other, such as with a site's name."""
    short, long = sorted((comparable(found or ""), comparable(gold)), key=len)
    return bool(short) and short in long and len(short) >= MIN_SHARE * len(long)


def same_authors(found: Iterable[str], gold: str) -> bool:
    """Compare sets of names; lists of names are split in the same way on both sides."""
    return name_set(found) == name_set([gold])


def name_set(names: Iterable[str]) -> set[str]:
    """Split lists of names, and reduce each name to its letters."""
    parts = (part for name in names for part in _NAME_ENDS.split(_BY.sub("", name)))
    return {comparable(part) for part in parts} - {""}


def same_day(found: str | None, gold: str) -> bool:
    """Compare days, or months if the label has no day."""
    return bool(found) and str(found)[: len(gold[:10])] == gold[:10]


def score(name: str, pages: Sequence[LabelledPage]) -> Score:
    """Score a method on pages; where it fails, it finds nothing."""
    made = Score(name)
    for page in pages:
        start = time.perf_counter()
        found = _read(METHODS[name], page)
        made.seconds += time.perf_counter() - start
        made.titles += bool(page.title) and same_title(found.title, page.title or "")
        made.contained += bool(page.title) and contains_title(found.title, page.title or "")
        made.authors += bool(page.author) and same_authors(found.authors, page.author or "")
        made.silent += not page.author and not name_set(found.authors)
        made.dates += bool(page.date) and same_day(found.date, page.date or "")
    return made


def _read(method: Callable[[LabelledPage], Metadata], page: LabelledPage) -> Metadata:
    try:
        return method(page)
    except Exception as err:  # any peer may fail on any page
        print(f"{page.id}: {err!r}")
        return Metadata(None, (), None)


def main(argv: Sequence[str] | None = None) -> None:
    """Score all methods and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "methods", nargs="*", metavar="METHOD", help="only print these, and write no table"
    )
    arguments = parser.parse_args(argv)
    path = find_set(SET)
    if path is None:
        return
    pages = list(read_pages(str(path)))
    scores = [score(name, pages) for name in arguments.methods or METHODS]
    table = write_table(scores, pages)
    print(table)
    if not arguments.methods:
        _insert(table)


def write_table(scores: Sequence[Score], pages: Sequence[LabelledPage]) -> str:
    """Write the table, with the best of each column in bold."""
    totals = [
        sum(bool(getattr(page, name)) for page in pages) for name in ("title", "author", "date")
    ]
    without_author = len(pages) - totals[1]
    counts = [totals[0], totals[0], totals[1], without_author, totals[2]]
    rows = [[it.titles, it.contained, it.authors, it.silent, it.dates] for it in scores]
    best = [max(column) for column in zip(*rows, strict=True)]
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    heads = [f"title ({totals[0]})", "title, or one in the other", f"authors ({totals[1]})"]
    heads += [f"no author, rightly ({without_author})", f"date ({totals[2]})", "seconds"]
    lines = [
        f"Made on {today} by `python -m benchmarks.metadata`.",
        "",
        f"| | {' | '.join(heads)} |",
        "|---" * 7 + "|",
    ]
    for made, row in zip(scores, rows, strict=True):
        cells = [
            f"**{100 * n / of:.1f}**" if n == top else f"{100 * n / of:.1f}"
            for n, of, top in zip(row, counts, best, strict=True)
        ]
        name = f"{made.name} {version(_PACKAGES.get(made.name, made.name))}"
        lines.append(f"| {name} | {' | '.join(cells)} | {made.seconds:.0f} |")
    return "\n".join(lines)


def _insert(table: str) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    begin, end = f"<!-- {MARKER} -->", f"<!-- /{MARKER} -->"
    before, rest = text.split(begin, 1)
    text = before + f"{begin}\n{table}\n{end}" + rest.split(end, 1)[1]
    DOCUMENT.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
