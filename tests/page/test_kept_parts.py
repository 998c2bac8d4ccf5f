"""Captions, quotations and code are kept; what leads elsewhere or repeats the text is not."""

from __future__ import annotations

import pytest

from forest_crawler.page.kept_parts import find_kept_leaves
from forest_crawler.page.tree import parse_page

STORY = "<p>The ferry is late again today.</p>"


@pytest.mark.parametrize(
    ("part", "is_kept"),
    [
        ("<blockquote>We wait</blockquote>", True),
        ("<div class=pullquote><p>We wait</div>", True),
        ("<div class='wide pull-quote'>We wait</div>", True),
        ("<aside class=story__pullquote>We wait</aside>", True),
        ("<div class=blockquote>We wait</div>", True),
        ("<div class=pullquote>The ferry is late</div>", False),  # a sentence of the text
        ("<div class=pullquote>THE FERRY, is late!</div>", False),
        ("<div class=pullquote>The ferry is</div>", False),
        ("<div class=pullquote>he ferry is late</div>", True),  # not its words
        ("<div class=pullquote><a href=/1>We wait</a></div>", False),
        ("<div class=stockquotes>We wait</div>", False),
        ("<div class=quote>We wait</div>", False),  # of a share, a customer, a post
        ("<p>We wait</p>", False),
    ],
)
def test_a_quotation_is_kept_by_its_tag_or_class_unless_it_repeats_the_text(
    part: str, is_kept: bool
) -> None:
    for page in (STORY + part, part + STORY):
        assert any(find_kept_leaves(parse_page(page).outline)) is is_kept
