"""Check that text, HTML and Markdown of articles have the same words.

`python -m benchmarks.forms` checks every page of big9, or of the given sets: the article that the
site's wrappers (or the page-level method) find, and the whole body of the page, which has all kinds
of markup. The exit code is 1 if the forms of any page differ.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.bench_data import find_set
from forest_crawler.article.content.forms import write_forms
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import EmptyPageError, SampleError
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.induction import induce
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.reading_forms import words_of_forms

DEFAULT_SETS = ("big9",)


def main(names: Sequence[str] = ()) -> int:
    """Check sets; return the number of pages whose forms differ."""
    different = 0
    for name in names or DEFAULT_SETS:
        path = find_set(name)
        if path is not None:
            different += _check_set(name, path)
    return different


def _check_set(name: str, path: Path) -> int:
    pages = words = wrong = 0
    for page, selections in _selections(path):
        pages += 1
        for selection in selections:
            text, html, markdown = words_of_forms(write_forms(selection))
            words += len(text)
            if not text == html == markdown:
                wrong += 1
                print(f"{name}: {page.id}: the forms differ")
                break
    print(f"{name}: {pages} pages, {words} words, {wrong} pages whose forms differ")
    return wrong


def _selections(path: Path) -> Iterator[tuple[LabelledPage, list[Selection]]]:
    sites: dict[str, list[tuple[LabelledPage, PageTree]]] = {}
    for page in read_pages(str(path)):
        try:
            tree = parse_page(page.source, url=page.url)
        except EmptyPageError:
            continue
        sites.setdefault(page.site, []).append((page, tree))
    for site, pairs in sites.items():
        wrappers = _induce(site, [tree for _, tree in pairs])
        for page, tree in pairs:
            article = extract(tree, wrappers, FALLBACK).selection
            yield page, [article, select_elements(tree, [tree.body])]


def _induce(site: str, trees: Sequence[PageTree]) -> list[Wrapper]:
    try:
        return induce(trees, site=site)
    except SampleError:  # a single page
        return []


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
