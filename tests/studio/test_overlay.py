from __future__ import annotations

import re

import pytest
from lxml import etree, html

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import EmptyPageError
from forest_crawler.page.selection import select_leaves
from forest_crawler.page.tree import parse_page
from forest_crawler.studio.overlay import overlay_page, overlay_tree
from forest_crawler.studio.overlay_elements import MAX_IMAGE_DATA
from forest_crawler.studio.overlay_marks import mark_selection
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.script_vectors import make_vectors

PAGE = b"""<html lang=en><body><nav>Home</nav><article><h1>Ferry sails</h1><i>Ann Smith</i>
<time>2026-11-18</time><div id=text><p>The ferries left.</p><p class=ad>Buy now</p></div></article>
<div class=ad>Buy more</div>"""
WRAPPER = Wrapper(
    site="s",
    method="m",
    form="portable",
    body=("//div[@id='text']",),
    strip=("//*[@class='ad']",),
    title="//h1",
    author="//i",
    date="//time",
    language="en",
)
PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACw="

ALLOWED_TAGS = set(
    "html head meta title style body div section article main header footer nav aside figure "
    "figcaption blockquote ul ol li dl dt dd address hgroup pre span a p b i em strong u s small "
    "code sub sup abbr cite q time kbd samp var del ins dfn bdi br hr wbr img mark table caption "
    "thead tbody tfoot tr td th h1 h2 h3 h4 h5 h6".split()
)
ALLOWED_ATTRIBUTES = set(
    "data-dfs data-tag class lang dir style src alt colspan rowspan start".split()
)


def body_of(document: str) -> etree._Element:
    found = html.document_fromstring(document).find("body")
    assert found is not None
    return found


def text_of(element: etree._Element) -> str:
    return " ".join("".join(map(str, element.itertext())).split())


def marked(document: str, name: str) -> list[str]:
    elements = body_of(document).iter("*")
    return [text_of(element) for element in elements if name in element.get("class", "").split()]


@pytest.mark.parametrize(
    ("name", "texts"),
    [
        ("forest-body", ["The ferries left.Buy now"]),
        ("forest-strip", ["Buy now"]),
        ("forest-title", ["Ferry sails"]),
        ("forest-author", ["Ann Smith"]),
        ("forest-date", ["2026-11-18"]),
        ("forest-signifier", ["Ferry", "ferries"]),
    ],
)
def test_parts_of_the_wrapper_are_marked(name: str, texts: list[str]) -> None:
    assert marked(overlay_page(PAGE, None, WRAPPER, ["ferri"]), name) == texts


def test_without_a_wrapper_nothing_is_marked() -> None:
    assert "class=" not in overlay_page(PAGE, None, None).partition("<body")[2]


def test_elements_have_their_depth_first_numbers() -> None:
    tree = parse_page(PAGE)
    shown = list(body_of(overlay_tree(tree)).iter("*"))
    numbers = [int(element.get("data-dfs", "")) for element in shown]
    assert numbers == list(range(1, len(tree.outline.elements) + 1))
    assert [e.tag for e in shown] == [e.tag for e in tree.outline.elements]


def test_a_selected_text_without_an_element_of_its_own_is_marked() -> None:
    tree = parse_page(b"<div>First<br>Second<br>Third</div>")
    document = overlay_tree(tree, mark_selection(select_leaves(tree, [1])))
    assert marked(document, "forest-body") == ["Second"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('<img src="https://x.example/a.png" alt="A ship">', "A ship"),
        ('<img src="/a.png">', "image"),
        ('<iframe src="https://x.example/" title="Map"></iframe>', "▶ iframe: Map"),
        ('<video src="https://x.example/a.mp4"></video>', "▶ video"),
        ('<input placeholder="Search" onfocus="x()">', "Search"),
    ],
)
def test_what_would_be_loaded_is_a_placeholder(source: str, expected: str) -> None:
    document = overlay_page(f"<p>Text {source} after</p>".encode(), None, None)
    paragraph = body_of(document).find("p")
    assert paragraph is not None
    assert text_of(paragraph) == f"Text {expected} after"
    assert "x.example" not in document


def test_pictures_inside_the_page_are_shown() -> None:
    document = overlay_page(f'<p>A <img src="{PIXEL}" alt="dot"></p>'.encode(), None, None)
    (image,) = body_of(document).iter("img")
    assert (image.get("src"), image.get("alt"), image.get("data-dfs")) == (PIXEL, "dot", "3")


@pytest.mark.parametrize(
    "source", ["data:image/svg+xml,<svg/>", PIXEL + "A" * MAX_IMAGE_DATA, "data:text/html,x"]
)
def test_other_data_is_not_shown(source: str) -> None:
    document = overlay_page(f"<p>A <img src='{source}'></p>".encode(), None, None)
    assert not list(body_of(document).iter("img"))


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a <custom-box>b</custom-box></p>", "div[p] div[custom-box]"),
        ("<h1>a <h2>b</h2></h1>", "h1 div[h2]"),
        ("<table><tr><td>a</td></tr></table>", "table tr td"),
        ("<table>x<tr><td>a</td></tr></table>", "div[table] div[tr] div[td]"),
        ("<ul><li>a<div>b</div></li></ul>", "ul li div"),
        ("<form action=/x><button>a</button></form>", "div[form] span[button]"),
        ("<math><mi>a</mi></math>", "div[math] div[mi]"),
    ],
)
def test_elements_that_a_browser_would_move_become_plain_ones(source: str, expected: str) -> None:
    shown = overlay_page(source.encode(), None, None).partition("<body")[2]
    found = re.findall(r'<(\w+) data-dfs="\d+"(?: data-tag="([\w-]+)")?', shown)
    assert " ".join(f"{name}[{tag}]" if tag else name for name, tag in found) == expected


def test_only_what_is_listed_is_written() -> None:
    for vector in make_vectors():
        source = f'<div style="float:left;background:url(//x.example)">{vector}<p>After</div>'
        body = body_of(overlay_page(source.encode(), "http://s.example/", WRAPPER, ["hit"]))
        for element in body.iter("*"):
            assert element.tag in ALLOWED_TAGS, vector
            assert set(element.attrib) <= ALLOWED_ATTRIBUTES, vector
            assert element.get("style", "float:left") == "float:left", vector


def test_bundled_pages_have_no_link_form_or_remote_load() -> None:
    for directory in bundled_sites():
        page = next(iter(read_pages(directory)))
        body = body_of(overlay_page(page.source, page.url, None))
        assert {str(e.tag) for e in body.iter("*")} <= ALLOWED_TAGS
        assert {name for e in body.iter("*") for name in e.attrib} <= ALLOWED_ATTRIBUTES


def test_the_callers_script_is_the_only_one_that_may_run() -> None:
    with_script = overlay_page(PAGE, None, None, script="let a = 1;")
    # printf "let a = 1;" | openssl dgst -sha256 -binary | base64
    digest = "xY6QKfH9PRsQnLz56nj6MBwiK5oHg+im1Jkpdp1x/Ck="
    assert f"script-src 'sha256-{digest}'" in with_script
    assert with_script.count("<script") == 1
    assert "script" not in overlay_page(PAGE, None, None).lower()


def test_a_page_without_elements_is_an_error() -> None:
    with pytest.raises(EmptyPageError):
        overlay_page(b"", None, None)


def test_deep_pages_are_written() -> None:
    document = overlay_page(b"<div>" * 1500 + b"deep", None, None)
    assert document.count("<div") == 1500
