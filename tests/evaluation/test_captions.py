"""Captions count as the gold has them."""

from __future__ import annotations

from forest_crawler.evaluation.captions import drop_captions, find_captions
from forest_crawler.page.tree import parse_page

PAGE = "<p>It rained.</p><figure><img src=c.jpg><figcaption>A <b>wet</b> cat.</figcaption></figure>"


def test_a_caption_is_what_the_page_marks_as_one() -> None:
    assert find_captions(parse_page(PAGE)) == {"awetcat"}
    assert find_captions(parse_page("<p class=caption>A wet cat</p>")) == frozenset()


def test_a_line_that_only_begins_like_a_caption_stays() -> None:
    text = "It rained.\nA wet cat came home."
    assert drop_captions(text, "It rained.", find_captions(parse_page(PAGE))) == text


def test_a_text_of_captions_alone_stays() -> None:
    assert drop_captions("A wet cat", "It rained.", {"awetcat"}) == "A wet cat"
