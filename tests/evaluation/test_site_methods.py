"""Site-level methods that induce no wrapper run by the same protocols as Forest."""

from __future__ import annotations

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.evaluation.methods import method_names
from forest_crawler.evaluation.results import PageResult, Protocol
from forest_crawler.evaluation.runner import EvaluationOptions, evaluate
from forest_crawler.evaluation.sets import PageSet

STORIES = ["Ferry sails late", "Oven bakes bread", "Vase breaks again", "Snow falls early"]


def run_sst(protocol: Protocol, stories: list[str]) -> tuple[PageResult, ...]:
    pages = [
        LabelledPage(story, "gazette", None, f"<ul><li>Home</li></ul><p>{story}</p>", gold=story)
        for story in stories
    ]
    options = EvaluationOptions(protocols=(protocol,), jobs=1)
    (run,) = evaluate([PageSet("tiny", tuple(pages))], ["sst"], options).runs
    assert run.protocol == protocol
    return run.pages


@pytest.mark.parametrize("protocol", ["in-sample", "unseen"])
def test_sst_removes_the_menu_of_pages_in_and_outside_the_sample(protocol: Protocol) -> None:
    pages = run_sst(protocol, STORIES)
    assert [page.text for page in pages] == STORIES
    assert [page.scores["bigrams"].f1 for page in pages] == [1.0] * 4


def test_sst_keeps_all_of_a_page_if_it_has_learnt_from_one_other_page() -> None:
    assert [page.text for page in run_sst("unseen", STORIES[:2])] == [
        f"Home\n{story}" for story in STORIES[:2]
    ]


def test_sst_learns_nothing_from_no_page() -> None:
    (page,) = run_sst("unseen", STORIES[:1])
    assert (page.failure, page.text) == ("no-wrapper", "")


def test_sst_is_among_the_methods() -> None:
    assert "sst" in method_names()
