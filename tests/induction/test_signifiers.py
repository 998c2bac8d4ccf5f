"""Signifiers: the top terms by tf-idf, and the terms of a feed entry."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.signifiers import TOP_K, entry_signifiers, tfidf_signifiers
from forest_crawler.text.terms import analyzer_for

# Three pages with four words in common and two of their own.
COMMON = ["home", "news", "today", "about"]
PAGES = [
    ["ferry"] * 4 + ["pier"] * 2 + COMMON,
    ["bakery"] * 4 + ["oven"] * 2 + COMMON,
    ["museum"] * 4 + ["vase"] * 2 + COMMON,
]


def test_signifiers_are_the_top_terms_by_tf_idf() -> None:
    # idf = ln((1 + n) / (1 + df)) + 1: own words ln(4/2) + 1 = 1.6931, common ones ln(4/4) + 1 = 1
    # ferry 4 · 1.6931 = 6.7726, pier 2 · 1.6931 = 3.3863, the common ones 1 each
    # norm = sqrt(6.7726² + 3.3863² + 4 · 1²) = sqrt(61.335) = 7.8317
    ferry = tfidf_signifiers(PAGES, k=3)[0]
    assert list(ferry.weights) == ["ferry", "pier", "about"]
    assert ferry.weights["ferry"] == pytest.approx(0.8648, abs=1e-4)  # 6.7726 / 7.8317
    assert ferry.weights["pier"] == pytest.approx(0.4324, abs=1e-4)  # 3.3863 / 7.8317
    assert ferry.weights["about"] == pytest.approx(0.1277, abs=1e-4)  # 1 / 7.8317


def test_a_word_that_all_pages_have_weighs_less_than_one_of_the_pages_own() -> None:
    # menu: 3 · (ln(3/3) + 1) = 3; ferry: 2 · (ln(3/2) + 1) = 2.811; pier 3 · 1.405 = 4.216
    pages = [["menu"] * 3 + ["ferry"] * 2 + ["pier"] * 3, ["menu"] * 3]
    assert list(tfidf_signifiers(pages)[0].weights) == ["pier", "menu", "ferry"]


@pytest.mark.parametrize(("k", "expected"), [(1, 1), (2, 2), (6, 6), (99, 6)])
def test_a_page_has_k_signifiers_at_most(k: int, expected: int) -> None:
    assert [len(found) for found in tfidf_signifiers(PAGES, k)] == [expected] * 3


def test_ten_signifiers_a_page_as_in_the_paper() -> None:
    assert TOP_K == 10
    (found, _) = tfidf_signifiers([[f"w{i}" for i in range(30)], ["x"]])
    assert len(found) == 10


def test_equal_weights_are_put_in_order_by_spelling() -> None:
    (found, _) = tfidf_signifiers([["c", "a", "d", "b"], ["x"]], k=3)
    assert list(found.weights) == ["a", "b", "c"]


@pytest.mark.parametrize("pages", [[], [[]], [[], []]], ids=["none", "one", "two"])
def test_pages_without_terms_have_no_signifiers(pages: list[list[str]]) -> None:
    assert [len(found) for found in tfidf_signifiers(pages)] == [0] * len(pages)


def test_a_page_without_terms_beside_one_with_terms_has_none() -> None:
    assert [len(found) for found in tfidf_signifiers([["a", "b"], []])] == [2, 0]


@settings(max_examples=50)
@given(
    st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=12), min_size=2, max_size=4), st.data()
)
def test_the_order_of_the_pages_changes_no_pages_signifiers(
    pages: list[list[str]], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(pages))))
    expected = tfidf_signifiers(pages, k=3)
    found = tfidf_signifiers([pages[i] for i in order], k=3)
    assert [list(f.weights.items()) for f in found] == [
        list(expected[i].weights.items()) for i in order
    ]


def test_an_entrys_signifiers_are_the_terms_of_title_and_description() -> None:
    entry = FeedEntry("The ferry returns", "Ferries were returning to the harbour.")
    found = entry_signifiers(entry, analyzer_for("en"))
    # 'the', 'were' and 'to' are stop words; ferry and ferries, returns and returning are one term
    assert dict(found.weights) == {"ferri": 1.0, "return": 1.0, "harbour": 1.0}
    assert "harbour" in found
    assert "the" not in found


def test_few_signifiers_of_an_entry_come_from_its_title() -> None:
    entry = FeedEntry("museum vase", "oven bakery")
    found = entry_signifiers(entry, analyzer_for("xx"), k=3)
    assert list(found.weights) == ["museum", "vase", "oven"]


def test_an_entry_without_words_has_no_signifiers() -> None:
    assert len(entry_signifiers(FeedEntry(" ", "…"), analyzer_for("en"))) == 0
