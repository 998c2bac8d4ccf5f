"""Wrappers of sites with several templates; a text that begins with "good" is content."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

import numpy as np
import pytest

from forest_crawler.induction import ForestMethod, SamplePage
from forest_crawler.induction.page_groups import group_pages
from forest_crawler.induction.scored_page import LeafEvidence, ScoredPage
from forest_crawler.induction.sibling_evidence import BlockScores, SiblingOptions
from forest_crawler.induction.templates import TemplateOptions
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.wrapper import Wrapper

# Without sibling evidence, expected values follow from the given probabilities: their odds divided
# by those of the page's threshold.
ALONE = SiblingOptions(repetition=False, positions=False, sharpness=1.0)
CHANCES = {"good": 0.9, "bad": 0.1, "menu": 0.02}
_NEXT = count()


def text(first: str, words: int) -> str:
    """Make a text of unique words after a first word that says what they are."""
    return " ".join([first, *(f"w{next(_NEXT)}" for _ in range(words - 1))])


def story_page(words: int = 20) -> str:
    return f"<div id=nav>{text('bad', 5)}</div><div id=story>{text('good', words)}</div>"


def two_templates() -> list[str]:
    """Make twelve pages of one template and two of another, with menus of 200 words.

    The long menus make one body for all pages worse than the story of most. The threshold's odds
    are 18 to 20 + 4 + 0.5, so "good" becomes 0.925 and "menu" 0.027: an ideal strip leaves all
    pages with 2 · 18.5 / (20 + 18.5 + 200 · 0.027) = 0.843, and twelve of fourteen times that is
    0.722.
    """
    stories = [f"<div id=menu>{text('menu', 200)}</div>{story_page()}" for _ in range(12)]
    posts = [
        f"<ul class=menu><li>{text('menu', 200)}</li></ul><p class=post>{text('good', 20)}</p>"
        for _ in range(2)
    ]
    return [posts[0], *stories, posts[1]]


def score_sample(trees: Sequence[PageTree]) -> list[BlockScores]:
    return [score_blocks(tree) for tree in trees]


def score_blocks(tree: PageTree) -> BlockScores:
    outline = tree.outline
    content = [CHANCES[leaf.text.split()[0]] for leaf in outline.leaves]
    bounds = list(range(len(content) + 1))
    return BlockScores(tree, bounds, outline.leaf_owners, np.array(content, dtype=np.float64))


def induce(
    *sources: str, siblings: SiblingOptions = ALONE, options: TemplateOptions | None = None
) -> list[Wrapper]:
    sample = [SamplePage(parse_page(source)) for source in sources]
    method = ForestMethod(
        siblings=siblings, templates=options or TemplateOptions(), score=score_sample
    )
    return list(method.run(sample, "s", "m").wrappers)


def test_a_site_of_one_template_has_one_wrapper() -> None:
    (wrapper,) = induce(story_page(), story_page())
    assert wrapper.body == ("//div[@id='story']",)
    assert (wrapper.site, wrapper.method, wrapper.form) == ("s", "m", "portable")


def test_two_templates_give_two_wrappers_sorted_by_their_pages() -> None:
    post = "//p[contains(concat(' ',normalize-space(@class),' '),' post ')]"
    wrappers = induce(*two_templates())
    assert [(w.body, w.support, w.pages) for w in wrappers] == [
        (("//div[@id='story']",), 12, 14),
        ((post,), 2, 14),
    ]


def side_by_side(pages: int) -> list[str]:
    """Make as many pages of one layout as of another; the menus of both have class names."""
    story = "<div class=top>{}</div><div id=story><h1 class=head>{}</h1><p class=text>{}</div>"
    post = "<ul class=nav><li>{}</ul><article><h2 class=line>{}</h2><div class=post>{}</article>"
    return [
        layout.format(text("menu", 9), text("good", 5), text("good", 20))
        for layout in (story, post)
        for _ in range(pages)
    ]


def test_each_layout_has_its_own_wrapper_even_if_one_would_fit_all() -> None:
    options = TemplateOptions(alike_from=0)
    (joint,) = induce(*side_by_side(3), options=options)
    assert (joint.body, len(joint.strip)) == (("//body",), 2)
    wrappers = induce(*side_by_side(3))
    assert [(w.body, w.strip, w.support) for w in wrappers] == [
        (("//article",), (), 3),
        (("//div[@id='story']",), (), 3),
    ]


def test_a_layout_of_a_single_page_is_not_a_template() -> None:
    stories, post = side_by_side(3)[:3], side_by_side(1)[1]
    assert [w.support for w in induce(*stories, post)] == [3]


def test_another_build_of_a_template_is_not_another_layout() -> None:
    page = "<div id=app><p class=css-{0}a1b2>{1}</p><p class=css-{0}c3d4>{2}</p></div>"
    built = [page.format(it, text("good", 9), text("good", 9)) for it in (1, 1, 2, 2)]
    assert [w.support for w in induce(*built)] == [4]


def test_names_that_few_pages_share_do_not_split_a_template() -> None:
    topics = (
        ["sport football anna"] * 2
        + ["politics election bert", "culture film carla", "politics film dora"]
        + ["culture election emil", "local gala bert", "local moto carla"]
        + ["opinion moto dora", "opinion gala emil"]
    )
    page = "<div class=top>{}</div><div class='story {}'><p>{}</p></div>"
    made = [page.format(text("menu", 9), topic, text("good", 20)) for topic in topics]
    (wrapper,) = induce(*made)
    assert (wrapper.body, wrapper.support) == (
        ("//div[contains(concat(' ',normalize-space(@class),' '),' story ')]",),
        10,
    )


def two_layouts_in_one_body(*boxes: str) -> list[str]:
    """Make three pages of each of two layouts; both have the article in the same element."""
    made = []
    for names, box in zip((("al", "be", "ga"), ("de", "ep", "ze")), boxes, strict=True):
        for _ in range(3):
            paragraphs = [f"<p class={name}>{text('good', 20)}</p>" for name in names]
            made.append(f"<article>{''.join(paragraphs)}{box.format(text('bad', 9))}</article>")
    return made


def test_layouts_with_the_same_body_are_one_template() -> None:
    sources = two_layouts_in_one_body("", "")
    trees = [parse_page(source) for source in sources]
    pages = [
        ScoredPage(PageNames(it.outline), np.ones(3), LeafEvidence.of_leaves(np.ones(3)))
        for it in trees
    ]
    assert [len(group) for group in group_pages(pages, 0.4)] == [3, 3]
    (wrapper,) = induce(*sources)
    assert (wrapper.body, wrapper.support) == (("//article",), 6)


def test_layouts_are_joined_by_pages_in_between() -> None:
    first = "<p class=a>good</p><p class=b>good</p>"
    between = "<p class=b>good</p><p class=c>good</p>"
    third = "<p class=c>good</p><p class=d>good</p>"
    pages = [
        ScoredPage(
            PageNames(parse_page(source).outline), np.ones(2), LeafEvidence.of_leaves(np.ones(2))
        )
        for source in (first, between, third, third, first)
    ]
    # Pages 1 and 5 have the same two names, so have pages 3 and 4. Page 2 shares one name of three
    # with each of them.
    assert [len(group) for group in group_pages(pages, 0.3)] == [5]
    assert sorted(len(group) for group in group_pages(pages, 0.5)) == [1, 2, 2]


def test_confidence_is_the_mean_expected_f1_and_trust_counts_the_pages() -> None:
    # The first page's threshold: the story alone is best, F1 2 · 18 / (20 + 18.5), so its odds are
    # 18 to 20.5. "good" becomes 9 · 20.5 / 18 = 10.25 to 1 = 0.91111, "bad" 20.5 / 162 to 1 =
    # 0.11233: 18.2222 + 0.5616 expected words, F1 2 · 18.2222 / (20 + 18.7839) = 0.93968.
    # The second's odds are 27 to 30.5: 10.1667 to 1 = 0.91045 and 30.5 / 243 to 1 = 0.11152;
    # 27.3134 + 0.5576 expected, F1 2 · 27.3134 / (30 + 27.8710) = 0.94394.
    # (0.93968 + 0.94394) / 2 = 0.94181; with one failed page added, / 3 = 0.62787.
    (wrapper,) = induce(story_page(20), story_page(30))
    assert wrapper.confidence == 0.9418
    assert wrapper.trust == pytest.approx(0.6279, abs=1e-4)


def test_words_is_the_smallest_number_selected_on_a_page() -> None:
    (wrapper,) = induce(story_page(40), story_page(20), story_page(30))
    assert wrapper.words == 20


def test_max_templates_bounds_the_number_of_wrappers() -> None:
    options = TemplateOptions(max_templates=1)
    assert [w.support for w in induce(*two_templates(), options=options)] == [12]


def test_pages_without_text_give_no_wrapper() -> None:
    assert induce("<div id=story></div>", "<div id=story></div>") == []


def test_the_wrapper_selects_the_content() -> None:
    sources = [story_page(), story_page()]
    (wrapper,) = induce(*sources, siblings=SiblingOptions())
    tree = parse_page(sources[0])
    assert wrapper.select(tree).text == tree.outline.leaves[1].text


@pytest.mark.parametrize(
    "sources",
    [
        two_templates(),
        side_by_side(3),
        two_layouts_in_one_body("<div class=share>{}</div>", "<div class=rail>{}</div>"),
    ],
    ids=["few", "equal", "one-body"],
)
def test_the_order_of_pages_makes_no_difference(sources: list[str]) -> None:
    assert induce(*sources) == induce(*sources[::-1]) == induce(*sources[3:], *sources[:3])


@pytest.mark.parametrize(("lead", "kept"), [(0.4, 1), (0.2, 0)])
def test_a_wrapper_that_the_page_model_alone_beats_is_not_kept(lead: float, kept: int) -> None:
    # The story's parts have no name of their own, so the wrapper takes the bad texts along. The
    # page model takes the good ones only. Threshold: 2 · 18 / (20 + 18 + 4) / 2 = 0.43, odds 0.75;
    # good 12 to 1 = 0.923, bad 0.148 to 1 = 0.129: 18.46 + 5.16 expected words. The wrapper's F1
    # is 2 · 23.62 / (60 + 23.62) = 0.565, the page model's 2 · 18.46 / (20 + 23.62) = 0.846.
    page = f"<div id=story>{{}}<br>{text('bad', 40)}</div>"
    sources = [page.format(text("good", 20)) for _ in range(2)]
    options = TemplateOptions(page_lead=lead)
    method = ForestMethod(siblings=ALONE, templates=options, score=score_sample)
    sample = [SamplePage(parse_page(source)) for source in sources]
    assert len(method.run(sample, "s", "m").wrappers) == kept


def test_own_text_of_a_caption_does_not_lower_the_expected_f1() -> None:
    # Ten good words, ten of a caption at 0.1: 2 · (9 + 1) / (20 + 9 + 1) by the page model, and
    # 2 · (9 + 8.8) / (20 + 9 + 8.8) if the caption belongs to the body. A caption that siblings
    # repeat, or one outside the body, stays as unlikely as it was.
    outline = parse_page(
        "<p>Ten words</p><figure><figcaption>ten more</figcaption></figure>"
    ).outline
    words, likely = np.array([10.0, 10.0]), np.array([0.9, 0.1])
    both, first = np.array([True, True]), np.array([True, False])
    page = ScoredPage(PageNames(outline), words, LeafEvidence.of_leaves(likely))
    assert page.expected_f1(both) == pytest.approx(20 / 30)
    assert page.sure_f1(both) == pytest.approx(35.6 / 37.8)
    assert page.sure_f1(first) == pytest.approx(18 / 20)
    again = LeafEvidence.of_leaves(likely, np.array([False, True]))
    assert ScoredPage(PageNames(outline), words, again).sure_f1(both) == pytest.approx(20 / 30)
