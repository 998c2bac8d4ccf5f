"""Parsing, induction and selection are linear, even for hostile pages."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from forest_crawler.induction import induce
from forest_crawler.induction.paper.patterns import tolerant_form
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath_syntax import attribute_step, contains
from forest_crawler.text.terms import analyzer_for
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.growth import Work, assert_linear


def test_quadratic_work_fails_the_comparison() -> None:
    with pytest.raises(AssertionError):
        assert_linear(lambda size: lambda: [0 for _ in range(size) for _ in range(size)], 4000)


# What our regular expressions repeat, never followed by what would complete a match.
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
def test_regular_expressions_are_linear_on_a_hundred_hostile_kilobytes(reader: str) -> None:
    read = READERS[reader]
    for piece in PIECES:

        def work(size: int, piece: str = piece) -> Work:
            text = piece * (size // len(piece)) + "!"
            return lambda: read(text)

        assert_linear(work, 100_000)


PAGES: dict[str, Callable[[int], str]] = {
    "flat": lambda n: "<div class=a><p>ferry it and that</p></div>" * n,
    "deep": lambda n: "<div>" * 1900 + "<p>ferry and it</p>" * n,
    "hidden": lambda n: "<div hidden>x" * 1900 + "<p>ferry and it</p>" * n,
    "hidden-in-part": lambda n: "<p>seen</p>" * 2 * n + "<div hidden>" * 1900 + "<i>x</i>" * n,
    "tails": lambda n: "<b>x</b>ferry it and that" * n,
    "soup": lambda n: "</x><a b=c b=d>&bogus;<p>ferry it" * n,
    "unseen": lambda n: "<script>x</script>ferry it" * n,
    "ends": lambda n: "<p>ferry it</p></body></html>" * n,
    "streamed": lambda n: (
        "".join(f'<template id="B:{i}"></template>' for i in range(n))
        + "<p>ferry it</p>"
        + "".join(f'<div hidden id="S:{i}">x</div>{"and that " * 9}' for i in range(n))
    ),
    "streamed-in-each-other": lambda n: "".join(
        f'<div hidden id="S:{i}">ferry<template id="P:{i + 1}"></template></div>' for i in range(n)
    ),
}


def tree_of(shape: str, size: int) -> PageTree:
    tree = parse_page("<html lang=en>" + PAGES[shape](size))
    assert tree.annotated is not None  # made on first use, and the outline too
    return tree


@pytest.mark.parametrize("shape", PAGES)
def test_parsing_and_numbering_are_linear_in_the_page(shape: str) -> None:
    assert_linear(lambda size: lambda: tree_of(shape, size), 2000)


@pytest.mark.parametrize("shape", ["flat", "deep", "tails"])
@pytest.mark.parametrize("method", ["forest-paper", "coverage"])
def test_induction_is_linear_in_the_page(shape: str, method: str) -> None:
    def work(size: int) -> Work:
        pages = [tree_of(shape, size), tree_of(shape, size)]
        return lambda: induce(pages, method=method)

    assert_linear(work, 2000)


@pytest.mark.parametrize("shape", ["flat", "deep", "tails"])
def test_selection_is_linear_in_the_page(shape: str) -> None:
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

    assert_linear(work, 2000)
