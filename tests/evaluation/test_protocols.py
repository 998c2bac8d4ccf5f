"""Protocols split a site's pages, and studies change one option of a method."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import UnknownNameError
from forest_crawler.evaluation.methods import resolve_method
from forest_crawler.evaluation.protocols import Split, split_site
from forest_crawler.evaluation.results import PROTOCOLS, Protocol
from forest_crawler.evaluation.site_methods import InducedMethod
from forest_crawler.evaluation.studies import STUDIES, Setting, get_study
from forest_crawler.induction import PaperMethod
from forest_crawler.induction.paper.ranking import RankingOptions


def test_the_page_protocol_has_each_page_alone() -> None:
    assert split_site(2, "page") == [Split((0,), (0,)), Split((1,), (1,))]


def test_in_sample_learns_from_all_pages_and_extracts_all() -> None:
    assert split_site(3, "in-sample") == [Split((0, 1, 2), (0, 1, 2))]


def test_unseen_learns_from_two_thirds_and_extracts_the_rest() -> None:
    assert split_site(5, "unseen") == [
        Split((1, 2, 4), (0, 3)),
        Split((0, 2, 3), (1, 4)),
        Split((0, 1, 3, 4), (2,)),
    ]


def test_a_single_page_has_no_sample_in_unseen() -> None:
    assert split_site(1, "unseen") == [Split((), (0,))]


def test_in_sample_with_a_sample_size_makes_groups_of_that_size() -> None:
    # The last group has one page of its own and also learns from the first page.
    assert split_site(5, "in-sample", 2) == [
        Split((0, 1), (0, 1)),
        Split((2, 3), (2, 3)),
        Split((4, 0), (4,)),
    ]


def test_unseen_with_a_sample_size_cuts_the_sample() -> None:
    assert [split.sample for split in split_site(6, "unseen", 2)] == [(1, 2), (0, 2), (0, 1)]


@given(st.integers(1, 40), st.sampled_from(PROTOCOLS), st.none() | st.integers(1, 12))
def test_every_page_is_scored_once(pages: int, protocol: Protocol, size: int | None) -> None:
    splits = split_site(pages, protocol, size)
    assert sorted(i for split in splits for i in split.targets) == list(range(pages))


@given(st.integers(1, 40), st.none() | st.integers(1, 12))
def test_unseen_pages_are_never_in_the_sample(pages: int, size: int | None) -> None:
    for split in split_site(pages, "unseen", size):
        assert not set(split.sample) & set(split.targets)


@given(st.integers(1, 40), st.integers(1, 12))
def test_in_sample_pages_are_in_their_sample_of_the_given_size(pages: int, size: int) -> None:
    for split in split_site(pages, "in-sample", size):
        assert set(split.targets) <= set(split.sample)
        assert len(set(split.sample)) == min(size, pages)


def test_studies_are_those_of_the_papers_figures() -> None:
    assert [setting.pages for setting in STUDIES["pages"]] == list(range(1, 11))
    assert [setting.as_dict() for setting in get_study("measure")] == [
        {"measure": "J"},
        {"measure": "U"},
        {"measure": "JU"},
    ]


def test_an_unknown_study_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="filters, frequency, level, measure, pages"):
        get_study("weather")


def test_a_setting_changes_one_option_of_a_method() -> None:
    own = resolve_method("forest-paper")
    fewer = resolve_method("forest-paper", Setting(signifiers=3))
    by_j = resolve_method("forest-paper", Setting(measure="J"))
    assert isinstance(own, InducedMethod)
    assert isinstance(fewer, InducedMethod)
    assert isinstance(by_j, InducedMethod)
    assert (own.method, fewer.method, by_j.method) == (
        PaperMethod(),
        PaperMethod(k=3),
        PaperMethod(ranking=RankingOptions(measure="J")),
    )


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        (Setting(filters="none"), PaperMethod()),
        (Setting(filters="anchors"), PaperMethod(filters=("anchors",))),
        (Setting(filters="both"), PaperMethod(filters=("anchors", "comments"))),
        (Setting(types="exact"), PaperMethod(tolerant=False)),
        (Setting(level="without"), PaperMethod(ranking=RankingOptions(level_factor=False))),
        (Setting(frequency="without"), PaperMethod(ranking=RankingOptions(frequency_factor=False))),
    ],
)
def test_the_variants_of_the_papers_section_4(setting: Setting, expected: PaperMethod) -> None:
    varied = resolve_method("forest-paper", setting)
    assert isinstance(varied, InducedMethod)
    assert varied.method == expected


def test_an_unknown_method_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match=r"'nonsense'.*forest-paper.*plain"):
        resolve_method("nonsense")
