"""The paper's method: a three-page site worked by hand, every option, and hard samples."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from html import escape

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction import Induction, PaperMethod, SamplePage, explain_induction, induce
from forest_crawler.induction.paper.patterns import ElementType, StructuralPattern
from forest_crawler.induction.paper.ranking import Measure, RankingOptions
from forest_crawler.page.tree import PageTree, parse_page

# The site. Without a language, terms are the words themselves:
#
#   dfs  level                    terms                 x  y
#    1    1   body                                      6  4
#    2    2     ul
#    3    3       li              home news
#    4    2     div.story-1                             5  1
#    5    3       h1              A B                   2  0
#    6    3       p               A A B today           3  1
#    7    2     p                 about A               1  1
#
# A and B are the page's own two words. The third page has a second li, which moves all elements
# after it by one: div 5, h1 6, p 7, p 8.
#
# Signifiers (k = 2): idf of own words ln(3/1) = 1.0986, of common ones ln(3/3) = 0;
#   A 4 · 1.0986 = 4.3944, B 2 · 1.0986 = 2.1972, the others 0: so A and B, on every page.
#   X = 6, Y = 4: ln 10 - ln 6 = 0.5108 for a signifier, ln 10 - ln 4 = 0.9163 for another term.
#
#          J                                               U                        I
#   body   (6.5 - sqrt(6.5 · 4.5 / 10)) / 11 = 0.4354      6 · 0.5108 + 4 · 0.9163  2.9305
#                                                          = 6.7301
#   div    (5.5 - sqrt(5.5 · 1.5 / 6)) / 7   = 0.6182      5 · 0.5108 + 0.9163      2.1454
#                                                          = 3.4704
#   h1     (2.5 - sqrt(2.5 · 0.5 / 2)) / 3   = 0.5698      2 · 0.5108 = 1.0217      0.5821
#   p 6    (3.5 - sqrt(3.5 · 1.5 / 4)) / 5   = 0.4709      3 · 0.5108 + 0.9163      1.1531
#                                                          = 2.4488
#   p 7    (1.5 - sqrt(1.5 · 1.5 / 2)) / 3   = 0.1464      0.5108 + 0.9163 = 1.4271 0.2090
TOPICS = [("ferry", "pier"), ("bakery", "oven"), ("museum", "vase")]
MENUS = ["<li>home news", "<li>home news", "<li>home<li>news"]
PAGE = (
    "<html lang=xx><ul>{menu}</ul><div class='story-{number} wide'><h1>{a} {b}</h1>"
    "<p>{a} {a} {b} today</p></div><p>about {a}</p>"
)


def hand_site() -> list[PageTree]:
    return [
        parse_page(PAGE.format(menu=menu, number=number, a=a, b=b))
        for number, (menu, (a, b)) in enumerate(zip(MENUS, TOPICS, strict=True), 1)
    ]


def explain(
    pages: Sequence[SamplePage | PageTree] | None = None,
    *,
    k: int = 2,
    tolerant: bool = True,
    ranking: RankingOptions | None = None,
) -> Induction:
    options = PaperMethod(k=k, tolerant=tolerant, ranking=ranking or RankingOptions())
    return explain_induction(pages or hand_site(), method="forest-paper", options=options)


def pattern(tag: str, level: int, dfs: int | None = None) -> StructuralPattern:
    attributes = () if dfs else (("class", "story-"),)
    return StructuralPattern(ElementType(tag, attributes, dfs), level)


# If every word of a page were a signifier, nothing would be unexpected: U = 0.
ONE_WORD = PaperMethod(k=1)
STORY = pattern("div", 2)
STORY_XPATH = "//div[contains(@class,'story-') and (@dfs='4' or @dfs='5')]"


def test_each_pages_own_words_are_its_signifiers() -> None:
    assert [tuple(page.signifiers.weights) for page in explain().pages] == TOPICS
    assert [(page.x, page.y) for page in explain().pages] == [(6, 4)] * 3


@pytest.mark.parametrize(
    ("wanted", "positions", "j", "u", "score"),
    [
        pytest.param(pattern("body", 1, 1), [1, 1, 1], 0.4354, 6.7301, 2.9305, id="body"),
        pytest.param(STORY, [4, 4, 5], 0.6182, 3.4704, 2.1454, id="story"),
        pytest.param(pattern("h1", 3, 5), [5, 5], 0.5698, 1.0217, 0.5821, id="h1-twice"),
        pytest.param(pattern("h1", 3, 6), [6], 0.5698, 1.0217, 0.5821, id="h1-once"),
        pytest.param(pattern("p", 3, 6), [6, 6], 0.4709, 2.4488, 1.1531, id="text-twice"),
        pytest.param(pattern("p", 3, 7), [7], 0.4709, 2.4488, 1.1531, id="text-once"),
        pytest.param(pattern("p", 2, 7), [7, 7], 0.1464, 1.4271, 0.2090, id="footer-twice"),
        pytest.param(pattern("p", 2, 8), [8], 0.1464, 1.4271, 0.2090, id="footer-once"),
    ],
)
def test_density_unexpectedness_and_informativeness_equal_the_hand_worked(
    wanted: StructuralPattern, positions: list[int], j: float, u: float, score: float
) -> None:
    (found,) = [ranked for ranked in explain().ranked if ranked.pattern == wanted]
    assert [rated.occurrence.dfs for rated in found.occurrences] == positions
    for rated in found.occurrences:
        assert (rated.j, rated.u, rated.score) == pytest.approx((j, u, score), abs=1e-3)


def test_patterns_are_ranked_by_relevance() -> None:
    # R = sum of I · pages · level
    expected = {
        STORY: 38.617,  # 3 · 2.1454 · 3 · 2
        pattern("body", 1, 1): 26.375,  # 3 · 2.9305 · 3 · 1
        pattern("p", 3, 6): 13.837,  # 2 · 1.1531 · 2 · 3
        pattern("h1", 3, 5): 6.986,  # 2 · 0.5821 · 2 · 3
        pattern("p", 3, 7): 3.459,  # 1 · 1.1531 · 1 · 3
        pattern("h1", 3, 6): 1.746,  # 1 · 0.5821 · 1 · 3
        pattern("p", 2, 7): 1.672,  # 2 · 0.2090 · 2 · 2
        pattern("p", 2, 8): 0.418,  # 1 · 0.2090 · 1 · 2
    }
    found = {ranked.pattern: ranked.relevance for ranked in explain().ranked}
    assert list(found) == list(expected)
    assert found == pytest.approx(expected, abs=1e-3)


def test_the_best_pattern_gives_the_generic_wrapper() -> None:
    (wrapper,) = explain().wrappers
    assert wrapper.body == (STORY_XPATH,)
    assert (wrapper.form, wrapper.support, wrapper.pages) == ("dfs", 3, 3)
    assert wrapper.relevance == pytest.approx(38.617, abs=1e-3)
    assert [wrapper.select(tree).text for tree in hand_site()] == [
        "ferry pier\nferry ferry pier today",
        "bakery oven\nbakery bakery oven today",
        "museum vase\nmuseum museum vase today",
    ]


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        # J: 0.6182 · 3 · 3 · 2
        pytest.param("J", 11.128, id="density-alone"),
        # U: 3.4704 · 3 · 3 · 2
        pytest.param("U", 62.467, id="unexpectedness-alone"),
        # weights 4.3944 and 2.1972 over their norm 4.9131: 0.8944 and 0.4472;
        # Cov (0.8944 + 0.4472) / 2 = 0.6708, · 3 · 3 · 2
        pytest.param("coverage", 12.075, id="coverage"),
    ],
)
def test_relevance_uses_the_chosen_measure(measure: Measure, expected: float) -> None:
    best = explain(ranking=RankingOptions(measure=measure)).ranked[0]
    assert best.pattern == STORY
    assert best.relevance == pytest.approx(expected, abs=1e-3)


def test_without_the_level_factor_density_ranks_the_story_first_and_unexpectedness_body() -> None:
    # J: div 0.6182 · 3 · 3 = 5.564, body 0.4354 · 3 · 3 = 3.919, h1 0.5698 · 2 · 2 = 2.279
    # U: body 6.7301 · 3 · 3 = 60.571, div 3.4704 · 3 · 3 = 31.234
    by_density = explain(ranking=RankingOptions(measure="J", level_factor=False)).ranked[0]
    assert (by_density.pattern, round(by_density.relevance, 2)) == (STORY, 5.56)
    by_surprise = explain(ranking=RankingOptions(measure="U", level_factor=False)).ranked[0]
    assert (by_surprise.pattern, round(by_surprise.relevance, 2)) == (pattern("body", 1, 1), 60.57)


def test_without_the_level_factor_body_is_ranked_first() -> None:
    # body 3 · 2.9305 · 3 = 26.375, div 3 · 2.1454 · 3 = 19.309
    found = explain(ranking=RankingOptions(level_factor=False))
    assert found.wrappers[0].body == ("//body[@dfs='1']",)
    assert found.ranked[1].relevance == pytest.approx(19.309, abs=1e-3)


def test_without_the_frequency_factor_relevance_is_not_multiplied_by_pages() -> None:
    # div 3 · 2.1454 · 2 = 12.872, not 38.617
    best = explain(ranking=RankingOptions(frequency_factor=False)).ranked[0]
    assert best.pattern == STORY
    assert best.relevance == pytest.approx(12.872, abs=1e-3)


def test_without_the_tolerant_form_numbered_classes_are_different_patterns() -> None:
    # three patterns of one page each: 2.1454 · 1 · 2 = 4.291, and body's 26.375 wins
    found = explain(tolerant=False)
    assert found.wrappers[0].body == ("//body[@dfs='1']",)
    stories = [r for r in found.ranked if r.pattern.type.tag == "div"]
    assert [r.pattern.type.attributes[0][1] for r in stories] == [
        "story-1 wide",
        "story-2 wide",
        "story-3 wide",
    ]
    assert [r.relevance for r in stories] == pytest.approx([4.291] * 3, abs=1e-3)


def test_fewer_signifiers_change_every_count() -> None:
    # k = 1: A alone, X = 4, Y = 6. div: x = 3, y = 3,
    # J = (3.5 - sqrt(3.5 · 3.5 / 6)) / 7 = 0.2959, U = 3 ln(10/4) + 3 ln(10/6) = 4.2813,
    # I = 1.2667, R = 3 · 1.2667 · 3 · 2
    found = explain(k=1)
    assert [tuple(page.signifiers.weights) for page in found.pages] == [(a,) for a, _ in TOPICS]
    assert found.ranked[0].pattern == STORY
    assert found.ranked[0].relevance == pytest.approx(22.801, abs=1e-3)


def add_entries(*titles: str | None) -> list[SamplePage]:
    return [
        SamplePage(tree, FeedEntry(title) if title is not None else None)
        for tree, title in zip(hand_site(), titles, strict=True)
    ]


def test_feed_entries_can_give_the_signifiers() -> None:
    # B alone: X = 2, Y = 8. div: x = 2, y = 4, J = (2.5 - sqrt(2.5 · 4.5 / 6)) / 7 = 0.1615,
    # U = 2 ln(10/2) + 4 ln(10/8) = 4.1114, I = 0.6641, R = 3 · 0.6641 · 3 · 2
    options = PaperMethod(signifiers="feeds", count_copies=True)
    found = explain_induction(add_entries("Pier", "Oven", "Vase"), options=options)
    assert [tuple(page.signifiers.weights) for page in found.pages] == [(b,) for _, b in TOPICS]
    assert found.ranked[0].pattern == STORY
    assert found.ranked[0].relevance == pytest.approx(11.954, abs=1e-3)


def test_signifiers_do_not_count_in_a_copy_of_the_feed_entry() -> None:
    # Half of the h1 "A B" is the entry "B": only the B in the p counts, X = 1, Y = 9.
    # div: x = 1, y = 5, J = (1.5 - sqrt(1.5 · 5.5 / 6)) / 7 = 0.0468,
    # U = 6 ln 10 - 5 ln 9 = 2.8294, I = 0.1323, R = 3 · 0.1323 · 3 · 2
    found = explain_induction(add_entries("Pier", "Oven", "Vase"), method="forest-paper-feeds")
    assert [tuple(page.signifiers.weights) for page in found.pages] == [(b,) for _, b in TOPICS]
    assert found.ranked[0].pattern == STORY
    assert found.ranked[0].relevance == pytest.approx(2.382, abs=1e-3)
    assert found.wrappers[0].method == "forest-paper-feeds"


def test_a_page_without_entry_falls_back_to_tf_idf() -> None:
    found = explain_induction(add_entries("Pier", None, "Vase"), method="forest-paper-feeds")
    pier, oven, vase = (list(page.signifiers.weights) for page in found.pages)
    assert (pier, vase) == (["pier"], ["vase"])
    assert oven[:2] == ["bakery", "oven"]


def test_the_tf_idf_variant_ignores_entries() -> None:
    found = explain(add_entries("Pier", None, "Vase"))
    assert found.wrappers[0].body == (STORY_XPATH,)
    assert found.wrappers == explain(hand_site()).wrappers


def test_coverage_is_a_method_of_its_own() -> None:
    (wrapper,) = induce(hand_site(), method="coverage", site="gazette")
    assert (wrapper.site, wrapper.method, wrapper.body) == ("gazette", "coverage", (STORY_XPATH,))


def test_the_papers_figure_gives_the_papers_xpath() -> None:
    # Figure 3: div.story at dfs 78, 82 and 83, i.e. after body and 76, 80 and 81 other elements.
    pages = [
        parse_page(
            f"<html lang=xx>{'<br>' * count}<div class=story>{word} {word} {word} it</div>it it"
        )
        for count, word in [(76, "ferry"), (80, "bakery"), (81, "museum")]
    ]
    (wrapper,) = induce(pages, method="forest-paper", options=ONE_WORD)
    assert wrapper.body == (
        "//div[contains(@class,'story') and (@dfs='78' or @dfs='82' or @dfs='83')]",
    )


def test_the_most_informative_of_several_elements_is_selected() -> None:
    pages = [
        parse_page(
            f"<html lang=xx><p class=a>menu {word} here</p><p class=a>{word} {word} {word}</p>"
            f"<p class=a>about us {word} or so</p>"
        )
        for word in ("ferry", "bakery", "museum")
    ]
    (wrapper,) = induce(pages, method="forest-paper", options=ONE_WORD)
    # body 1, p 2, p 3, p 4: the second p has three signifiers and nothing else
    assert wrapper.body == ("//p[contains(@class,'a') and @dfs='3']",)


def test_digits_are_removed_from_an_attribute_only_if_the_test_needs_it() -> None:
    pages = [
        parse_page(
            f"<html lang=xx><div id='a{n}b' class='post-{n}'>{word} {word} {word} it</div>it it"
        )
        for n, word in enumerate(("ferry", "bakery", "museum"))
    ]
    (wrapper,) = induce(pages, method="forest-paper", options=ONE_WORD)
    # post-1 contains post-, but a1b does not contain ab
    tests = "contains(@class,'post-') and contains(translate(@id,'0123456789',''),'ab')"
    assert wrapper.body == (f"//div[{tests} and @dfs='2']",)
    assert all(wrapper.select(page) for page in pages)


@pytest.mark.parametrize(
    "attributes",
    ["{x}=1", "{{attrs}}", "{x}y=a1b", "@click=go", "dfs=mine", "level=9", "xml:lang=de"],
)
def test_attributes_with_odd_names_give_a_wrapper_that_matches(attributes: str) -> None:
    pages = [
        parse_page(f"<html lang=xx><div {attributes}>{word} {word} {word} it</div>it it")
        for word in ("ferry", "bakery")
    ]
    (wrapper,) = induce(pages, method="forest-paper", options=ONE_WORD)
    for page in pages:
        assert wrapper.select(page).nodes == (page.outline.elements[1],)


# Values that a page may give a class or an id, surrogates excepted.
ATTRIBUTE_TEXT = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("'\"]|/*= 12"))


@settings(max_examples=40)
@given(ATTRIBUTE_TEXT, ATTRIBUTE_TEXT)
@example("it's", 'say "x"')
@example("both ' and \"", "]|//*")
@example("x' or '1'='1", "\x00\x01\ufffe\x85")
@example("日本 語", " ")
@example("&#1;&#x1f;", "{x}")
def test_the_induced_xpath_selects_exactly_the_element_it_was_induced_for(
    class_value: str, id_value: str
) -> None:
    attributes = f'class="{escape(class_value)}" id="{escape(id_value)}"'
    pages = [
        parse_page(
            f"<html lang=xx><b {attributes}>it</b><div {attributes}>{w} {w} {w} it</div>it it"
        )
        for w in ("ferry", "bakery")
    ]
    (wrapper,) = induce(pages, method="forest-paper", options=ONE_WORD)
    for page in pages:
        assert wrapper.select(page).nodes == (page.outline.elements[2],)


WORDS = st.sampled_from(["ferry", "pier", "oven", "vase", "home", "news", "it"])
BLOCK = st.builds(
    lambda tag, words: f"<{tag}>{' '.join(words)}</{tag.split()[0]}>",
    st.sampled_from(["p", "div class=a", "div class=b", "li"]),
    st.lists(WORDS, max_size=6),
)
SITE = st.lists(st.lists(BLOCK, min_size=1, max_size=4).map("".join), min_size=2, max_size=4)


@settings(max_examples=40)
@given(SITE, st.data(), st.sampled_from(["forest-paper", "coverage"]))
def test_the_order_of_the_pages_does_not_matter(
    sources: list[str], data: st.DataObject, method: str
) -> None:
    pages = [parse_page(f"<html lang=xx><body>{source}") for source in sources]
    order = data.draw(st.permutations(range(len(pages))))
    options = PaperMethod(
        k=2, ranking=RankingOptions(measure="coverage" if method == "coverage" else "JU")
    )
    expected = explain_induction(pages, method=method, options=options)
    found = explain_induction([pages[i] for i in order], method=method, options=options)
    assert [p.signifiers for p in found.pages] == [expected.pages[i].signifiers for i in order]
    assert [(r.pattern, r.relevance) for r in found.ranked] == [
        (r.pattern, r.relevance) for r in expected.ranked
    ]
    assert found.wrappers == expected.wrappers


@pytest.mark.parametrize(
    "page", ["<body><img src=x></body>", "<p>… – !", "<p>12 34"], ids=["no-text", "signs", "digits"]
)
def test_pages_without_words_give_no_wrapper(page: str) -> None:
    assert induce([parse_page(page), parse_page(page)], method="forest-paper") == []


def test_a_page_without_words_does_not_change_the_wrapper() -> None:
    (wrapper,) = explain([*hand_site(), parse_page("<html lang=xx><img src=x>")]).wrappers
    assert wrapper.body == (STORY_XPATH,)
    assert (wrapper.support, wrapper.pages) == (3, 4)


def test_a_sample_whose_every_word_is_a_signifier_gives_no_wrapper() -> None:
    # no word is on two pages and k = 10: Y = 0, so U = N ln X - N ln X = 0 everywhere
    found = explain([parse_page(f"<html lang=xx><p>{a} {b}") for a, b in TOPICS], k=10)
    assert [page.y for page in found.pages] == [0, 0, 0]
    assert {ranked.relevance for ranked in found.ranked} == {0}
    assert found.wrappers == ()


@pytest.mark.parametrize("measure", ["JU", "coverage"])
@pytest.mark.parametrize("depth", [2_000, 100_000])
def test_pages_nested_thousands_of_levels_deep_give_a_wrapper(measure: Measure, depth: int) -> None:
    pages = [
        parse_page(
            f"<html lang=xx><p class=a>{word} {word} it</p>it it {'<div>' * depth}{word}<p>{word}"
        )
        for word in ("ferry", "bakery")
    ]
    options = replace(ONE_WORD, ranking=RankingOptions(measure=measure))
    (wrapper,) = induce(pages, method="forest-paper", options=options)
    for page in pages:
        selection = wrapper.select(page)
        assert selection.text
        assert selection.html
        assert page.annotated_xml()
