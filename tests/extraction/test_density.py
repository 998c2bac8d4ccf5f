"""Text density: the paper's numbers, and trees counted by hand."""

from __future__ import annotations

import math

import pytest

from forest_crawler.extraction.methods.density import (
    Counts,
    DensitySumExtractor,
    SmoothingExtractor,
    composite_text_density,
    measure_densities,
    text_density,
)
from forest_crawler.extraction.methods.registry import get_extractor
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import Element

CETD_DS = DensitySumExtractor(text_density)
CECTD_DS = DensitySumExtractor(composite_text_density)


def _ids(selection: Selection) -> list[str | None]:
    return [node.get("id") for node in selection.nodes if isinstance(node, Element)]


def _text(length: int) -> str:
    return "x" * length


# The five tags of the paper's example 1, with texts of the lengths that example 2 counts.
EXAMPLE = (
    f"<div id=main><div id=article><div id=articleHeadline>{_text(46)}</div>"
    f"<div id=articleBody>{_text(24)}<a href=/>{_text(15)}</a></div></div></div>"
)


def test_the_text_densities_are_those_of_the_papers_example() -> None:
    densities = measure_densities(parse_page(EXAMPLE).outline, text_density)
    # 85/4, 85/3, 46/1, 39/1, 15/1; no tag counts as one
    assert densities.elements[1:] == pytest.approx([21.25, 28.33, 46, 39, 15], abs=0.005)


def test_blanks_between_and_around_tags_change_no_density() -> None:
    spread = EXAMPLE.replace("<", "\n  <").replace(">", ">\n\t")
    densities = measure_densities(parse_page(spread).outline, text_density)
    assert densities.elements[1:] == pytest.approx([21.25, 28.33, 46, 39, 15], abs=0.005)


@pytest.mark.parametrize(
    ("counts", "link_share", "expected"),
    [
        # 50 · ln(100/20 · 2/1) / ln ln(100/80 · 20 + 0.25 · 100 + e) = 50 · 2.30259 / 1.37751
        pytest.param(Counts(100, 2, 20, 1), 0.25, 83.58, id="Def. 2"),
        # 100 · ln(100/1 · 1/1) / ln ln(0 + 0.25 · 100 + e) = 100 · 4.60517 / 1.200595
        pytest.param(Counts(100, 0, 0, 0), 0.25, 383.57, id="zero denominators count as one"),
        # 10 · ln(30/30 · 3/2) / ln ln(30/1 · 30 + 0.25 · 30 + e) = 10 · 0.40547 / 1.91842
        pytest.param(Counts(30, 3, 30, 2), 0.25, 2.11, id="no characters outside links"),
        pytest.param(Counts(30, 2, 30, 2), 0.25, 0, id="nothing but links"),
        pytest.param(Counts(0, 4, 0, 0), 0.25, 0, id="no text"),
        pytest.param(Counts(100, 3, 0, 0), 0, math.inf, id="a page without links"),
    ],
)
def test_composite_text_density_follows_its_definition(
    counts: Counts, link_share: float, expected: float
) -> None:
    assert composite_text_density(counts, link_share) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("link", "is_link"),
    [
        pytest.param("<a href=/>Subscribe now</a>", True, id="a"),
        pytest.param("<a href=/><b>Subscribe now</b></a>", True, id="in a"),
        pytest.param("<button>Subscribe now</button>", True, id="button"),
        pytest.param("<select><option>One<option>Two</select>", True, id="select"),
        pytest.param("<a name=top>Subscribe now</a>", False, id="a without href"),
        pytest.param("<b>Subscribe now</b>", False, id="b"),
    ],
)
def test_links_buttons_and_drop_down_lists_have_no_density(link: str, is_link: bool) -> None:
    tree = parse_page(f"<div>{link}</div><p>Text and <a href=/>link</a></p>")
    densities = measure_densities(tree.outline, composite_text_density)
    # The div and all in it; the last two elements are the paragraph and its link.
    assert [density == 0 for density in densities.elements[1:-2]] == [is_link] * (
        len(densities.elements) - 3
    )


# nav: 12 characters, 3 tags, density 4, sum 4 + 4 + 4 = 12
# story: 110 and 3: 36.67, sum 40 + 10 + 60 = 110
# foot: 10 and 2: 5, sum 5 + 5 = 10
NAV = "<div id=nav><a href=1>home</a><a href=2>news</a><a href=3>talk</a></div>"
STORY = f"<div id=story><p>{_text(40)}</p><p>{_text(10)}</p><p>{_text(60)}</p></div>"
FOOT = "<div id=foot><a href=4>about</a><span>legal</span></div>"


