"""Body Text Extraction finds the run of most words inside and most tags outside."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.extraction.methods.bte import BodyTextExtractor, best_run
from forest_crawler.extraction.methods.token_stream import TokenStream
from forest_crawler.page.tree import parse_page


def test_the_article_between_link_lists_is_found() -> None:
    # Words +1, tags -1. Leaf: tags before it, words
    #   Home  -4 +1    News -4 +1
    #   One two three -4 +3, four -1 +1, five six. -1 +2, Seven eight nine. -2 +3
    #   About -3 +1, then 3 tags
    # "One" to "nine." has 3 - 1 + 1 - 1 + 2 - 2 + 3 = 5; one leaf more on the left costs
    # 4 tags for 1 word, on the right 3 tags for 1 word.
    tree = parse_page(
        "<body><ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul>"
        "<p>One two three <b>four</b> five six.</p><p>Seven eight nine.</p>"
        "<div><a href=/x>About</a></div></body>"
    )
    assert BodyTextExtractor().extract(tree).text == (
        "One two three four five six.\nSeven eight nine."
    )


def test_of_equally_good_runs_the_first_is_taken() -> None:
    # "a b" alone has 2; with "c d" it has 2 - 2 + 2 = 2 as well.
    tree = parse_page("<body><p>a b</p><p>c d</p></body>")
    assert BodyTextExtractor().extract(tree).text == "a b"


def slow_search(is_tag: list[bool]) -> tuple[int, int]:
    """Search as the paper defines it: the first pair of greatest T(i, j)."""

    def t(i: int, j: int) -> int:
        return sum(is_tag[:i]) + is_tag[i : j + 1].count(False) + sum(is_tag[j + 1 :])

    pairs = [(i, j) for i in range(len(is_tag)) for j in range(i, len(is_tag))]
    return max(pairs, key=lambda pair: t(*pair))


@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(0, 6)), min_size=1, max_size=6).filter(
        lambda leaves: any(words for _, words in leaves)
    ),
    st.integers(0, 3),
)
def test_the_run_is_the_one_that_trying_all_pairs_finds(
    leaves: list[tuple[int, int]], tags_at_end: int
) -> None:
    tags, words = [t for t, _ in leaves], [w for _, w in leaves]
    stream = TokenStream(np.array(words), np.array([*tags, tags_at_end]))
    first, last = slow_search(stream.is_tag.tolist())
    leaf_of_token = [leaf for leaf, (t, w) in enumerate(leaves) for _ in range(t + w)]
    assert best_run(stream) == range(leaf_of_token[first], leaf_of_token[last] + 1)
