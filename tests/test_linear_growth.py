"""No step takes more than its share of time as its input grows: growth is compared, not the clock.

Four times the input may take four times as long; a quadratic step takes sixteen times.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from forest_crawler.induction.induce import induce
from forest_crawler.induction.patterns import tolerant_form
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath_syntax import attribute_step, contains
from forest_crawler.text.terms import analyzer_for
from forest_crawler.wrapper.wrapper import Wrapper

MAX_GROWTH = 10
"""Of the time for four times the input: between linear and quadratic, with room for noise."""
HARMLESS = 0.05
"""Seconds below which a growth is noise, and would do no harm."""

Work = Callable[[], object]


def seconds(work: Work, runs: int) -> float:
    """The least CPU time of some runs: whatever else the machine does only ever adds to it."""
    taken = []
    gc.disable()  # or it would walk the large inputs' objects again and again
    try:
        for _ in range(runs):
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(taken)


def assert_linear(work_of: Callable[[int], Work], size: int) -> None:
    """Compare the work on an input of that size and on one four times as large."""
    large = work_of(4 * size)
    if seconds(large, runs=1) > HARMLESS:
        taken, small = seconds(large, runs=2), seconds(work_of(size), runs=3)
        assert taken < MAX_GROWTH * small, f"{taken:.3f} s for {4 * size}, {small:.3f} for {size}"


def test_quadratic_work_is_noticed() -> None:
    with pytest.raises(AssertionError):
        assert_linear(lambda size: lambda: [0 for _ in range(size) for _ in range(size)], 500)


# Runs of what our regular expressions repeat, without what would end a match.
PIECES = [
    " ", "a", "0", "x-", "é", "東", "の", "e\u0301", "\n", "&#", "&#0", "&#x0", "&#x0000", "a\t",
    "display ", "display:", "display : ", "visibility\n", "iso-8859-8-", "x-mac-", "_.", "'\"",
]  # fmt: skip
READERS: dict[str, Callable[[str], object]] = {
    "style": lambda text: parse_page(f'<p style="{text}">x'),
    "lang": lambda text: parse_page(f'<html lang="{text}"><p>x').language,
    "text": lambda text: parse_page(f"<p>{text}"),
    "charset": lambda text: decode_page(b"x", text),
    "bytes": lambda text: decode_page(text.encode("cp1252", "replace")),
    "attribute-name": attribute_step,
    "attribute-value": lambda text: contains("class", tolerant_form(text)),
    "terms": lambda text: analyzer_for("en").terms(text),
}


@pytest.mark.parametrize("reader", READERS)
def test_a_hundred_kilobytes_made_for_our_regular_expressions_do_not_slow_them(reader: str) -> None:
    read = READERS[reader]
    for piece in PIECES:

        def work(size: int, piece: str = piece) -> Work:
            text = piece * (size // len(piece)) + "!"
            return lambda: read(text)

        assert_linear(work, 25_000)


PAGES: dict[str, Callable[[int], str]] = {
    "flat": lambda n: "<div class=a><p>ferry it and that</p></div>" * n,
    "deep": lambda n: "<div>" * 1900 + "<p>ferry and it</p>" * n,
    "hidden": lambda n: "<div hidden>x" * 1900 + "<p>ferry and it</p>" * n,
    "hidden-in-part": lambda n: "<p>seen</p>" * 2 * n + "<div hidden>" * 1900 + "<i>x</i>" * n,
    "tails": lambda n: "<b>x</b>ferry it and that" * n,
    "soup": lambda n: "</x><a b=c b=d>&bogus;<p>ferry it" * n,
    "unseen": lambda n: "<script>x</script>ferry it" * n,
    "ends": lambda n: "<p>ferry it</p></body></html>" * n,
    "sent-late": lambda n: (
        "".join(f'<template id="B:{i}"></template>' for i in range(n))
        + "<p>ferry it</p>"
        + "".join(f'<div hidden id="S:{i}">x</div>{"and that " * 9}' for i in range(n))
    ),
    "sent-late-in-each-other": lambda n: "".join(
        f'<div hidden id="S:{i}">ferry<template id="P:{i + 1}"></template></div>' for i in range(n)
    ),
}


def tree_of(shape: str, size: int) -> PageTree:
    tree = parse_page("<html lang=en>" + PAGES[shape](size))
    assert tree.annotated is not None  # made when first asked for, and the outline with it
    return tree


@pytest.mark.parametrize("shape", PAGES)
def test_parsing_and_numbering_grow_with_the_page(shape: str) -> None:
    assert_linear(lambda size: lambda: tree_of(shape, size), 500)


@pytest.mark.parametrize("shape", ["flat", "deep", "tails"])
@pytest.mark.parametrize("method", ["forest-paper", "coverage"])
def test_induction_grows_with_the_page(shape: str, method: str) -> None:
    def work(size: int) -> Work:
        pages = [tree_of(shape, size), tree_of(shape, size)]
        return lambda: induce(pages, method=method)

    assert_linear(work, 500)


@pytest.mark.parametrize("shape", ["flat", "deep", "tails"])
def test_selecting_grows_with_the_page(shape: str) -> None:
    def work(size: int) -> Work:
        tree = tree_of(shape, size)
        wrapper = Wrapper("s", "m", "dfs", ("//p", "//div", "//b"), strip=("//p[@dfs='9']",))

        def select() -> None:
            chosen = [
                wrapper.select(tree),
                select_elements(tree, tree.outline.elements[1:]),
                select_leaves(tree, range(0, len(tree.outline.leaves), 2)),
            ]
            assert all(selection.text and selection.html for selection in chosen)

        return select

    assert_linear(work, 500)
