"""Media are kept beside the tree, which is the same as without them."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.page.media import MediaNode
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath
from tests.support.growth import assert_linear
from tests.support.trees import tags


def urls(media: tuple[MediaNode, ...]) -> list[str]:
    return [node.attributes.get("src", "") for node in media]


@pytest.mark.parametrize(
    ("markup", "tag", "attributes", "sources"),
    [
        pytest.param(
            "<video autoplay src=a.mp4>Your browser is too old</video>",
            "video",
            {"autoplay": "", "src": "a.mp4"},
            (),
            id="video",
        ),
        pytest.param(
            "<video><source src=a.webm><source src=a.mp4><p>Too <b>old</b></video>",
            "video",
            {},
            ("a.webm", "a.mp4"),
            id="video-with-sources",
        ),
        pytest.param(
            "<audio><source data-src=a.mp3>Too old</audio>", "audio", {}, ("a.mp3",), id="audio"
        ),
        pytest.param(
            "<iframe src=/map><p>Too old</p></iframe>", "iframe", {"src": "/map"}, (), id="iframe"
        ),
        pytest.param(
            "<object data=a.pdf><a href=a.pdf>Load it</a></object>",
            "object",
            {"data": "a.pdf"},
            (),
            id="object",
        ),
        pytest.param(
            "<object><param name=quality value=high><param name=Movie value=a.swf>"
            "<embed src=b.swf><noembed>Too old</noembed></object>",
            "object",
            {},
            ("a.swf", "b.swf"),
            id="object-with-parameters",
        ),
        pytest.param("<embed src=a.swf></embed>", "embed", {"src": "a.swf"}, (), id="embed"),
        pytest.param(
            "<amp-video><source src=a.mp4><div fallback>Too old</div></amp-video>",
            "amp-video",
            {},
            ("a.mp4",),
            id="amp-video",
        ),
        pytest.param(
            "<embed src=a.swf><embed src=b.swf>Too old</embed></embed>",
            "embed",
            {"src": "a.swf"},
            (),
            id="embed-in-embed",
        ),
    ],
)
def test_a_medium_is_kept_without_its_text(
    markup: str, tag: str, attributes: dict[str, str], sources: tuple[str, ...]
) -> None:
    tree = parse_page(f"<div>before {markup}after<p>below</p></div>")
    assert tags(tree) == ["body", "div", "p"]
    assert tree.outline.leaf_texts == ["before after", "below"]
    (node,) = tree.media
    assert (node.tag, node.attributes, node.sources) == (tag, attributes, sources)
    assert (node.anchor.tag, node.is_tail, node.offset) == ("div", False, len("before "))


@pytest.mark.parametrize(
    "markup",
    [
        "<svg><foreignObject><iframe src=a></iframe></foreignObject></svg>",
        "<template><video src=a></video></template>",
        "<noscript><iframe src=a></iframe></noscript>",
        "<iframe src=a hidden></iframe>",
        "<div style='display: none'><video src=a></video></div>",
        "<canvas>chart</canvas>",
        "<applet code=a>Too old</applet>",
    ],
)
def test_what_readers_never_see_is_not_a_medium(markup: str) -> None:
    tree = parse_page(f"<p>before {markup}after</p>")
    assert tree.media == ()
    assert "".join(tree.outline.leaf_texts) == "before after"


def test_a_position_is_that_in_the_joined_text() -> None:
    tree = parse_page("<p>ab<embed src=1></embed>cd<embed src=2></embed><b>e</b>f<embed src=3>")
    positions = [(node.anchor.tag, node.is_tail, node.offset) for node in tree.media]
    assert positions == [("p", False, 2), ("p", False, 4), ("b", True, 1)]
    assert [node.parent.tag for node in tree.media] == ["p", "p", "p"]


def test_more_media_than_are_dropped_one_by_one_have_their_positions() -> None:
    tree = parse_page(f"<p>{'ab<video></video>' * 300}<i></i>{'c<audio></audio>' * 2}")
    assert tree.outline.leaf_texts == ["ab" * 300, "cc"]
    assert [node.offset for node in tree.media] == [*range(2, 601, 2), 1, 2]
    assert [node.is_tail for node in tree.media] == [False] * 300 + [True] * 2


def test_media_in_streamed_fragments_are_where_scripts_put_them() -> None:
    tree = parse_page(
        '<p>a</p><template id="B:0"></template><video src=2></video><p>c</p>'
        '<div hidden id="S:0">b<video src=1></video></div>'
    )
    assert tree.outline.leaf_texts == ["a", "b", "c"]
    assert urls(tree.media) == ["1", "2"]


def test_the_text_in_a_medium_does_not_count_when_hidden_elements_are_measured() -> None:
    # Two of three visible characters are hidden: more than half, so they are the page.
    page = "<p>a</p><div hidden>bc</div><object>{}</object>"
    assert "".join(parse_page(page.format("x" * 100)).outline.leaf_texts) == "abc"


@pytest.mark.parametrize(
    ("path", "stripped", "expected"),
    [
        pytest.param("//body", "//none", ["1", "2", "3"], id="all"),
        pytest.param("//div", "//none", ["1", "2"], id="container"),
        pytest.param("//p", "//none", ["2"], id="paragraph"),
        pytest.param("//body", "//p", ["1", "3"], id="stripped"),
        pytest.param("//b", "//none", [], id="other-element"),
    ],
)
def test_a_selection_has_the_media_in_its_elements(
    path: str, stripped: str, expected: list[str]
) -> None:
    page = "<div><video src=1></video><p>a <b>b</b><video src=2></video></p></div><video src=3>"
    tree = parse_page(page)
    chosen = [ElementPath(it)(tree.html) for it in (path, stripped)]
    assert urls(select_elements(tree, *chosen).media) == expected


@pytest.mark.parametrize(
    ("leaves", "expected"),
    [
        pytest.param([0, 1, 2, 3], ["1", "2", "3", "4"], id="all"),
        pytest.param([0, 1], ["1"], id="between-two-paragraphs"),
        pytest.param([1, 2], ["2"], id="between-a-paragraph-and-a-text"),
        pytest.param([2], [], id="around-a-text"),
        pytest.param([0, 1, 3], ["1", "4"], id="not-after-the-last"),
        pytest.param([1, 3], ["4"], id="in-a-text"),
        pytest.param([], [], id="none"),
    ],
)
def test_chosen_leaves_have_the_media_in_and_between_them(
    leaves: list[int], expected: list[str]
) -> None:
    tree = parse_page(
        "<p>a</p><div><video src=1></video></div><p>b</p><video src=2></video>"
        "<section>c <i><video src=3></video></i><p>d<video src=4></video></p></section>"
    )
    assert urls(select_leaves(tree, leaves).media) == expected


PIECES = st.recursive(
    st.text("ab \n<&日", min_size=1, max_size=6).map(escape) | st.just("<video src=x>no</video>"),
    lambda inner: st.builds(
        lambda tag, parts: f"<{tag}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "section", "b", "span", "blockquote"]),
        st.lists(inner, max_size=4),
    ),
    max_leaves=15,
)


def shape(tree: PageTree) -> tuple[object, ...]:
    outline = tree.outline
    return tags(tree), outline.levels, outline.leaf_texts, outline.leaf_owners, tree.annotated_xml()


@settings(max_examples=100)
@given(st.lists(PIECES, min_size=1, max_size=5).map("".join))
def test_a_page_without_its_media_is_the_same_tree(page: str) -> None:
    tree = parse_page(f"<body>{page}")
    assert shape(tree) == shape(parse_page(f"<body>{page.replace('<video src=x>no</video>', '')}"))
    assert len(tree.media) == page.count("<video")
    for node in tree.media:
        text = node.anchor.tail if node.is_tail else node.anchor.text
        assert 0 <= node.offset <= len(text or "")
    everything = select_elements(tree, [tree.body])
    assert everything.media == tree.media


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<p>a<video src=x></video>" + "a<iframe></iframe>", id="in-one-text"),
        pytest.param("<embed>", id="nested"),
        pytest.param("<div><video></video>", id="ever-deeper"),
        pytest.param("<object><param name=src value=a>", id="of-parameters"),
    ],
)
def test_pages_of_media_take_linear_time(page: str) -> None:
    def select(number: int) -> None:
        tree = parse_page("<p>a</p>" + page * number + "</object></embed><p>b</p>")
        assert select_leaves(tree, range(len(tree.outline.leaf_texts))).media == tree.media

    assert_linear(lambda number: lambda: select(number), 20_000)
