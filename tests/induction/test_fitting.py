"""Fit locators to hand-made sites; a text that begins with "good" is content."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from forest_crawler.induction.fitting import Fit, Fitter, FittingOptions
from forest_crawler.induction.scored_page import LeafEvidence, ScoredPage
from forest_crawler.induction.sibling_evidence import count_words
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper import name_tree
from forest_crawler.wrapper.element_names import NamedElements, PageNames, combine_names
from forest_crawler.wrapper.locators import Locator, Step, write_xpath

GOOD, BAD = 0.95, 0.05
STORY = (Step("//", "div", (("id", "story"),)),)


def good(words: int) -> str:
    return " ".join(["good"] * words)


def bad(words: int) -> str:
    return " ".join(["bad"] * words)


def page_of(html: str, chance: Callable[[str], float] | None = None) -> ScoredPage:
    tree = parse_page(html)
    judge = chance or (lambda text: GOOD if text.split()[0] == "good" else BAD)
    content = np.array([judge(leaf.text) for leaf in tree.outline.leaves], dtype=np.float64)
    return ScoredPage(PageNames(tree.outline), count_words(tree), LeafEvidence.of_leaves(content))


def fit_to(*bodies: str) -> tuple[list[ScoredPage], Fit | None]:
    pages = [page_of(body) for body in bodies]
    return pages, Fitter(pages).fit(pages)


def fitted(*bodies: str) -> Fit:
    fit = fit_to(*bodies)[1]
    assert fit is not None
    return fit


def xpaths(fit: Fit) -> tuple[set[str], set[str]]:
    return set(map(write_xpath, fit.body)), set(map(write_xpath, fit.strip))


def selected(page: ScoredPage, fit: Fit) -> list[str]:
    leaves = page.names.outline.leaves
    return [leaf.text.strip() for leaf, taken in zip(leaves, page.mask(fit), strict=True) if taken]


def has_class(tag: str, token: str) -> str:
    return write_xpath((Step("//", tag, (("class", token),)),))


@pytest.mark.parametrize(
    ("taken", "expected"),
    [
        # 10 words at 0.9 and 5 at 0.2: 9 + 1 = 10 expected words of content on the page.
        pytest.param([True, False], 2 * 9 / (10 + 10), id="the-likely-one"),
        pytest.param([False, True], 2 * 1 / (5 + 10), id="the-unlikely-one"),
        pytest.param([True, True], 2 * 10 / (15 + 10), id="both"),
        pytest.param([False, False], 0, id="nothing"),
    ],
)
def test_expected_f1_weighs_words_by_their_probability(taken: list[bool], expected: float) -> None:
    page = page_of(
        f"<p>{good(10)}</p><p>{bad(5)}</p>", lambda text: 0.9 if text.startswith("good") else 0.2
    )
    assert page.expected_f1(np.array(taken)) == pytest.approx(expected)


def test_expected_f1_of_a_page_without_text_is_zero() -> None:
    page = page_of("<div></div>")
    assert page.expected_f1(np.zeros(0, dtype=np.bool_)) == 0


def test_a_mask_includes_bodies_and_excludes_strips() -> None:
    page = page_of(f"<p>{bad(1)}</p><div id=story><p>{good(3)}</p><i class=ad>{bad(1)}</i></div>")
    fit = Fit((STORY,), ((Step("//", "i", (("class", "ad"),)),),))
    assert page.mask(fit).tolist() == [False, True, False]


def test_the_container_of_the_content_is_the_body() -> None:
    # By its id: 0.5 + 0.6, cheaper than any path to its paragraphs.
    pages = [
        f"<div id=nav>{bad(8)}</div><div id=story><p>{good(n)}</p><p>{good(20)}</p></div>"
        f"<div id=foot>{bad(10)}</div>"
        for n in (30, 40)
    ]
    assert fitted(*pages) == Fit((STORY,))


def test_a_container_with_a_strip_rule_is_preferred_to_all_boxes_in_it() -> None:
    # No name, and no path of children, is common to the boxes. The section as it is has an expected
    # F1 of 2 · 95.1 / (102 + 95.1) = 0.965, stripped 2 · 95 / (100 + 95.1) = 0.974, as the boxes
    # have: 0.3 · 0.974 + 0.7 · 0.965 = 0.968, less 0.001 · 1.1 for its name. `//div` costs 0.0046.
    note = f"<p class=note>{bad(2)}</p>"
    pages = [
        page_of(f"<section id=main>{note}<div>{good(100)}</div></section>"),
        page_of(f"<section id=main>{note}<center><div>{good(100)}</div></center></section>"),
    ]
    loose = Fitter(pages, FittingOptions(loose_body_gain=0)).fit(pages)
    assert loose is not None
    assert xpaths(loose) == ({"//section[@id='main']//div"}, set())
    named = Fitter(pages).fit(pages)
    assert named is not None
    assert xpaths(named) == ({"//section[@id='main']"}, {has_class("p", "note")})


@pytest.mark.parametrize(
    ("attribute", "test"),
    [
        pytest.param("role=article", "@role='article'", id="role"),
        pytest.param("itemprop=articleBody", "@itemprop='articleBody'", id="itemprop"),
        pytest.param("data-testid=body", "@data-testid='body'", id="data-attribute"),
        pytest.param("class=Body_root__x7Kd2", "starts-with(@class,'Body_root__')", id="built"),
        pytest.param(
            "class='Body-sc-1x2y3z-0 css-4d5e6f'", "starts-with(@class,'Body-sc-')", id="styled"
        ),
    ],
)
def test_whatever_names_the_container_of_a_built_page_is_used(attribute: str, test: str) -> None:
    page = (
        "<div id=__next role=main><div class=css-1a2b3c>"
        f"<div class=css-2b3c4d>{bad(3)}</div><div {attribute}>{good(90)}</div>"
        f"<div class=css-3c4d5e>{bad(3)}</div></div></div>"
    )
    assert xpaths(fitted(page, page)) == ({f"//div[{test}]"}, set())


def test_a_title_outside_the_body_is_added_as_a_part() -> None:
    # 55 words of content, 52.25 expected + 2 of 40 bad ones: the story alone has
    # 2 · 47.5 / (50 + 54.25) = 0.911, with the title 2 · 52.25 / (55 + 54.25) = 0.957.
    page = (
        f"<h1 class=headline>{good(5)}</h1><div id=nav>{bad(40)}</div>"
        f"<div id=story><p>{good(50)}</p></div>"
    )
    fit = fitted(page, page)
    assert fit.body == (STORY, (Step("//", "h1", (("class", "headline"),)),))
    assert fit.strip == ()


def test_template_text_outside_the_body_is_not_added_as_a_part() -> None:
    page = f"<h1 class=logo>{bad(5)}</h1><div id=story><p>{good(50)}</p></div>"
    assert fitted(page, page) == Fit((STORY,))


def test_a_share_bar_and_related_links_are_stripped() -> None:
    page = (
        f"<div id=story><ul class=share><li>{bad(3)}</li><li>{bad(3)}</li></ul><h2>{good(9)}</h2>"
        f"<p>{good(40)}</p><blockquote>{good(20)}</blockquote>"
        f"<div class=related><a href=x>{bad(8)}</a></div></div>"
    )
    assert xpaths(fitted(page, page)) == (
        {write_xpath(STORY)},
        {has_class("ul", "share"), has_class("div", "related")},
    )


def test_inline_links_are_kept_even_if_related_links_look_like_them() -> None:
    # All links of that class: 9 bad words and 8 good ones, so their rule would not be pure.
    link = "<a class=link href=x>"
    page = (
        f"<div id=story><p>{good(30)} {link}good inline</a> {good(20)} {link}good within</a></p>"
        f"<p>{good(10)} {link}good third</a> {good(9)} {link}good fourth</a></p>"
        f"<div class=related>{link}{bad(3)}</a> {link}{bad(3)}</a> {link}{bad(3)}</a></div></div>"
    )
    pages, fit = fit_to(page, page)
    assert fit is not None
    texts = selected(pages[0], fit)
    assert {"good inline", "good within", "good third", "good fourth"} <= set(texts)
    assert bad(3) not in texts


def test_no_rule_strips_inline_links_along_with_others() -> None:
    # A rule for all links takes 30 bad words and 20 good ones, 20.5 of 50 expected content: more
    # than two fifths, though F1 would rise from 2 · 96.5 / (130 + 96.5) to 2 · 76 / (80 + 96.5).
    link = "<a class=link href=x>"
    line = f"<p>{link}{bad(10)}</a></p>"
    page = (
        f"<div id=story><p>{good(40)} {link}{good(10)}</a> {good(40)} {link}{good(10)}</a></p>"
        f"{line * 3}</div>"
    )
    assert fitted(page, page) == Fit((STORY,))


def test_sibling_containers_are_selected_together() -> None:
    section = f"<div class=section>{good(20)}</div>"
    page = f"{section}<div class=ad>{bad(30)}</div>{section}{section}<div class=ad>{bad(30)}</div>"
    assert xpaths(fitted(page, page)) == ({has_class("div", "section")}, set())


def test_a_container_with_little_else_in_it_is_preferred_to_its_paragraphs() -> None:
    # By the sample alone the paragraphs win: 2 · 38 / (40 + 38.1) = 0.973 against the container's
    # 2 · 38.1 / (42 + 38.1) = 0.951. A further page's lists and quotes are in the container only.
    html = f"<div id=story><p>{good(40)}</p><span>{bad(2)}</span></div><p>{bad(50)}</p>"
    assert "//div[@id='story']" in xpaths(fitted(html, html))[0]


def test_paragraphs_among_other_things_are_selected_without_a_container() -> None:
    # Each has a fifth of the content, too little to be tried as a body by itself.
    # The whole cell: 2 · 66 / (240 + 66) = 0.43; its paragraphs 2 · 57 / (60 + 66) = 0.90, which is
    # more by far than what a body of bare paragraphs must gain.
    paragraphs = f"<p>{good(12)}</p>" * 5
    page = (
        f"<table><tr><td class=main>{bad(90)}{paragraphs}"
        f"<ul><li>{bad(90)}</li></ul></td></tr></table>"
    )
    pages, fit = fit_to(page, page)
    assert fit is not None
    assert xpaths(fit)[0] == {has_class("td", "main") + "/p"}
    assert selected(pages[0], fit) == [good(12)] * 5


def test_a_container_that_can_be_stripped_is_preferred_to_its_paragraphs() -> None:
    # As above, but what else is in it has names: stripped of these, it loses nothing.
    paragraphs = f"<p>{good(12)}</p>" * 5
    page = (
        f"<div class=entry><div class=bar>{bad(90)}</div>{paragraphs}"
        f"<ol class=comments><li>{bad(90)}</li></ol></div>"
    )
    pages, fit = fit_to(page, page)
    assert fit is not None
    assert xpaths(fit) == (
        {has_class("div", "entry")},
        {has_class("div", "bar"), has_class("ol", "comments")},
    )
    assert selected(pages[0], fit) == [good(12)] * 5


@pytest.mark.parametrize("html", ["<div id=nav>x y z</div>", "<div id=nav></div>"])
def test_nothing_is_fitted_if_nothing_is_content(html: str) -> None:
    pages = [page_of(html, lambda _: 0.0) for _ in range(2)]
    assert Fitter(pages).fit(pages) is None


def test_names_found_on_a_single_page_are_not_used() -> None:
    pages = [
        f"<div id=nav>{bad(9)}</div><div id=post-{n} class=story><p>{good(40)}</p></div>"
        for n in (1, 2, 3)
    ]
    assert xpaths(fitted(*pages)) == ({has_class("div", "story")}, set())


def test_a_part_that_some_pages_lack_is_fitted_to_those_that_have_it() -> None:
    story = f"<div id=nav>{bad(20)}</div><div id=story>{good(40)}</div>"
    titled = f"<h2 class=title>{good(6)}</h2>{story}"
    fit = fitted(titled, story, titled)
    assert xpaths(fit) == ({write_xpath(STORY), has_class("h2", "title")}, set())


def test_the_order_of_pages_makes_no_difference() -> None:
    bodies = [
        f"<h1 class=t>{good(4)}</h1><div id=nav>{bad(9)}</div><div id=story class=s>"
        f"<p>{good(30 + n)}</p><ul class=share><li>{bad(2 + n)}</li></ul><p class=x>{good(n)}</p>"
        f"<div class=more-{n % 2}>{bad(5)}</div></div>"
        for n in (1, 2, 3)
    ]
    fits = {fitted(*order) for order in permutations(bodies)}
    assert len(fits) == 1


def test_the_number_of_elements_tried_does_not_grow_with_nesting_depth(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def count_tries(names: NamedElements, index: int, *rest: Any) -> set[Locator]:
        tried.append(index)
        return combine_names(names, index, *rest)

    monkeypatch.setattr(name_tree, "combine_names", count_tries)

    def tries(depth: int) -> int:
        tried.clear()
        nested = "".join(f"<div class=c{number}x>" for number in range(depth))
        fitted(*[f"{nested}<p>{good(20)}</p>"] * 2)
        return len(tried)

    assert 0 < tries(200) == tries(400)


def test_a_bare_tag_that_is_refused_hides_no_rule_by_an_attribute() -> None:
    story = f"<p>{good(40)}</p><div data-slot=3>{bad(10)}</div><p>{good(40)}</p>"
    fit = fitted(*[f"<p>{bad(5)}</p><div id=story>{story}</div>"] * 3)
    assert xpaths(fit) == ({"//div[@id='story']"}, {"//div[@data-slot='3']"})
