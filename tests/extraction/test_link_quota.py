"""The link quota filter drops blocks that are mostly links."""

from __future__ import annotations

import pytest

from forest_crawler.extraction.methods.link_quota import LinkQuotaExtractor
from forest_crawler.page.tree import parse_page

# Each block has 10 characters without blanks, of which 3, 5, 6 and 8 are in a link.
QUOTAS = (
    "<p><a href=/>abc</a> aaa aaaa</p>"
    "<p><a href=/>abcde</a> bbbbb</p>"
    "<p><a href=/>abc <b>def</b></a> cccc</p>"
    "<p><a href=/>abcdefgh</a> dd</p>"
)


@pytest.mark.parametrize(
    ("threshold", "kept"),
    [
        pytest.param(0.25, [], id="a-quarter"),
        pytest.param(0.5, ["abc aaa aaaa", "abcde bbbbb"], id="exactly-half-does-not-exceed-half"),
        pytest.param(0.75, ["abc aaa aaaa", "abcde bbbbb", "abc def cccc"], id="three-quarters"),
    ],
)
def test_blocks_above_the_threshold_are_dropped(threshold: float, kept: list[str]) -> None:
    assert LinkQuotaExtractor(threshold).extract(parse_page(QUOTAS)).text.splitlines() == kept


def test_a_nested_block_neither_counts_for_its_parent_nor_is_dropped_with_it() -> None:
    # The div's own text is "Print" and nothing else: quota 1. The paragraph has no link.
    tree = parse_page("<div><a href=/p>Print</a><p>The article.</p></div>")
    assert LinkQuotaExtractor(0.5).extract(tree).text == "The article."


def test_a_nested_block_does_not_save_its_parent() -> None:
    # With the paragraph counted in, the quota would be 4/24.
    tree = parse_page("<div><a href=/>Home</a><p>Twenty letters of the text</p></div>")
    assert "Home" not in LinkQuotaExtractor(0.5).extract(tree).text


def test_an_anchor_without_href_is_not_a_link() -> None:
    tree = parse_page("<p><a name=top>All of this is text.</a></p>")
    assert LinkQuotaExtractor(0.25).extract(tree).text == "All of this is text."
