"""Fragments of HTML become plain text."""

from __future__ import annotations

import pytest

from forest_crawler.page.plain_text import plain_text


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        pytest.param("Storm and  rain", "Storm and rain", id="no-markup"),
        pytest.param("<p>Storm &amp; <b>rain</b></p><p>Again", "Storm & rain Again", id="blocks"),
        pytest.param("no<i>b</i>lanks", "noblanks", id="inline"),
        pytest.param("a<script>b()</script><style>c</style>d", "ad", id="invisible"),
        pytest.param("a<!-- b -->c", "ac", id="comment"),
        pytest.param("a\x00b <b>c\x85</b>", "ab c", id="control-characters"),
        pytest.param("a&#7;b<p>&#31;c</p>&#xfffe;d<br>&#7;e", "ab c d e", id="references-to-them"),
        pytest.param("<!-- only -->", "", id="nothing"),
    ],
)
def test_tags_go_and_text_stays(markup: str, expected: str) -> None:
    assert plain_text(markup) == expected


def test_markup_after_the_maximal_length_is_ignored() -> None:
    assert plain_text("abcdef", 3) == "abc"
