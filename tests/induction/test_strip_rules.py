"""Which locators may be strip rules; "kept" is content, "again" repeats on the siblings."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.induction.fitting import Fit
from forest_crawler.induction.scored_page import LeafEvidence, ScoredPage
from forest_crawler.induction.sibling_evidence import count_words
from forest_crawler.induction.strip_rules import explain_strip, may_strip, strip_cost
from forest_crawler.induction.tally import Tally
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.division import divide_blocks
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import read_xpath

STORY = read_xpath("//div[@id='story']")


def tally_of(story: str) -> Tally:
    tree = parse_page(f"<p>menu</p><div id=story>{story}</div>")
    texts = tree.outline.leaf_texts
    chances = np.array([0.9 if "kept" in text else 0.1 for text in texts])
    evidence = LeafEvidence(
        chances,
        np.array(["again" in text for text in texts]),
        divide_blocks(tree).starts.tolist(),
        chances > 0.5,
        chances,
    )
    page = ScoredPage(PageNames(tree.outline), count_words(tree), evidence)
    mask = page.mask(Fit((STORY,)))
    tally = Tally(page, mask, float(page.words[mask].sum()), float(page.hits[mask].sum()))
    tally.watch(mask)
    return tally


@pytest.mark.parametrize(
    ("story", "xpath", "expected"),
    [
        ("<p>kept</p><div class=share>other</div>", "//div[@class='share']", True),
        ("<p>kept</p><p id=ad>other</p>", "//p[@id='ad']", True),
        ("<p>kept</p><a>again</a>", "//div[@id='story']/a", False),
        ("<p>kept</p><span>again</span>", "//div[@id='story']//span", False),
        ("<p>kept</p><ul>other</ul>", "//ul", False),
        ("<p>kept</p><ul>again</ul>", "//ul", True),
        ("<p>kept</p><ul>again</ul><ul>other</ul>", "//ul", False),
        ("<p>kept</p><figure>other</figure>", "//figure", False),
        ("<p>kept</p><aside>again <a>other</a></aside>", "//div[@id='story']//aside", True),
        ("<p>kept</p><aside>again <b>other</b></aside>", "//div[@id='story']//aside", False),
        ("<p>kept</p><ul>again <a>other</a></ul>", "//ul", False),
        ("<p>kept</p><font face=arial>again</font>", "//font[@face='arial']", False),
        ("<table width=90><td>other</table><p>kept</p>", "//table[@width='90']", False),
    ],
    ids=[
        "a-class",
        "an-id",
        "a-bare-link",
        "a-bare-span",
        "a-bare-list-with-text-of-its-own",
        "a-bare-list-of-template",
        "one-of-two-bare-lists-is-template",
        "a-bare-figure",
        "a-tag-that-names-itself-with-links",
        "a-tag-that-names-itself-with-text-of-its-own",
        "a-bare-list-of-links",
        "a-bare-inline-tag-by-its-looks",
        "a-table-by-its-width",
    ],
)
def test_a_strip_rule_says_what_it_strips(story: str, xpath: str, expected: bool) -> None:
    xpath = xpath.replace(
        "@class='share'", "contains(concat(' ',normalize-space(@class),' '),' share ')"
    )
    assert may_strip(read_xpath(xpath), [tally_of("<p>kept</p>"), tally_of(story)]) is expected


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("<figure id=x>other</figure>", False),
        ("<div id=x><img><figcaption>other</figcaption></div>", False),
        ("<div id=x><pre>other</pre></div>", False),
        ("<blockquote id=x>other</blockquote>", False),
        ("<figure id=x>again</figure>", True),
        ("<div id=x>some other text<figcaption>other</figcaption></div>", True),
    ],
    ids=["figure", "caption", "code", "quotation", "repeated", "mostly-something-else"],
)
def test_own_text_of_pictures_quotations_and_code_is_kept(story: str, expected: bool) -> None:
    tag = story[1:].split()[0]
    rule = read_xpath(f"//{tag}[@id='x']")
    assert may_strip(rule, [tally_of(f"<p>kept</p>{story}")]) is expected


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("<figure><div id=x><img>again</div>kept</figure>", False),
        ("<figure><div id=x><p><picture></picture></p>again</div>kept</figure>", False),
        ("<figure><div id=x><img>again</div></figure>", True),
        ("<figure><img><div id=x>again</div></figure>", True),
        ("<div id=x><figure><img>again</figure></div>", True),
        ("<div id=x><img>again</div>", True),
    ],
    ids=["picture", "deep", "all-text-of-the-figure", "beside", "whole-figure", "no-figure"],
)
def test_no_picture_is_taken_out_of_its_figure(story: str, expected: bool) -> None:
    assert may_strip(read_xpath("//div[@id='x']"), [tally_of(f"<p>kept</p>{story}")]) is expected


@pytest.mark.parametrize(
    ("stories", "expected"),
    [
        (["<p id=p_40>other</p>", "<p id=p_40>other</p>"], True),
        (["<p id=p_40>other</p>", "<p>kept</p>"], False),
        (["<p id=p_40>other</p>", "<p id=p_40></p>"], False),
        (["<p id=p_39>kept</p><p id=p_40>other</p><p id=p_41>kept</p>"] * 2, False),
        (["<p id=p_40>other</p><div id=p_41>kept</div><div id=p_42>kept</div>"] * 2, True),
    ],
    ids=["on-two-pages", "on-one-page", "empty-on-the-other", "one-of-a-row", "other-tags"],
)
def test_a_number_that_counts_is_not_a_name(stories: list[str], expected: bool) -> None:
    rule = read_xpath("//p[@id='p_40']")
    assert may_strip(rule, [tally_of(story) for story in stories]) is expected


def test_a_name_costs_less_than_a_bare_tag_that_may_be_refused() -> None:
    bare, named, built = (
        read_xpath(f"//div[@id='story']{step}")
        for step in ("//div", "//div[@data-slot='3']", "//div[@data-slot='css-1a2b3c']")
    )
    assert strip_cost(named) < strip_cost(bare) < strip_cost(built)


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("<p>kept before <i id=note>other</i> kept after</p>", False),
        ("<p>kept before <b>kept <i id=note>other</i></b> kept after</p>", False),
        ("<p>kept before <i id=note>other</i></p><p>kept after</p>", True),
        ("<p><i id=note>other</i> kept after</p>", True),
        ("<p>kept<br><i id=note>other</i><br>kept</p>", True),
        ("<p>kept – <i id=note>other</i> – </p>", True),
        ("<p>kept before <i id=note></i> kept after</p>", True),
    ],
    ids=["inside", "deep-inside", "at-the-end", "at-the-start", "own-line", "marks", "empty"],
)
def test_no_hole_is_cut_into_a_sentence(story: str, expected: bool) -> None:
    assert may_strip(read_xpath("//i[@id='note']"), [tally_of(story)]) is expected


def test_a_hole_on_one_page_of_the_sample_is_enough() -> None:
    whole = tally_of("<p>kept</p><i id=note>other</i>")
    holed = tally_of("<p>kept <i id=note>other</i> kept</p>")
    rule = read_xpath("//i[@id='note']")
    assert may_strip(rule, [whole, whole])
    assert not may_strip(rule, [whole, holed])


def test_a_strip_rule_says_what_it_takes() -> None:
    # Two pages: 3 and 1 words, of which 0.1 each are probably content.
    tallies = [
        tally_of("<p>kept</p><p id=ad>some other words</p>"),
        tally_of("<p id=ad>other</p>"),
        tally_of("<p>kept</p>"),
    ]
    rule = explain_strip(read_xpath("//p[@id='ad']"), 0.25, tallies)
    assert (rule.pages, rule.words, rule.gain) == (2, 4, 0.25)
    assert rule.other_share == pytest.approx(0.9)
