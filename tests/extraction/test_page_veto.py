"""The page model may veto blocks that a wrapper of few pages selects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from forest_crawler.extraction import page_check, page_veto
from forest_crawler.extraction.extraction import extract
from forest_crawler.extraction.page_veto import veto_blocks
from forest_crawler.induction.sibling_evidence import BlockScores
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.wrapper import Wrapper

PAGE = (
    "<div id=story><p>one two three four five six</p><p class=ad>buy now</p></div>"
    "<ul><li>a list of the article</li></ul><div id=more>and so on</div><p>imprint</p>"
)


@pytest.fixture
def scores(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The page model's scores of the page's five blocks, which tests change."""
    scores = [0.9, 0.5, 0.5, 0.9, 0.5]

    def score(trees: Sequence[PageTree]) -> list[BlockScores]:
        outline = trees[0].outline
        return [BlockScores(trees[0], range(6), outline.leaf_owners, np.array(scores))]

    monkeypatch.setattr(page_veto, "score_sample", score)
    monkeypatch.setattr(page_check, "_judge_leaves", lambda _: np.array(scores))
    monkeypatch.setattr(page_check, "_choose_leaves", lambda _: np.array([1.0, 1, 0, 1, 0]))
    return scores


def wrapper(confidence: float, *strip: str) -> Wrapper:
    body = ("//div[@id='story']", "//div[@id='more']")
    return Wrapper("s", "m", "portable", body, strip, confidence=confidence, support=9)


def kept_lines(*strip: str) -> list[str]:
    selection = wrapper(0.5, *strip).select(parse_page(PAGE))
    return veto_blocks(selection).text.split("\n")


def test_the_wrapper_decides_if_the_page_model_is_undecided(scores: list[float]) -> None:
    # Undecided is 0.5: selected by the wrapper 0.88, else 0.12; the threshold is at most 0.5.
    assert kept_lines() == ["one two three four five six", "buy now", "and so on"]
    assert kept_lines("//p[contains(concat(' ',normalize-space(@class),' '),' ad ')]") == [
        "one two three four five six",
        "and so on",
    ]


def test_a_block_that_the_page_model_rejects_is_removed(scores: list[float]) -> None:
    # The log-odds of 0.02 are -3.9, which outweighs the wrapper's 2.
    scores[1] = 0.02
    assert kept_lines() == ["one two three four five six", "and so on"]


def test_the_page_model_adds_nothing_to_a_wrappers_selection(scores: list[float]) -> None:
    scores[2] = scores[4] = 0.98
    assert kept_lines() == ["one two three four five six", "buy now", "and so on"]


@pytest.mark.parametrize(
    ("confidence", "fallback", "is_vetoed"),
    [
        pytest.param(0.8, "page", True, id="few-pages"),  # trust 0.8 · 9 / 10 = 0.72
        pytest.param(0.95, "page", False, id="trusted"),  # 0.855
        pytest.param(0.0, "page", False, id="by-hand"),
        pytest.param(0.6, None, False, id="no-fallback"),
        pytest.param(0.6, "bte", False, id="another-method"),
    ],
)
def test_only_a_wrapper_of_few_pages_is_subject_to_the_veto(
    confidence: float, fallback: str | None, is_vetoed: bool, scores: list[float]
) -> None:
    scores[1] = 0.02
    found = extract(parse_page(PAGE), [wrapper(confidence)], fallback)
    assert found.extractor == "wrapper"
    assert ("buy now" not in found.selection.text) is is_vetoed


def test_the_page_model_vetoes_nothing_on_a_page_without_text() -> None:
    tree = parse_page("<div id=story><img src=a.png></div>")
    selection = wrapper(0.5).select(tree)
    assert veto_blocks(selection) is selection


def test_the_page_models_word_does_not_count_about_quotations(scores: list[float]) -> None:
    scores[0] = scores[1] = 0.02
    page = parse_page(
        PAGE.replace("p class=ad", "blockquote").replace("buy now</p>", "buy now</blockquote>")
    )
    assert veto_blocks(wrapper(0.5).select(page)).text.split("\n") == ["buy now", "and so on"]


@pytest.mark.parametrize(
    ("box", "is_kept"),
    [
        pytest.param("<a href=/sport/>buy</a> now", True, id="half-linked"),
        pytest.param("See: <a href=/sport/1>the other old ferry</a>", False, id="relative"),
        pytest.param("See: <a href=http://s.example/1>the other old ferry</a>", False, id="site"),
        pytest.param("See: <a href=http://t.example/1>the other old ferry</a>", True, id="other"),
        pytest.param("See: <a href=#notes>the other old ferry</a>", True, id="same-page"),
        pytest.param("See: <a href=http://[/>the other old ferry</a>", True, id="broken"),
        pytest.param("Publicité", False, id="ad-label"),
        pytest.param("Publicité du maire", True, id="not-a-label"),
    ],
)
def test_links_to_the_site_and_labels_of_advertisements_are_vetoed_sooner(
    monkeypatch: pytest.MonkeyPatch, box: str, is_kept: bool
) -> None:
    # 0.18 are log-odds of -1.5: a wrapper's 2 outweigh them (0.62), a link's 1 does not (0.38). The
    # threshold is half of an F1 that is above 0.8.
    source = f"<div id=story><p>one two three four five six seven eight nine</p><p>{box}</p></div>"
    page = parse_page(source, url="http://s.example/2")
    bounds = (0, 1, len(page.outline.leaf_texts))
    found = [BlockScores(page, bounds, page.outline.leaf_owners, np.array([0.95, 0.18]))]
    monkeypatch.setattr(page_veto, "score_sample", lambda _: found)
    lines = veto_blocks(wrapper(0.5).select(page)).text.split("\n")
    assert (len(lines) == 2) is is_kept


STRIPPED = "//i[contains(concat(' ',normalize-space(@class),' '),' x ')]"


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        (0.9, ["one two", "buy now", "and so on"]),
        (0.02, ["buy now", "and so on"]),
    ],
    ids=["kept-block", "vetoed-block"],
)
def test_a_strip_at_the_end_of_a_paragraph_is_not_put_back(
    monkeypatch: pytest.MonkeyPatch, first: float, expected: list[str]
) -> None:
    page = parse_page(
        "<div id=story><p>one two <i class=x>share</i></p><p>buy now</p></div>"
        "<div id=more>and so on"
    )
    scores = np.array([first, 0.9, 0.9])
    found = [BlockScores(page, (0, 2, 3, 4), page.outline.leaf_owners, scores)]
    monkeypatch.setattr(page_veto, "score_sample", lambda _: found)
    assert veto_blocks(wrapper(0.5, STRIPPED).select(page)).text.split("\n") == expected


def test_a_veto_leaves_pictures_in_the_selection(scores: list[float]) -> None:
    scores[1] = 0.02
    page = parse_page(PAGE.replace("<p class=ad>", "<figure><img src=a.png></figure><p class=ad>"))
    found = veto_blocks(wrapper(0.5).select(page))
    assert found.text.split("\n") == ["one two three four five six", "and so on"]
    assert "<img" in found.html


def test_a_veto_of_all_text_in_a_box_takes_its_pictures(scores: list[float]) -> None:
    scores[1] = 0.02
    card = "<div><img src=a.png><p>buy now</p></div>"
    page = parse_page(PAGE.replace("<p class=ad>buy now</p>", card))
    assert "<img" not in veto_blocks(wrapper(0.5).select(page)).html
