"""boilerpy3's blocks lead back to nodes of our tree."""

from __future__ import annotations

import sys

import pytest

from forest_crawler.errors import MissingPackageError
from forest_crawler.extraction.methods.boilerpipe import MAX_TEXTS, BoilerpipeExtractor, Variant
from forest_crawler.page.tree import parse_page

VARIANTS: list[Variant] = ["DefaultExtractor", "ArticleExtractor", "LargestContentExtractor"]

LONG = (
    "This paragraph has more than sixteen words and none of them is in a link, "
    "so rules keep it as text."
)
MENU = "".join(f"<li><a href=/{i}>Part {i}</a></li>" for i in range(6))
PAGE = f"""<html><head><title>Storm over the bay | Gazette</title></head><body><ul>{MENU}</ul>
<div id=story><h1>Storm over the bay</h1><p>{LONG}</p><p>{LONG} <b>Bold</b> end.</p></div>
<ul>{MENU}</ul></body></html>"""


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_paragraphs_are_found_and_the_menus_are_not(variant: Variant) -> None:
    # 21 and 23 words without a link are above the 16 (or the density of 9) from which a block is
    # content; the menus' blocks are links throughout. The last item of the first menu may come
    # with the article: Boilerpipe adds the block right before the content to it.
    pytest.importorskip("boilerpy3")
    lines = BoilerpipeExtractor(variant).extract(parse_page(PAGE)).text.splitlines()
    assert lines[-2:] == [LONG, f"{LONG} Bold end."]
    assert not {f"Part {i}" for i in range(5)} & set(lines)


def test_paragraphs_of_one_parent_become_one_node() -> None:
    pytest.importorskip("boilerpy3")
    tree = parse_page(PAGE)
    selection = BoilerpipeExtractor("DefaultExtractor").extract(tree)
    assert selection.nodes == (tree.body.find("div"),)


@pytest.mark.parametrize(
    ("variant", "found"), [("ArticleExtractor", True), ("LargestContentExtractor", False)]
)
def test_a_headline_apart_is_found_through_the_title(variant: Variant, found: bool) -> None:
    # 21 words make it content; the menu separates it from the larger block of paragraphs. Only
    # ArticleExtractor then looks for the title, and keeps what is content up to the largest block.
    pytest.importorskip("boilerpy3")
    headline = LONG.replace("paragraph", "headline")
    tree = parse_page(
        f"<title>{headline} | Gazette</title><body><h1>{headline}</h1><ul>{MENU}</ul>"
        f"<p>{LONG}</p><p>{LONG}</p></body>"
    )
    assert (headline in BoilerpipeExtractor(variant).extract(tree).text) is found


def test_text_after_nested_links_is_not_link_text() -> None:
    # 84 words, more than 40, are content even after a block of links.
    pytest.importorskip("boilerpy3")
    tree = parse_page(
        "<body><a href=/>Outer<div><a href=/>Inner</a></div></a><a href=/>Next</a>"
        f"<p>{' '.join([LONG] * 4)}</p></body>"
    )
    assert tree.body.find("a/div/a") is not None
    assert LONG in BoilerpipeExtractor("LargestContentExtractor").extract(tree).text


def test_a_block_of_very_many_texts_is_cut_not_lost() -> None:
    pytest.importorskip("boilerpy3")
    tree = parse_page("<p>" + "word <b>bold</b> " * (MAX_TEXTS * 2) + "</p>")
    found = BoilerpipeExtractor("ArticleExtractor").extract(tree)
    assert found.text.split().count("bold") == MAX_TEXTS * 2


def test_a_missing_package_is_reported_with_the_extra_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "boilerpy3", None)
    with pytest.raises(MissingPackageError, match=r"boilerpy3.*forest-crawler\[bench\]"):
        BoilerpipeExtractor("ArticleExtractor").extract(parse_page(PAGE))
