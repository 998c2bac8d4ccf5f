"""Hidden elements are dropped, except for what readers can see after all."""

from __future__ import annotations

import pytest

from forest_crawler.page.tree import parse_page
from tests.support.trees import tags, text_of


# Ten characters are hidden, more than ten are visible.
@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        "hidden=until-found",
        "aria-hidden=true",
        "style='display:none'",
        "style='color:red; DISPLAY : None !important'",
        "style='visibility:hidden'",
        "style='VISIBILITY: HIDDEN'",
        "style='disPLAY:none'",
    ],
)
def test_hidden_elements_are_dropped_and_the_text_after_them_is_kept(attribute: str) -> None:
    tree = parse_page(f"<p>plainly visible</p><div {attribute}><b>ten</b> hidden</div> too")
    assert tags(tree) == ["body", "p"]
    assert text_of(tree) == "plainly visible too"


# A few are dropped one by one, many in one walk over the page.
@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("unseen", ["<i hidden>x<b hidden>y</b></i>", "<noscript>x</noscript>"])
def test_the_text_between_dropped_elements_stays_in_order(unseen: str, count: int) -> None:
    texts = [f"text {n} visible, " for n in range(count)]
    tree = parse_page(
        f"<div>{unseen}{unseen.join(texts)}{unseen}</div><p>{unseen}below</p>{unseen}"
    )
    assert tags(tree) == ["body", "div", "p"]
    assert [leaf.text for leaf in tree.outline.leaves] == ["".join(texts), "below"]


@pytest.mark.parametrize(
    "attribute",
    ["aria-hidden=false", "style='display:block'", "style='overflow:hidden'", "class=hidden"],
)
def test_elements_that_only_look_hidden_are_kept(attribute: str) -> None:
    tree = parse_page(f"<p>plainly visible</p><div {attribute}>this too</div>")
    assert tags(tree) == ["body", "p", "div"]


def test_a_hidden_element_with_half_of_the_text_is_kept() -> None:
    # 4 of 8 characters: half. The inner one has 1 of 8 and goes.
    tree = parse_page("<p>abcd</p><div hidden>efg<b hidden>h</b></div>")
    assert tags(tree) == ["body", "p", "div"]
    # 4 of 9 is less than half.
    assert tags(parse_page("<p>abcde</p><div hidden>efg<b hidden>h</b></div>")) == ["body", "p"]


@pytest.mark.parametrize(
    "panel",
    [
        '<div class="faq-answer" style="display: none">',
        '<dd class="c-Accordion__panel" hidden>',
        '<div role="tabpanel" aria-hidden="true">',
        '<div id="collapse-2" aria-hidden="true">',
        '<div class="tab-pane" id="nav-profile" aria-hidden="true">',
        '<div class="tabbed" id="silicon-valley" hidden>',
        '<div class="expandable unavailable" hidden>',
    ],
)
def test_panels_that_a_reader_can_open_are_kept(panel: str) -> None:
    tree = parse_page(f"<h2>When does it sail?</h2>{panel}<p>At noon.</p></div><p hidden>gone</p>")
    assert [leaf.text for leaf in tree.outline.leaves] == ["When does it sail?", "At noon."]


@pytest.mark.parametrize(
    "other",
    [
        "<i class=expand-more aria-hidden=true>",
        "<span class=accordion__sign aria-hidden=true>",
        "<div class=navbar-collapse hidden>",
        "<div class='accordion-icon' aria-hidden=true>",
        "<div class=according hidden>",
        "<div class='collapse' id=login-form hidden>",
        "<div class='expandable-ad' hidden>",
        "<div class='collapsed cookie-consent' hidden>",
        "<div class=collapse id=submenu-2 hidden>",
    ],
)
def test_elements_that_only_sound_like_a_panel_are_dropped(other: str) -> None:
    tree = parse_page(f"<h2>When does it sail?</h2>{other}+")
    assert [leaf.text for leaf in tree.outline.leaves] == ["When does it sail?"]
