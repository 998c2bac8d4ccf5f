"""The page model checks what a wrapper selects; its probabilities are given by hand."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.extraction import page_check
from forest_crawler.extraction.extraction import CHECKED_SHARE, extract
from forest_crawler.extraction.page_check import check_selection
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.wrapper import Wrapper

STORY = "//div[@id='story']"
BOX = "//div[@id='box']"
# Leaves: 20 words of story, 12 of a box, 20 of sidebar.
PAGE = (
    f"<div id=story><p>{'text ' * 20}</p><div id=box>{'said ' * 12}</div></div>"
    f"<aside>{'side ' * 20}</aside>"
)


class Model:
    """What the page model says about the three leaves."""

    def __init__(self) -> None:
        self.likely = [0.9, 0.1, 0.1]
        self.chosen = [1.0, 0.0, 0.0]


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Model:
    model = Model()
    monkeypatch.setattr(page_check, "_judge_leaves", lambda _: np.array(model.likely))
    monkeypatch.setattr(page_check, "_choose_leaves", lambda _: np.array(model.chosen))
    return model


def wrapper(*strip: str, body: str = STORY, confidence: float = 0.99) -> Wrapper:
    return Wrapper("s", "m", "portable", (body,), strip, confidence=confidence, support=9)


def page() -> PageTree:
    return parse_page(PAGE)


def first_words(tree: PageTree, *wrappers: Wrapper) -> set[str]:
    (one,) = wrappers
    found = check_selection(one, one.select(tree))
    return {line.split()[0] for line in found.selection.lines()}


def test_a_strip_rule_does_not_take_what_is_surely_content(model: Model) -> None:
    tree, rules = page(), wrapper(BOX)
    assert first_words(tree, rules) == {"text"}
    model.likely, model.chosen = [0.9, 0.7, 0.1], [1, 1, 0]
    found = check_selection(rules, rules.select(tree))
    assert {line.split()[0] for line in found.selection.lines()} == {"text", "said"}
    assert found.eaten_by == (BOX,)
    assert found.agreement == 1.0


def test_a_doubtful_or_short_element_is_stripped(model: Model) -> None:
    model.likely = [0.9, 0.69, 0.1]
    assert first_words(page(), wrapper(BOX)) == {"text"}
    model.likely = [0.9, 0.99, 0.1]
    short = parse_page(PAGE.replace("said " * 12, "said " * 11))
    assert first_words(short, wrapper(BOX)) == {"text"}


def test_what_is_stripped_outside_the_body_stays_outside(model: Model) -> None:
    model.likely, model.chosen = [0.9, 0.9, 0.9], [1, 1, 1]
    rules = wrapper("//aside")
    found = check_selection(rules, rules.select(page()))
    assert found.eaten_by == ()
    assert "side" not in found.selection.text


def test_agreement_is_the_f1_of_the_words_that_both_select(model: Model) -> None:
    # The wrapper selects 32 words, the page model 20 of these: 2 · 20 / (32 + 20).
    found = check_selection(wrapper(), wrapper().select(page()))
    assert found.agreement == pytest.approx(40 / 52)
    assert not found.is_misfit


def test_quality_is_the_expected_f1_by_both_together(model: Model) -> None:
    # Trust 0.99 · 9 / 10 = 0.891, weight 6 · (0.891 - 0.4) = 2.946, odds factor e^2.946 = 19.03.
    # Story: 9 · 19.03 = 171.3 to 1 = 0.99420; box: 19.03 / 9 = 2.1144 to 1 = 0.67891;
    # sidebar: 1 to 9 · 19.03 = 0.00580. Hits 19.8840 + 8.1469 = 28.0309, all 28.1470.
    # F1 2 · 28.0309 / (32 + 28.1470) = 0.93208.
    found = check_selection(wrapper(), wrapper().select(page()))
    assert found.quality == pytest.approx(0.93208, abs=1e-4)


def test_the_page_models_doubts_about_a_quotation_do_not_count(model: Model) -> None:
    # As above, but the second leaf is a quotation: e^2 = 7.389 to 1 by itself, 140.6 to 1 with the
    # wrapper's 19.03 = 0.99294. Hits 19.8840 + 11.9153 = 31.7993, all 31.9153, F1 0.99500.
    quoted = PAGE.replace("<div id=box>", "<blockquote>").replace(
        "</div></div>", "</blockquote></div>"
    )
    found = check_selection(wrapper(), wrapper().select(parse_page(quoted)))
    assert found.quality == pytest.approx(0.99500, abs=1e-4)
    assert found.agreement == 1.0


@pytest.mark.parametrize(("confidence", "is_misfit"), [(0.5, True), (0.99, False)])
def test_the_page_model_wins_over_a_wrapper_that_is_hardly_trusted(
    model: Model, confidence: float, is_misfit: bool
) -> None:
    # The wrapper takes the sidebar. Trust 0.45: weight 0.3, odds factor 1.35. By both the sidebar
    # is 0.13, the story 0.87: 2 · 2.6 / (20 + 21.6) against 2 · 17.4 / (20 + 21.6). Trust 0.891:
    # the sidebar has 2.1 to 1, the story 9 to 19.03.
    found = extract(page(), [wrapper(body="//aside", confidence=confidence)], "page")
    assert found.is_misfit is is_misfit
    assert found.extractor == ("page:page" if is_misfit else "wrapper")
    assert found.wrapper is not None
    assert found.selection.text.startswith("text" if is_misfit else "side")


def test_a_trusted_wrapper_is_checked_on_a_share_of_its_pages(model: Model) -> None:
    urls = [f"https://harbour.example/{number}" for number in range(400)]
    found = [extract(parse_page(PAGE, url=url), [wrapper()], "page") for url in urls]
    checked = sum(it.agreement is not None for it in found)
    assert 0.5 < checked / (400 / CHECKED_SHARE) < 1.5
    always = extract(parse_page(PAGE), [wrapper()], "page", always_check=True)
    assert always.agreement is not None


def test_an_unchecked_page_has_the_quality_that_its_wrapper_has(model: Model) -> None:
    assert extract(page(), [wrapper()], None).quality == 0.99
    by_hand = Wrapper("s", "by hand", "portable", (STORY,))
    assert extract(page(), [by_hand], "page").quality is None


def test_a_page_without_wrappers_has_the_quality_of_the_page_models_choice(model: Model) -> None:
    # 2 · 18 / (20 + 18 + 1.2 + 2) by the probabilities alone.
    assert extract(page(), [], "page").quality == pytest.approx(36 / 41.2)
    assert extract(page(), [], "bte").quality is None
