"""A wrapper of few pages and the page itself: both have a say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from forest_crawler.extraction import page_veto as joint_choice
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
def chances(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What the page model says of the page's five blocks; tests change it."""
    said = [0.9, 0.5, 0.5, 0.9, 0.5]

    def score(trees: Sequence[PageTree]) -> list[BlockScores]:
        outline = trees[0].outline
        return [BlockScores(trees[0], range(6), outline.leaf_owners, np.array(said))]

    monkeypatch.setattr(joint_choice, "score_sample", score)
    return said


def wrapper(confidence: float, *strip: str) -> Wrapper:
    body = ("//div[@id='story']", "//div[@id='more']")
    return Wrapper("s", "m", "portable", body, strip, confidence=confidence)


def joined(*strip: str) -> list[str]:
    selection = wrapper(0.5, *strip).select(parse_page(PAGE))
    return veto_blocks(selection).text.split("\n")


def test_where_the_page_is_in_doubt_the_wrapper_decides(chances: list[float]) -> None:
    # In doubt is 0.5: with the wrapper 0.88, against it 0.12; the threshold is at most 0.5.
    assert joined() == ["one two three four five six", "buy now", "and so on"]
    assert joined("//p[contains(concat(' ',normalize-space(@class),' '),' ad ')]") == [
        "one two three four five six",
        "and so on",
    ]


def test_a_page_that_denies_a_block_takes_it_away(chances: list[float]) -> None:
    # Log-odds of 0.02 are 3.9 below: they outweigh the wrapper's 2.
    chances[1] = 0.02
    assert joined() == ["one two three four five six", "and so on"]


def test_a_page_adds_nothing_to_what_a_wrapper_selects(chances: list[float]) -> None:
    chances[2] = chances[4] = 0.98
    assert joined() == ["one two three four five six", "buy now", "and so on"]


@pytest.mark.parametrize(
    ("confidence", "fallback", "is_joined"),
    [
        pytest.param(0.6, "page", True, id="few-pages"),
        pytest.param(0.9, "page", False, id="trusted"),
        pytest.param(0.0, "page", False, id="by-hand"),
        pytest.param(0.6, None, False, id="no-fallback"),
        pytest.param(0.6, "bte", False, id="another-method"),
    ],
)
def test_only_a_wrapper_of_few_pages_is_heard_together_with_the_page(
    confidence: float, fallback: str | None, is_joined: bool, chances: list[float]
) -> None:
    chances[1] = 0.02
    found = extract(parse_page(PAGE), [wrapper(confidence)], fallback)
    assert found.extractor == "wrapper"
    assert ("buy now" not in found.selection.text) is is_joined


def test_a_page_without_text_is_left_to_the_wrapper() -> None:
    tree = parse_page("<div id=story><img src=a.png></div>")
    selection = wrapper(0.5).select(tree)
    assert veto_blocks(selection) is selection
