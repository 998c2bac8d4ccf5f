"""A page's source is repaired so that the parser reads all of it."""

from __future__ import annotations

import pytest

from forest_crawler.page.tree import parse_page
from tests.support.trees import text_of


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("a\x00b", "ab", id="nul"),
        pytest.param("a\x01\x0b\x1f\x7fb", "ab", id="controls"),
        pytest.param("a\x0cb", "a b", id="form-feed-is-white-space"),
        pytest.param("a\ufffe\uffffb", "ab", id="noncharacters"),
        pytest.param("a\ud800b", "a?b", id="lone-surrogate"),
        pytest.param("a&#1;&#31;&#x0b;&#X1F;b", "a b", id="references-to-controls"),
        # 311 = 0x137 and 0x1f1 start like 31 and 0x1f, which are controls.
        pytest.param("&#311;&#x1f1;&#0065534;b", "\u0137\u01f1 b", id="longer-numbers"),
        pytest.param("a&#xfffe;b", "a b", id="reference-to-noncharacter"),
        pytest.param("a&#0;b", "a\ufffdb", id="reference-to-nul"),
        pytest.param("a&#xd800;b", "a\ufffdb", id="reference-to-surrogate"),
        pytest.param("&#65;&#x1F600;&#128512;&#9731;&#128;", "A😀😀☃€", id="good-references"),
    ],
)
def test_characters_that_xml_forbids_do_not_reach_the_tree(raw: str, expected: str) -> None:
    tree = parse_page(f'<p title="{raw}">{raw}</p>')
    assert text_of(tree) == expected
    assert " ".join(tree.outline.elements[1].get("title", "").split()) == expected


def test_a_title_that_is_never_closed_does_not_swallow_the_page() -> None:
    tree = parse_page(
        "<html><head><title>Ferry<meta name=x></head><body><p>Ferry returns</p></body>"
    )
    assert [leaf.text for leaf in tree.outline.leaves] == ["Ferry returns"]
