"""J, U, I, R and Coverage against the paper's own numbers and hand-worked cases."""

from __future__ import annotations

from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.induction.informativeness import signifier_density, unexpectedness
from forest_crawler.induction.paper.patterns import ElementType, Occurrence, StructuralPattern
from forest_crawler.induction.paper.ranking import Measure, RankingOptions, rank_patterns
from forest_crawler.induction.significant_paths import PageTerms, SignificantPage
from forest_crawler.induction.signifiers import Signifiers
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        # (1.5 - sqrt(1.5 · 0.5 / 1)) / 2 = (1.5 - 0.8660) / 2; the paper: "J ≈ 0.32"
        (1, 0, 0.317),
        # (8.5 - sqrt(8.5 · 20.5 / 28)) / 29 = (8.5 - 2.4946) / 29
        (8, 20, 0.207),
        # (3.5 - sqrt(3.5 · 5.5 / 8)) / 9 = (3.5 - 1.5512) / 9
        (3, 5, 0.217),
        # (3.5 - sqrt(3.5 · 1.5 / 4)) / 5 = (3.5 - 1.1456) / 5
        (3, 1, 0.471),
        # 0.5 - sqrt(0.5 · 1.5 / 1) = 0.5 - 0.866 < 0
        (0, 1, 0.0),
        # 0.5 - sqrt(0.5 · 100.5 / 100) = 0.5 - 0.709 < 0
        (0, 100, 0.0),
        (0, 0, 0.0),
    ],
)
def test_density_is_the_lower_end_of_its_interval(x: int, y: int, expected: float) -> None:
    assert signifier_density(x, y) == pytest.approx(expected, abs=1e-3)


def test_a_higher_share_of_fewer_terms_has_a_similar_density() -> None:
    # The paper's example: 8 of 28 and 3 of 8 are comparable, though 2/7 and 3/8 are not.
    assert signifier_density(8, 20) == pytest.approx(signifier_density(3, 5), abs=0.01)


@pytest.mark.parametrize(
    ("x", "y", "page_x", "page_y", "expected"),
    [
        # 36 ln 120 - 10 ln 20 - 26 ln 100 = 172.350 - 29.957 - 119.734; the paper: 23
        (10, 26, 20, 100, 22.658),
        # 4 ln 120 - 3 ln 20 - 1 ln 100 = 19.150 - 8.987 - 4.605; the paper: 6
        (3, 1, 20, 100, 5.558),
        # all terms of the page are signifiers: n ln n - n ln n
        (4, 0, 4, 0, 0.0),
        # the page has no signifiers: 2 ln 10 - 2 ln 10
        (0, 2, 0, 10, 0.0),
        (0, 0, 3, 4, 0.0),
        (0, 0, 0, 0, 0.0),
    ],
)
def test_unexpectedness_is_generation_minus_description(
    x: int, y: int, page_x: int, page_y: int, expected: float
) -> None:
    assert unexpectedness(x, y, page_x, page_y) == pytest.approx(expected, abs=1e-3)


COUNTS = st.integers(0, 10**6)


@given(COUNTS, COUNTS)
def test_density_is_between_zero_and_the_share(x: int, y: int) -> None:
    # Add-half pulls the share to one half by at most half a term in N + 1; the margin takes more.
    assert 0 <= signifier_density(x, y) <= max(0.5, x / max(1, x + y))


@given(COUNTS, COUNTS, COUNTS, COUNTS)
def test_unexpectedness_is_never_negative(x: int, y: int, more_x: int, more_y: int) -> None:
    assert unexpectedness(x, y, x + more_x, y + more_y) >= -1e-6 * (x + y)


@given(COUNTS, COUNTS)
def test_another_signifier_makes_an_element_denser(x: int, y: int) -> None:
    assert signifier_density(x + 1, y) >= signifier_density(x, y)


def page_of(x: int, y: int, signifiers: int = 1) -> SignificantPage:
    """Make a page with the given X and Y."""
    terms = PageTerms(parse_page("<p>x"), [["t"] * (x + y)])
    weights = {f"s{i}": 1.0 for i in range(signifiers)}
    return SignificantPage(terms, Signifiers(MappingProxyType(weights)), [x])


def pattern(tag: str, level: int = 2, dfs: int | None = 2) -> StructuralPattern:
    return StructuralPattern(ElementType(tag, dfs=dfs), level)


SMALL, LARGE = pattern("small"), pattern("large")
# The paper's page (X = 20, Y = 100) with its two nodes.
PAPER_PAGE = page_of(20, 100)
PAPER_NODES = {
    SMALL: [Occurrence(0, 2, 3, 1, 0.9)],
    LARGE: [Occurrence(0, 3, 10, 26, 0.8)],
}


@pytest.mark.parametrize(
    ("measure", "best", "relevance"),
    [
        # J: 0.4709 and 0.2086; U: 5.558 and 22.658; one page, level 2
        ("J", SMALL, 2 * 0.4709),
        ("U", LARGE, 2 * 22.658),
        # I: 0.4709 · 5.558 = 2.617 and 0.2086 · 22.658 = 4.727
        ("JU", LARGE, 2 * 4.727),
        # Cov: 0.9 / 1 signifier
        ("coverage", SMALL, 2 * 0.9),
    ],
)
def test_the_measure_decides_between_dense_and_large(
    measure: Measure, best: StructuralPattern, relevance: float
) -> None:
    first = rank_patterns(PAPER_NODES, [PAPER_PAGE], RankingOptions(measure=measure))[0]
    assert first.pattern == best
    assert first.relevance == pytest.approx(relevance, abs=1e-3)


