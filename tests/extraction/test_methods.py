"""Properties of every page-level method; a new method is tested automatically."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cache
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.errors import MissingPackageError
from forest_crawler.extraction.methods.registry import Extractor, extractor_names, get_extractor
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Node
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import Element

NAMES = [name for name in extractor_names() if hasattr(get_extractor(name), "extract")]
QUICK = settings(max_examples=40, deadline=None)
"""Few examples, each run through all methods: making a page costs more than extracting it."""


@dataclass(frozen=True)
class Block:
    """An element of a generated page: it contains blocks, or else inline HTML."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    blocks: tuple[Block, ...] = ()
    inline: str = ""

    def render(self, gap: str = "", *, reverse: bool = False) -> str:
        """Write the HTML with a gap at each border of a block, attributes in either order."""
        attributes = self.attributes[::-1] if reverse else self.attributes
        start = f"<{self.tag}" + "".join(f' {name}="{value}"' for name, value in attributes) + ">"
        inner = "".join(block.render(gap, reverse=reverse) + gap for block in self.blocks)
        return f"{start}{gap if inner else ''}{inner}{self.inline}</{self.tag}>"


def as_list_items(block: Block) -> Block:
    """Wrap the children of a `ul` in `li`, so that every parser makes the same tree."""
    if block.tag != "ul":
        return block
    return Block("ul", block.attributes, tuple(Block("li", (), (b,)) for b in block.blocks))


words = st.lists(st.sampled_from("storm over the bay, and A long; text.".split()), min_size=1)
texts = words.map(" ".join) | words.map(lambda few: " ".join(few * 15))  # a line, a paragraph
inlines = st.lists(
    texts | texts.map("<a href='/x'>{}</a>".format) | texts.map("<b>{}</b>".format), max_size=4
).map(" ".join)
attributes = st.fixed_dictionaries(
    {},
    optional={
        "class": st.sampled_from(["story", "nav top", "c12"]),
        "id": st.sampled_from(["main", "i7"]),
        "title": st.just("t"),
    },
).map(lambda chosen: tuple(chosen.items()))
leaf_blocks = st.builds(
    Block, st.sampled_from(["p", "h1", "div", "td"]), attributes, inline=inlines
).map(lambda b: b if b.tag != "td" else Block("table", (), (Block("tr", (), (b,)),)))
blocks = st.recursive(
    leaf_blocks,
    lambda inner: st.builds(
        Block,
        st.sampled_from(["div", "section", "ul"]),
        attributes,
        st.lists(inner, max_size=4).map(tuple),
    ).map(as_list_items),
    max_leaves=12,
)
bodies = st.builds(Block, st.just("body"), st.just(()), st.lists(blocks, max_size=5).map(tuple))


def extractor_of(name: str) -> Extractor:
    """Return the extractor, or skip the test if its package isn't installed."""
    found = cast(Extractor, get_extractor(name))  # NAMES has no other kind
    try:
        found.extract(parse_page("<p>Try.</p>"))
    except MissingPackageError as err:
        pytest.skip(str(err))
    return found


@cache
def installed_extractors() -> list[tuple[str, Extractor]]:
    """Return all extractors whose packages are installed."""
    found = []
    for name in NAMES:
        with contextlib.suppress(pytest.skip.Exception):
            found.append((name, extractor_of(name)))
    return found


def elements_around(node: Node) -> list[Element]:
    """List the ancestors of a node."""
    if not isinstance(node, TextLeaf):
        return list(node.iterancestors())
    above = list(node.element.iterancestors())
    return above if node.is_tail else [node.element, *above]


@pytest.fixture(scope="module")
def flat_tree() -> PageTree:
    return parse_page("<body>" + ("<p>some words</p>" + "<img>" * 4) * 20_000 + "</body>")


@pytest.fixture(scope="module")
def deep_tree() -> PageTree:
    return parse_page("<body>" + "<div>a few words " * 2_000)


@QUICK
@given(body=bodies)
def test_selected_nodes_belong_to_the_tree(body: Block) -> None:
    tree = parse_page(body.render())
    known = set(tree.outline.elements) | set(tree.outline.leaves)
    for name, extractor in installed_extractors():
        assert set(extractor.extract(tree).nodes) <= known, name


@QUICK
@given(body=bodies)
def test_no_selected_node_lies_inside_another(body: Block) -> None:
    tree = parse_page(body.render())
    for name, extractor in installed_extractors():
        nodes = extractor.extract(tree).nodes
        assert len(set(nodes)) == len(nodes), name
        for node in nodes:
            assert not set(elements_around(node)) & set(nodes), name


@QUICK
@given(body=bodies)
def test_the_order_of_attributes_does_not_matter(body: Block) -> None:
    one, other = (parse_page(body.render(reverse=reverse)) for reverse in (False, True))
    for name, extractor in installed_extractors():
        assert extractor.extract(one).text == extractor.extract(other).text, name


@QUICK
@given(body=bodies)
def test_blanks_between_blocks_do_not_matter(body: Block) -> None:
    one, other = (parse_page(body.render(gap)) for gap in ("", "\n\t "))
    for name, extractor in installed_extractors():
        assert extractor.extract(one).text == extractor.extract(other).text, name


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<body></body>", id="empty-body"),
        pytest.param("<body> \n <div><p> </p><img src=x></div></body>", id="no-text"),
        pytest.param("<body><script>var x = 'text';</script></body>", id="only-a-script"),
    ],
)
def test_a_page_without_text_gives_an_empty_selection(name: str, html: str) -> None:
    selection = extractor_of(name).extract(parse_page(html))
    assert not selection
    assert selection.text == ""


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_one_text_gives_that_text_or_nothing(name: str) -> None:
    assert extractor_of(name).extract(parse_page("Only text")).text in ("Only text", "")


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_a_hundred_thousand_flat_elements_is_extracted(
    name: str, flat_tree: PageTree
) -> None:
    found = extractor_of(name).extract(flat_tree).text
    assert set(found.split("\n")) <= {"some words", ""}


@pytest.mark.parametrize("name", NAMES)
def test_a_page_of_two_thousand_levels_is_extracted(name: str, deep_tree: PageTree) -> None:
    found = extractor_of(name).extract(deep_tree).text
    assert set(found.split()) <= {"a", "few", "words"}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "hiding",
    [
        "style='display:none'",
        "style='color:red; DISPLAY : none'",
        "style='visibility:hidden'",
        "style='visibility: collapse'",
        "hidden",
        "aria-hidden=true",
    ],
)
def test_hidden_text_is_never_selected(name: str, hiding: str) -> None:
    long = "Here is a sentence that a reader sees, with quite a number of words in it. " * 6
    menu = "<li><a href=/>Menu item</a></li>" * 8
    hidden = f"<div {hiding}><p>Secret. {long}</p></div>"
    page = f"<body><ul>{menu}</ul><div><p>{long}</p>{hidden}<p>{long}</p></div></body>"
    selection = extractor_of(name).extract(parse_page(page))
    assert "Secret" not in selection.text
    assert "Secret" not in selection.html
