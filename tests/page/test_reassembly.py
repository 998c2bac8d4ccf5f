"""Misplaced and streamed nodes move to where browsers render them."""

from __future__ import annotations

import pytest

from forest_crawler.page.tree import parse_page
from tests.support.trees import assert_consistent


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<html><body><p>One</p></body></html><p>Two</p>", id="after-html"),
        pytest.param("<html><body><p>One</p></body><p>Two</p></html>", id="after-body"),
        pytest.param("<html><body><p>One</p></body>Two</html>", id="text-after-body"),
        pytest.param("<html><body>One</body><div><p>Two</p></div>", id="page-never-closed"),
        pytest.param("<body><p>One</BODY></HTML\n><p>Two</BODY></HTML>", id="upper-case"),
        pytest.param("<mbox><p>One</p></body><p>Two</p>", id="body-never-opened"),
        pytest.param(
            "<html><body><div><p>One</body></html><html><head><title>T</title></head>"
            "<body class=b><p>Two</p></body></html>",
            id="two-pages",
        ),
        pytest.param("<html x.jpg' alt=a /><body><p>One<p>Two</body></html>", id="closed-root"),
    ],
)
def test_a_page_continues_after_its_end_tag(page: str) -> None:
    tree = parse_page(page)
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two"]
    assert {"html", "head", "body"}.isdisjoint(e.tag for e in tree.outline.elements[1:])
    assert_consistent(tree)


def test_the_first_of_several_pages_declares_the_language() -> None:
    page = "<html xml:lang=de><body>Eins</body></html><html lang=en><body>Two</body></html>"
    assert parse_page(page).language == "de"


def test_metadata_after_the_end_of_the_body_is_read() -> None:
    tree = parse_page(
        "<html><body><p>One</p></body><head><title>T</title></head><meta name=a>two</html>"
        "<html lang=de-AT><head><title>U</title><meta name=c></head><body><noscript>Allow scripts"
        '</noscript><p>three</p><script type="application/ld+json">{}</script></body></html>'
    )
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "two", "three"]
    assert [title.text for title in tree.html.findall("head/title")] == ["T", "U"]
    assert [meta.get("name") for meta in tree.html.findall("head/meta")] == ["a", "c"]
    assert tree.structured == ("{}",)
    assert tree.language == "de"
    assert tree.html.getnext() is None  # so that no XPath leads out of the page


def test_an_end_tag_in_a_script_or_before_a_comment_changes_nothing() -> None:
    page = "<body><script>write('</body></html>')</script><p>One</p></body></html><!-- 0.2 s -->"
    assert [leaf.text for leaf in parse_page(page).outline.leaves] == ["One"]


def test_content_in_the_head_moves_to_the_start_of_the_body() -> None:
    # Browsers end the head at the first element that does not belong there.
    tree = parse_page(
        "<head><title>T</title><mbox><p>One</p></mbox><p>Two</head><body>Three</body>"
    )
    assert [leaf.text.strip() for leaf in tree.outline.leaves] == ["One", "Two", "Three"]
    assert tree.html.findtext("head/title") == "T"


def test_streamed_fragments_move_to_where_a_script_would_put_them() -> None:
    tree = parse_page(
        '<body><h1>Ferry</h1><div><template id="B:0"></template><i>Loading</i></div><footer>End'
        '</footer><div hidden id="S:0"><p>Returns</p><template id="P:1"></template><p>today</p>'
        '</div>!<script>$RC("B:0","S:0")</script><div hidden id="S:1"><p>to the pier</p></div>'
        '<div hidden id="S:7"><p>without a slot</p></div><p hidden>never</p></body>'
    )
    texts = [leaf.text for leaf in tree.outline.leaves]
    streamed = ["Returns", "to the pier", "today"]
    assert texts == ["Ferry", *streamed, "Loading", "End", "!", "without a slot"]


@pytest.mark.parametrize(
    "fragments",
    [
        pytest.param('<div hidden id="S:0">Two<template id="B:0"></template></div>', id="own"),
        pytest.param(
            '<template><template id="B:0"></template></template><div hidden id="S:0">Two</div>',
            id="dropped",
        ),
    ],
)
def test_a_fragment_stays_if_its_slot_is_not_usable(fragments: str) -> None:
    tree = parse_page("<p>One</p>" + fragments)
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two"]


def test_scripts_say_which_fragment_goes_where() -> None:
    # React numbers slots and fragments independently.
    tree = parse_page(
        '<main>One<template id="P:0"></template></main><footer><template id="B:0"></template>End'
        '</footer><div hidden id="S:0">Two</div><script>$RS("S:0","P:0")</script>'
        '<div hidden id="S:1">Three</div><script>$RC("B:0","S:1")</script>'
    )
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two", "Three", "End"]


def test_a_hidden_element_whose_id_has_no_number_stays_hidden() -> None:
    tree = parse_page('<p>One of two</p><div hidden id="S:settings">Two</div>')
    assert [leaf.text for leaf in tree.outline.leaves] == ["One of two"]


def test_nested_fragments_do_not_exceed_the_bound_on_depth() -> None:
    fragments = (
        f'<div hidden id="S:{i:x}">{"<b>" * 100}<template id="P:{i + 1:x}"></template>'
        f"{'</b>' * 100}</div>"
        for i in range(60)
    )
    tree = parse_page("<p>One</p>" + "".join(fragments))
    assert max(tree.outline.levels) < 500


def test_fragments_may_have_their_slots_in_each_other() -> None:
    tree = parse_page(
        '<p>One</p><div hidden id="S:0">Two<template id="P:1"></template></div>'
        '<div hidden id="S:1">Three<template id="P:0"></template></div>'
    )
    assert sorted(leaf.text for leaf in tree.outline.leaves) == ["One", "Three", "Two"]
