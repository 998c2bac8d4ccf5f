"""A page's text blocks: division, measures, features, and the page's statement."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.metadata.statement import read_statement
from forest_crawler.page.tree import parse_page
from forest_crawler.page_model.division import Blocks, divide_blocks
from forest_crawler.page_model.features import Features, compute_features
from forest_crawler.page_model.layout import NOWHERE, Layout, measure_layout
from forest_crawler.page_model.marks import read_marks
from forest_crawler.page_model.vocabulary import CONCEPTS, Markup, find_concepts, read_markup


def blocks_of(html: str) -> Blocks:
    return divide_blocks(parse_page(html))


def layout_of(html: str) -> Layout:
    return measure_layout(blocks_of(html))


def features_of(html: str) -> Features:
    tree = parse_page(html)
    return compute_features(measure_layout(divide_blocks(tree)), read_statement(tree))


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>a <b>b</b> c</p>", ["a b c"], id="inline-tags-separate-nothing"),
        pytest.param("<p>a<br>b</p>", ["a", "b"], id="line-break"),
        pytest.param("<div>a<p>b</p>c</div>", ["a", "b", "c"], id="text-around-a-paragraph"),
        pytest.param("<div>a<hr>b</div>", ["a", "b"], id="empty-block-element"),
        pytest.param("<p>W<i>or</i>d</p>", ["Word"], id="word-split-by-markup"),
        pytest.param("<p> a \n b </p><p> </p>", ["a b"], id="blanks"),
    ],
)
def test_a_block_ends_where_a_block_element_begins_or_ends(html: str, expected: list[str]) -> None:
    assert blocks_of(html).texts == expected


def test_a_block_knows_its_leaves_and_its_element() -> None:
    blocks = blocks_of("<div>a<p>b <i>c</i></p></div>")
    # Elements: body 0, div 1, p 2, i 3. Leaves: a 0, b 1, c 2.
    assert [list(blocks.leaves(i)) for i in range(2)] == [[0], [1, 2]]
    assert blocks.owners.tolist() == [1, 2]


def test_text_deep_in_inline_elements_is_in_the_block_around_them() -> None:
    blocks = blocks_of("<div>a<p><i><b><u><s>b</s></u> c</b></i></p></div>")
    assert (blocks.texts, blocks.owners.tolist()) == (["a", "b c"], [1, 2])


@given(st.text(alphabet="<>/pbdiv br\nab", max_size=60))
def test_every_text_leaf_is_in_exactly_one_block(markup: str) -> None:
    tree = parse_page("<p>x</p>" + markup)
    blocks = divide_blocks(tree)
    found = [leaf for i in range(len(blocks)) for leaf in blocks.leaves(i)]
    assert found == list(range(len(tree.outline.leaves)))


def test_the_share_of_link_text_is_counted_in_characters() -> None:
    # 4 of 10 letters are in the link; the second block is all link, the third has none.
    layout = layout_of("<p>abcdef<a>ghij</a></p><p><a><b>k</b></a></p><p>l</p>")
    assert layout.links.tolist() == [0.4, 1.0, 0.0]


def test_a_concept_is_measured_by_the_share_of_the_nearest_element_with_it() -> None:
    # 8 words: the outer element holds 6, the inner one 2; the last block is in neither.
    layout = layout_of(
        "<div class=comments><p>a b c d</p><div id=comment-1>e f</div></div><p>g h</p>"
    )
    comment = layout.concepts[CONCEPTS.index("comment")]
    assert comment.tolist() == [0.75, 0.25, NOWHERE]
    assert layout.concept_counts[CONCEPTS.index("comment")] == 2


def test_the_nearest_of_two_long_elements_counts() -> None:
    # The outer element holds 40 of 80 words, the inner one 36 of them in 18 blocks.
    inner = "<div id=comment>" + "<p>a b</p>" * 18 + "</div>"
    html = f"<div class=comments><p>a b</p>{inner}<p>a b</p></div>" + "<p>c d</p>" * 20
    expected = [0.5] + [0.45] * 18 + [0.5] + [NOWHERE] * 20
    comment = layout_of(html).concepts[CONCEPTS.index("comment")]
    assert comment.tolist() == pytest.approx(expected)
    around = features_of(html).column("around comment")
    assert around.tolist() == [0.5] * 20 + [NOWHERE] * 20


def test_the_names_of_body_count_for_no_block() -> None:
    layout = layout_of("<body class='comment sidebar'><p>a b</p></body>")
    assert layout.concepts[CONCEPTS.index("comment")].tolist() == [NOWHERE]


@pytest.mark.parametrize(
    ("inline", "is_comment"),
    [
        ("<a class=comments>0</a>The ferry is back", False),
        ("<span class=comment>Great news, thank you!</span> Ann", True),
        ("The ferry is <span class=comment>back</span>", False),
    ],
    ids=["a-counter-before-it", "most-of-it", "a-word-at-its-end"],
)
def test_an_inline_name_is_about_a_block_if_it_holds_most_of_it(
    inline: str, is_comment: bool
) -> None:
    layout = measure_layout(divide_blocks(parse_page(f"<p>{inline}</p>")))
    (share,) = layout.concepts[CONCEPTS.index("comment")].tolist()
    assert (share < NOWHERE) is is_comment


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (Markup("nav"), {"nav"}),
        (Markup("div", class_="Post-Comments"), {"comment", "division", "post"}),
        (Markup("p", class_="advert-box"), {"ad", "p"}),
        (Markup("p", class_="shadow"), {"p"}),
        (Markup("b", itemprop="articleBody"), {"blog", "body", "bold", "content"}),
        (Markup("li", class_="thread-even"), {"list", "post"}),
        (Markup("li", class_="threads"), {"list", "post", "thread"}),
        (Markup("i", class_="subhead"), {"lead"}),
        (Markup("i", class_="sub head", id="ads"), {"ad", "head"}),
    ],
    ids=lambda value: value.tag if isinstance(value, Markup) else "",
)
def test_tags_and_names_have_concepts(markup: Markup, expected: set[str]) -> None:
    assert {CONCEPTS[i] for i in find_concepts(markup)} == expected


def test_elements_with_the_same_names_share_them() -> None:
    markup = read_markup(parse_page("<p class=a>x<p class=b>y<p class=a>z").outline.elements)
    assert [each.markup.class_ for each in markup.meanings] == [None, "a", "b"]
    assert [markup[i].markup.class_ for i in range(4)] == [None, "a", "b", "a"]
    assert markup.has_tag({"p", "div"}).tolist() == [False, True, True, True]


@pytest.mark.parametrize("attribute", ["role", "itemprop"])
def test_roles_and_properties_are_names_too(attribute: str) -> None:
    markup = read_markup(parse_page(f"<p class=a>x<p class=a {attribute}=b>y").outline.elements)
    found = [markup[i].markup._asdict()[attribute] for i in range(3)]
    assert found == [None, None, "b"]


@pytest.mark.parametrize(
    ("text", "punctuation", "sentence"),
    [
        ("Rain, again: at last!", 3, 1),
        ("雨、また。", 2, 1),
        ('He said: "No."', 2, 1),
        ("(see below)", 0, 0),
        ("𝄞, an old sign", 1, 0),  # above all code points of marks
        ('")', 0, 0),
    ],
)
def test_marks_are_counted_in_any_script(text: str, punctuation: int, sentence: int) -> None:
    marks = read_marks(["No", text, "None"])
    assert marks.punctuation.tolist() == [0, punctuation, 0]
    assert marks.sentences.tolist() == [0, sentence, 0]


def test_no_texts_have_no_marks() -> None:
    assert read_marks([]).punctuation.tolist() == []


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<p>a<a>b<b>c</b></a>d</p>", [0.5], id="what-a-link-holds"),
        pytest.param("<p><a>a<button>b</button>c</a>d</p>", [1, 1, 0.5], id="links-in-links"),
        pytest.param("<a>a</a><p>b</p><a>c</a>", [1, 0, 1], id="at-both-ends"),
    ],
)
def test_link_text_is_all_text_inside_a_link(html: str, expected: list[float]) -> None:
    assert layout_of(html).links.tolist() == expected


def test_a_page_states_its_titles_description_text_and_types() -> None:
    body = "The ferry is back. " * 12
    statement = read_statement(
        parse_page(
            "<title>Ferry returns | Bay News</title>"
            "<meta property=og:title content='Ferry returns'>"
            "<meta name=description content='Back at last'><meta property=og:type content=article>"
            f'<script type="application/ld+json">{{"@graph": [{{"@type": ["NewsArticle"],'
            f'"headline": "The Ferry", "articleBody": "{body}"}}]}}</script><p>x</p>'
        )
    )
    assert statement.titles == ("ferry returns | bay news", "ferry returns", "the ferry")
    assert statement.description == "back at last"
    assert statement.body == body.lower()
    assert statement.types == {"newsarticle", "og:article"}


def test_microdata_states_types_too() -> None:
    page = "<div itemscope itemtype='https://schema.org/QAPage http://x.example/Thing'><p>x</div>"
    assert read_statement(parse_page(page)).types == {"qapage", "thing"}


@pytest.mark.parametrize("script", ["{broken", "[" * 100_000, "[1, null, {}]", '{"@type": 7}'])
def test_broken_or_odd_json_states_nothing(script: str) -> None:
    page = f"<script type='application/ld+json'>{script}</script><p>x</p>"
    statement = read_statement(parse_page(page))
    assert (statement.body, statement.types) == ("", frozenset())


def test_a_block_is_compared_with_the_stated_title() -> None:
    features = features_of("<title>Ferry returns - Bay News</title><h1>Ferry returns</h1><p>No</p>")
    # Both words are the title's, of which at most twice as many words count: 2 / max(2, min(5, 4)).
    assert features.column("like title").tolist() == [0.5, 0.0]
    assert features.column("heading").tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in 2012", 1),
        ("at 7:14", 1),
        ("3/12", 1),
        ("١٢:٣٠", 1),
        ("12012", 0),
        ("20123", 0),
        ("2", 0),
    ],
)
def test_dates_and_times_are_found_in_any_language(text: str, expected: int) -> None:
    assert features_of(f"<p>{text}</p>").column("date").tolist() == [expected]


def test_containers_are_measured_upwards_from_each_block() -> None:
    # body holds 4 words, div 3 of them in two blocks, p 1.
    features = features_of("<div><p>a</p><p>b c</p></div><p>d</p>")
    assert features.column("share 0 up")[0] == 0.25
    assert features.column("share 1 up")[0] == 0.75
    assert features.column("words per block 1 up")[0] == 1.5
    assert features.column("share 2 up")[0] == 1
    # The smallest that hold a tenth are the paragraphs, 60 % the div around the first two, or body.
    assert features.column("share of 10%").tolist() == [0.25, 0.5, 0.25]
    assert features.column("share of 60%").tolist() == [0.75, 0.75, 1]
    assert features.column("place in 60%").tolist() == pytest.approx([0, 1 / 2, 2 / 3])


def test_a_page_without_text_has_no_rows() -> None:
    features = features_of("<img>")
    assert features.rows.shape == (0, len(features.columns))


def test_all_pages_have_the_same_columns_and_finite_numbers() -> None:
    pages = ["<p>a", "<img>", "<ul>" + "<li><a>b</a>" * 30, "<title>T</title><pre>" + "c " * 500]
    found = [features_of(page) for page in pages]
    assert len({features.columns for features in found}) == 1
    assert all(np.isfinite(features.rows).all() for features in found)