def test_relevance_is_informativeness_times_pages_times_level() -> None:
    # I(3, 1) = 2.6169 on both pages: (2.6169 + 2.6169) · 2 pages · level 5
    patterns = {pattern("p", 5): [Occurrence(0, 9, 3, 1, 1), Occurrence(1, 9, 3, 1, 1)]}
    (ranked,) = rank_patterns(patterns, [PAPER_PAGE, PAPER_PAGE])
    assert ranked.relevance == pytest.approx(52.338, abs=1e-2)
    assert ranked.pages == 2
    assert ranked.occurrences[0].j == pytest.approx(0.4709, abs=1e-4)
    assert ranked.occurrences[0].u == pytest.approx(5.5576, abs=1e-4)
    assert ranked.occurrences[0].score == pytest.approx(2.6169, abs=1e-3)


def test_without_the_frequency_factor_one_good_page_can_win() -> None:
    # often: I(3, 1) = 2.617 on two pages: 5.234 without the factor, 10.47 with it.
    # once: J(15, 30) = (15.5 - sqrt(15.5 · 30.5 / 45)) / 46 = 0.2665,
    # U = 45 ln 120 - 15 ln 20 - 30 ln 100 = 32.346, I = 8.620, between the two.
    often, once = pattern("often"), pattern("once")
    patterns = {
        often: [Occurrence(0, 2, 3, 1, 1), Occurrence(1, 2, 3, 1, 1)],
        once: [Occurrence(0, 3, 15, 30, 1)],
    }
    pages = [PAPER_PAGE, PAPER_PAGE]
    assert rank_patterns(patterns, pages)[0].pattern == often
    without = rank_patterns(patterns, pages, RankingOptions(frequency_factor=False))
    assert without[0].pattern == once
    assert without[0].relevance == pytest.approx(2 * 8.620, abs=1e-2)


def test_without_the_level_factor_depth_does_not_count() -> None:
    # I(10, 26) = 4.727 on level 1, I(3, 1) = 2.617 on level 2: 4.727 < 5.234
    high, deep = pattern("high", 1), pattern("deep", 2)
    patterns = {high: [Occurrence(0, 2, 10, 26, 1)], deep: [Occurrence(0, 3, 3, 1, 1)]}
    assert rank_patterns(patterns, [PAPER_PAGE])[0].pattern == deep
    without = rank_patterns(patterns, [PAPER_PAGE], RankingOptions(level_factor=False))
    assert without[0].pattern == high


def test_only_the_most_informative_element_of_a_page_counts() -> None:
    # I(3, 1) = 2.617; I(1, 3): J = (1.5 - sqrt(1.5 · 3.5 / 4)) / 5 = 0.0709,
    # U = 4 ln 120 - ln 20 - 3 ln 100 = 2.339, I = 0.166
    items = pattern("li", 3, dfs=None)
    occurrences = [Occurrence(0, 4, 1, 3, 1), Occurrence(0, 7, 3, 1, 1), Occurrence(0, 9, 1, 3, 1)]
    (ranked,) = rank_patterns({items: occurrences}, [PAPER_PAGE])
    assert [rated.occurrence.dfs for rated in ranked.occurrences] == [7]
    assert ranked.pages == 1
    assert ranked.relevance == pytest.approx(3 * 2.617, abs=1e-2)  # one page, level 3


def test_the_first_of_equally_informative_elements_counts() -> None:
    occurrences = [Occurrence(0, 4, 3, 1, 1), Occurrence(0, 7, 3, 1, 1)]
    (ranked,) = rank_patterns({pattern("li"): occurrences}, [PAPER_PAGE])
    assert ranked.occurrences[0].occurrence.dfs == 4


def test_coverage_is_the_weight_in_the_element_divided_by_the_signifiers() -> None:
    # (1.2 / 4 + 0.8 / 2) · 2 pages · level 2 = 0.7 · 4
    patterns = {pattern("p"): [Occurrence(0, 2, 5, 5, 1.2), Occurrence(1, 2, 5, 5, 0.8)]}
    pages = [page_of(20, 100, signifiers=4), page_of(20, 100, signifiers=2)]
    (ranked,) = rank_patterns(patterns, pages, RankingOptions(measure="coverage"))
    assert ranked.relevance == pytest.approx(2.8)


def test_ties_go_to_the_deeper_pattern_and_then_by_spelling() -> None:
    occurrence = [Occurrence(0, 2, 0, 9, 0)]  # J is 0
    tied = [pattern("b", 2), pattern("a", 2, dfs=10), pattern("a", 2, dfs=9), pattern("c", 3)]
    expected = [tied[3], tied[2], tied[1], tied[0]]
    for order in (tied, tied[::-1]):
        ranked = rank_patterns(dict.fromkeys(order, occurrence), [PAPER_PAGE])
        assert [r.pattern for r in ranked] == expected


def test_without_patterns_the_ranking_is_empty() -> None:
    assert rank_patterns({}, []) == []