def test_the_node_of_greatest_density_sum_is_content_with_its_short_paragraph() -> None:
    # body: 132 and 11: 12, sum 4 + 36.67 + 5 = 45.67; so story is the peak, the threshold 12
    # the short paragraph's own density, 10, is below it
    assert _ids(CETD_DS.extract(parse_page(NAV + STORY + FOOT))) == ["story"]


def test_further_blocks_above_the_threshold_are_content_too() -> None:
    # body: 162 and 13, 12.46; second and its paragraph both have the sum 30: the upper is taken
    second = f"<div id=second><p id=inner>{_text(30)}</p></div>"
    assert _ids(CETD_DS.extract(parse_page(NAV + STORY + second + FOOT))) == ["story", "second"]


def test_the_threshold_is_the_lowest_density_on_the_path_to_the_best_block() -> None:
    # column: 140 and 36, 3.89; body: 223 and 40, 5.58; story 36.67, with the greatest sum, 110.
    # With the threshold 5.58 the column would fail, and its second block with it; the heading has 3
    second = f"<div id=second><p>{_text(30)}</p></div>"
    column = f"<div id=column>{STORY}{second}{'<img>' * 30}</div>"
    other = f"<div id=other><p>{_text(80)}</p></div>"
    page = parse_page(f"{column}{other}<h6 id=low>top</h6>")
    assert _ids(CETD_DS.extract(page)) == ["story", "second", "other"]


def test_text_between_child_tags_counts_in_the_density_sum() -> None:
    # mixed: 110 and 3, 36.67, sum 50 + 60 = 110; without its own text that would be 0
    # list: 20 and 2, 10; body: 130 and 7, 18.57, sum 46.67, would then be the greatest
    mixed = f"<div id=mixed>{_text(50)}<br><br><br>{_text(60)}</div>"
    plain = f"<div id=list><p>{_text(10)}</p><p>{_text(10)}</p></div>"
    assert _ids(CETD_DS.extract(parse_page(mixed + plain))) == ["mixed"]


def test_a_page_without_links_is_content_as_a_whole() -> None:
    tree = parse_page(f"<h1>Title</h1>{STORY}<p>Imprint</p>")
    assert CECTD_DS.extract(tree).nodes == (tree.body,)


@pytest.mark.parametrize("links", [NAV, ""], ids=["with links", "without"])
def test_with_threshold_0_everything_is_content(links: str) -> None:
    tree = parse_page(f"{links}{STORY}<span>legal</span>")
    everything = DensitySumExtractor(composite_text_density, threshold_factor=0)
    assert everything.extract(tree).text == Selection(tree, (tree.body,)).text


SMOOTHING = SmoothingExtractor(text_density)


def test_a_short_paragraph_between_long_ones_is_smoothed_into_content() -> None:
    # body: 188 and 11, 17.09. Paragraphs: (2·80 + 4)/3 = 54.67, (80 + 2·4 + 80)/4 = 42, 54.67.
    # links: 4, for all their neighbours have 4
    story = f"<div id=story><p>{_text(80)}</p><p>four</p><p>{_text(80)}</p></div>"
    nav = f"<div id=nav>{'<a href=/>link</a>' * 6}</div>"
    assert _ids(SMOOTHING.extract(parse_page(story + nav))) == ["story"]


def test_a_short_link_within_a_sentence_is_smoothed_into_content() -> None:
    # body: 148 and 9, 16.44. The link: (60 + 2·4 + 60)/4 = 32. Those of nav: 4.
    story = f"<p id=story>{_text(60)}<a href=/>link</a>{_text(60)}</p>"
    nav = f"<div id=nav>{'<a href=/>link</a>' * 6}</div>"
    assert _ids(SMOOTHING.extract(parse_page(story + nav))) == ["story"]


@pytest.mark.parametrize("name", ["cetd-ds", "cectd-s", "cectd-ds"])
def test_an_article_is_distinguished_from_navigation_and_footer(name: str) -> None:
    words = "The ferry came back to the harbour late that night. " * 4
    menu = "".join(f"<li><a href=/{i}>Topic {i}</a></li>" for i in range(20))
    article = f"<div id=story><p>{words}</p><p>It sank.</p><p>{words}</p></div>"
    tree = parse_page(f"<ul>{menu}</ul>{article}<ul>{menu}</ul>")
    extractor = get_extractor(name)
    assert hasattr(extractor, "extract")
    assert _ids(extractor.extract(tree)) == ["story"]


@pytest.mark.parametrize("name", ["cectd-s", "cectd-ds"])
def test_links_alone_are_not_content(name: str) -> None:
    tree = parse_page("<a href=/>home</a><a href=/>news</a>")
    extractor = get_extractor(name)
    assert hasattr(extractor, "extract")
    assert not extractor.extract(tree)
