"""A page is read as tags and words in order, and words lead back to leaves."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.extraction.methods.token_stream import TokenStream, read_tokens
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("html", "tags", "words"),
    [
        # <body> <p> One two </p> </body>
        pytest.param("<body><p>One two</p>", [2, 2], [2], id="paragraph"),
        # <body> <p> a <br> b <b> c </b> d </p> </body>
        pytest.param("<p>a<br>b<b>c</b>d</p>", [2, 1, 1, 1, 2], [1, 1, 1, 1], id="void-and-inline"),
        # <body> <ul> <li> a </li> <li> b </li> </ul> c </body>
        pytest.param("<ul><li>a<li>b</ul>c", [3, 2, 2, 1], [1, 1, 1], id="end-tags-left-out"),
        # <body> <hr> <img> a </body>
        pytest.param("<body><hr><img>a", [3, 1], [1], id="void-elements-first"),
        # <body> </body>
        pytest.param("<body> </body>", [2], [], id="no-text"),
    ],
)
def test_tags_and_words_are_counted_in_document_order(
    html: str, tags: list[int], words: list[int]
) -> None:
    stream = read_tokens(parse_page(html))
    assert stream.tags.tolist() == tags
    assert stream.words.tolist() == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("don't stop-over", 2, id="blanks-separate"),
        pytest.param("a | b \u2022 -- 3", 3, id="signs-are-no-words"),
        pytest.param('"Quoted," she said.', 3, id="signs-at-a-word"),
        pytest.param("日本語 text", 4, id="ideographs-one-by-one"),
        pytest.param("हिन्दी भाषा", 2, id="vowel-signs-stay-in-their-word"),
    ],
)
def test_words(text: str, words: int) -> None:
    assert read_tokens(parse_page(f"<p>{text}</p>")).words.tolist() == [words]


def test_every_token_has_a_flag() -> None:
    stream = TokenStream(np.array([2, 1]), np.array([1, 3, 0]))
    assert stream.is_tag.tolist() == [True, False, False, True, True, True, False]


@pytest.mark.parametrize(
    ("words", "chosen_words", "leaves"),
    [
        pytest.param([2, 3], [1, 0, 1, 0, 0], [0], id="half-is-enough-a-third-is-not"),
        pytest.param([1, 0, 1], [1, 1], [0, 1, 2], id="bullet-between-chosen-leaves"),
        pytest.param([1, 0, 1], [1, 0], [0], id="bullet-beside-one-chosen-leaf"),
        pytest.param([0, 1, 0], [1], [1], id="bullets-at-the-ends"),
        pytest.param([0, 0], [], [], id="bullets-only"),
        pytest.param([], [], [], id="no-leaves"),
    ],
)
def test_chosen_words_become_leaves(
    words: list[int], chosen_words: list[int], leaves: list[int]
) -> None:
    counts = np.array(words, dtype=np.int64)
    stream = TokenStream(counts, np.ones(len(words) + 1, dtype=np.int64))
    chosen = np.zeros(len(stream.is_tag), dtype=np.bool_)
    chosen[~stream.is_tag] = chosen_words
    assert stream.leaves_of(chosen) == leaves
