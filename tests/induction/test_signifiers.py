"""Signifiers: the top terms by tf-idf, and the terms of a feed entry."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.signifiers import (
    TOP_K,
    DocumentFrequencies,
    entry_signifiers,
    tfidf_signifiers,
    weigh_sample,
)
from forest_crawler.text.terms import analyzer_for

# Three pages with four words in common and two of their own.
COMMON = ["home", "news", "today", "about"]
PAGES = [
    ["ferry"] * 4 + ["pier"] * 2 + COMMON,
    ["bakery"] * 4 + ["oven"] * 2 + COMMON,
    ["museum"] * 4 + ["vase"] * 2 + COMMON,
]


def test_signifiers_are_the_top_terms_by_tf_idf() -> None:
    # idf = ln(N / df): own words ln(3/1) = 1.0986, common ones ln(3/3) = 0
    # ferry 4 · 1.0986 = 4.3944, pier 2 · 1.0986 = 2.1972, norm sqrt(4.3944² + 2.1972²) = 4.9131
    ferry = tfidf_signifiers(PAGES, k=3)[0]
    assert list(ferry.weights) == ["ferry", "pier"]
    assert ferry.weights["ferry"] == pytest.approx(0.8944, abs=1e-4)  # 4.3944 / 4.9131
    assert ferry.weights["pier"] == pytest.approx(0.4472, abs=1e-4)  # 2.1972 / 4.9131


def test_a_word_on_all_pages_is_not_a_signifier() -> None:
    pages = [["menu"] * 30 + ["ferry"] * 2 + ["pier"] * 3, ["menu"] * 3]
    assert list(tfidf_signifiers(pages)[0].weights) == ["pier", "ferry"]


@pytest.mark.parametrize(("k", "expected"), [(1, 1), (2, 2), (99, 2)])
def test_a_page_has_k_signifiers_at_most(k: int, expected: int) -> None:
    assert [len(found) for found in tfidf_signifiers(PAGES, k)] == [expected] * 3


def test_known_terms_are_signifiers_beside_the_top_k() -> None:
    # oven is not on the page, home on all pages: neither says what this page is about
    found, _ = weigh_sample(PAGES, k=1, known=[{"pier", "oven", "home"}, (), ()])
    assert [list(page.weights) for page in found] == [["ferry", "pier"], ["bakery"], ["museum"]]


def test_document_frequencies_omit_terms_of_a_single_page() -> None:
    _, known = weigh_sample([*PAGES, ["ferry", "home"]])
    assert (known.pages, known.counts) == (
        4,
        {"ferry": 2, "home": 4, "news": 3, "today": 3, "about": 3},
    )


def test_a_further_page_is_weighed_as_if_it_had_been_in_the_sample() -> None:
    # N = 3 + 1: ferry ln(4/1) = 1.3863, home 2 · ln(4/3) = 0.5754, news ln(4/4) = 0
    # norm sqrt(1.3863² + 0.5754²) = 1.5010
    known = DocumentFrequencies(3, {"home": 2, "news": 3})
    found = known.weigh(["ferry", "home", "home", "news"])
    assert list(found.weights) == ["ferry", "home"]
    assert found.weights["ferry"] == pytest.approx(0.9236, abs=1e-4)  # 1.3863 / 1.5010
    assert found.weights["home"] == pytest.approx(0.3834, abs=1e-4)  # 0.5754 / 1.5010


def test_of_equally_heavy_terms_the_first_by_spelling_are_signifiers() -> None:
    # 2 · ln 2 for ferry, ln 2 for each of the others
    found = DocumentFrequencies(1, {}).weigh(["tide", "quay", "ferry", "ferry", "pier"], k=3)
    assert list(found.weights) == ["ferry", "pier", "quay"]


def test_a_page_has_ten_signifiers_as_in_the_paper() -> None:
    assert TOP_K == 10
    (found, _) = tfidf_signifiers([[f"w{i}" for i in range(30)], ["x"]])
    assert len(found) == 10


def test_terms_of_equal_weight_are_sorted_by_spelling() -> None:
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
def test_the_order_of_pages_does_not_change_signifiers(
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


def test_the_first_signifiers_of_an_entry_come_from_its_title() -> None:
    entry = FeedEntry("museum vase", "oven bakery")
    found = entry_signifiers(entry, analyzer_for("xx"), k=3)
    assert list(found.weights) == ["museum", "vase", "oven"]


def test_an_entry_without_words_has_no_signifiers() -> None:
    assert len(entry_signifiers(FeedEntry(" ", "…"), analyzer_for("en"))) == 0
