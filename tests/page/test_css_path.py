"""CSS paths of nodes: each selects its node alone."""

from __future__ import annotations

import pytest
from cssselect import HTMLTranslator
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.page.css_path import write_css_paths
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("page", "number", "expected"),
    [
        pytest.param("<div><p>a</p></div>", 2, "body > div > p", id="only children"),
        pytest.param("<p>a</p><p>b</p>", 2, "body > p:nth-of-type(2)", id="the second of its tag"),
        pytest.param("<h1>a</h1><p>b</p>", 2, "body > p", id="siblings with other tags"),
        pytest.param("<div id=a><p>x</p></div>", 2, "div#a > p", id="from an id"),
        pytest.param(
            "<div id=a>x</div><div id=a>y</div>", 2, "body > div:nth-of-type(2)", id="id used twice"
        ),
        pytest.param("<div id='7 x'>a</div>", 1, "body > div", id="id that CSS would escape"),
        pytest.param("<b>a</b><o:p>b</o:p>", 2, "body > *:nth-child(2)", id="tag with a colon"),
        pytest.param("<p>a</p>", 2, "body > p::text", id="the only text"),
        pytest.param("<p>a<b>b</b>c</p>", 5, "body > p::text(2)", id="the second text"),
    ],
)
def test_a_node_is_named_by_the_shortest_path(page: str, number: int, expected: str) -> None:
    assert write_css_paths(parse_page(page).outline, [number]) == [expected]


_ATTRIBUTES = st.sampled_from(["", " id=main", " id=top", " class=x"])
_PAGES = st.recursive(
    st.sampled_from(["one", "two three"]),
    lambda inner: st.builds(
        lambda tag, attributes, parts: f"<{tag}{attributes}>{''.join(parts)}</{tag}>",
        st.sampled_from(["div", "section", "b", "o:p"]),
        _ATTRIBUTES,
        st.lists(inner, max_size=3),
    ),
    max_leaves=15,
)


@given(parts=st.lists(_PAGES, min_size=1, max_size=4))
def test_a_path_selects_its_element_alone(parts: list[str]) -> None:
    tree = parse_page(f"<body>{' '.join(parts)}</body>")
    elements = tree.outline.elements
    paths = write_css_paths(tree.outline, range(len(elements)))
    for element, path in zip(elements, paths, strict=True):
        assert tree.html.xpath(HTMLTranslator().css_to_xpath(path)) == [element]
