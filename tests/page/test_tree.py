"""Any page becomes a consistent tree, or is an empty page."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.errors import EmptyPageError, ForestError
from forest_crawler.page.tree import parse_page
from tests.support.trees import assert_consistent, tags, text_of


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<p>one<p>two", ["body", "p", "p"], id="unclosed-paragraphs"),
        pytest.param("<ul><li>a<li>b</ul>", ["body", "ul", "li", "li"], id="unclosed-items"),
        pytest.param("<b><i>x</b>y</i>", ["body", "b", "i"], id="misnested"),
        pytest.param("</div><p>x</span>", ["body", "p"], id="stray-end-tags"),
        pytest.param("<table><td>x", ["body", "table", "td"], id="bare-cell"),
        pytest.param("just text", ["body"], id="no-tag-at-all"),
        pytest.param("<DIV CLASS=A>x</DIV>", ["body", "div"], id="upper-case"),
        pytest.param("<p>x<!-- <b>no</b> --><?php echo 1 ?>y", ["body", "p"], id="comment-and-pi"),
    ],
)
def test_tag_soup_is_repaired(page: str, expected: list[str]) -> None:
    found = tags(parse_page(page))
    assert [tag for tag in found if tag not in {"tbody", "tr"}] == expected


@pytest.mark.parametrize(
    "unseen",
    [
        "<script>var a</script>",
        "<style>b{}</style>",
        "<noscript>turn it on</noscript>",
        "<template><p>later</p></template>",
        "<iframe>old browser</iframe>",
        "<svg><text>logo</text></svg>",
        "<video>no video</video>",
        "<object><p>no plugin</p></object>",
    ],
    ids=lambda markup: markup[1:6],
)
def test_invisible_elements_are_dropped_and_the_text_after_them_is_kept(unseen: str) -> None:
    tree = parse_page(f"<div>before {unseen}after {unseen}<p>below</p></div>")
    assert tags(tree) == ["body", "div", "p"]
    assert [leaf.text for leaf in tree.outline.leaves] == ["before after ", "below"]


def test_noscript_elements_with_three_quarters_of_the_text_are_the_page() -> None:
    # 6 of 8 characters: three quarters. The image in it stays, too.
    tree = parse_page("<div>ab</div><noscript>cd<p>ef<img></p>gh</noscript>")
    assert tags(tree) == ["body", "div", "div", "p", "img"]
    assert text_of(tree) == "abcdefgh"
    # 6 of 9 is less.
    assert tags(parse_page("<div>abc</div><noscript>cd<p>ef</p>gh</noscript>")) == ["body", "div"]


STORY = "<p>" + "It rained all day. " * 30 + "</p>"  # 570 characters
MENU = "<ul>" + "<li>News and weather" * 100 + "</ul>"


@pytest.mark.parametrize(
    ("page", "is_kept"),
    [
        pytest.param(
            f"<div><script type=text/template>{STORY}</script><noscript>{STORY}</noscript></div>",
            True,
            id="in-the-place-of-a-script",
        ),
        pytest.param(f"<div>Loading<noscript>{STORY}</noscript></div>", False, id="beside-text"),
        pytest.param(f"<noscript>{STORY}</noscript>", False, id="at-the-top"),
        pytest.param("<div><noscript><p>Turn it on.</noscript></div>", False, id="short"),
        pytest.param(f"<div>{f'<noscript>{STORY}</noscript>' * 2}</div>", False, id="several"),
        pytest.param(
            f"<div><noscript>{STORY}</noscript><b>{MENU}</b></div>", False, id="beside-a-menu"
        ),
    ],
)
def test_a_text_that_a_script_would_write_is_read_from_noscript(page: str, is_kept: bool) -> None:
    tree = parse_page(MENU + page)
    assert ("It rained all day." in text_of(tree)) == is_kept
    assert "noscript" not in tags(tree)


def test_a_text_of_noscript_that_the_page_shows_is_not_read_twice() -> None:
    tree = parse_page(f"{MENU}{STORY}<div><noscript>{STORY}</noscript></div>")
    assert text_of(tree).count(STORY[3:-5]) == 1


def test_nested_noscript_elements_are_not_measured_again_at_each_level() -> None:
    page = f"<div><noscript>{STORY}</noscript>" * 400 + "<p>x</p>" * 250_000
    began = time.process_time()
    parse_page(page)
    assert time.process_time() - began < 5  # 25 s, if each level were measured


@pytest.mark.parametrize(
    ("ruby", "text"),
    [
        pytest.param("<ruby>漢字<rt>かんじ</rt></ruby>は", "漢字は", id="word"),
        pytest.param("<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp></ruby>字", "漢字", id="brackets"),
        pytest.param("<ruby>漢<rt>かん</ruby>字", "漢字", id="unclosed"),
        pytest.param("<ruby><rb>東</rb><rtc><rt>とう</rt></rtc></ruby>駅", "東駅", id="container"),
        pytest.param("<ruby>漢<rt>かん<rb>字<rt>じ</ruby>", "漢かん字じ", id="swallows-a-word"),
        pytest.param(f"<ruby>漢<rt>{'字' * 51}</ruby>", "漢" + "字" * 51, id="swallows-a-text"),
        pytest.param("<p>The <rt>rt</rt> element", "The rt element", id="outside"),
    ],
)
def test_how_characters_are_read_is_not_between_the_words(ruby: str, text: str) -> None:
    assert text_of(parse_page(f"<p>{ruby}")) == text


def test_the_annotated_tree_has_dfs_and_level_and_the_page_is_unchanged() -> None:
    tree = parse_page("<div dfs=mine level=top><p>x</p></div>after")
    root = etree.fromstring(tree.annotated_xml())
    found = [(e.tag, e.get("dfs"), e.get("level")) for e in root.iter()]
    assert found == [("body", "1", "1"), ("div", "2", "2"), ("p", "3", "3")]
    assert "after" in tree.annotated_xml()
    assert dict(tree.outline.elements[1].attrib.items()) == {"dfs": "mine", "level": "top"}


@pytest.mark.parametrize("depth", [2, 300, 2000])
def test_a_page_within_the_parsers_depth_is_complete(depth: int) -> None:
    tree = parse_page("<div>" * depth + "deep" + "</div>" * depth + "<p>last")
    assert not tree.truncated
    assert text_of(tree) == "deeplast"
    assert max(tree.outline.levels) == depth + 1  # body is level 1
    assert tree.annotated.xpath(f"count(//div[@level='{depth + 1}'])") == 1


@pytest.mark.parametrize("depth", [5_000, 100_000])
@pytest.mark.parametrize("rest", ["", "</i>&bogus;<a b b><x", "<p>more" * 50])
def test_a_page_deeper_than_the_parsers_limit_is_truncated(depth: int, rest: str) -> None:
    tree = parse_page("<p>first</p></i>" + "<div>" * depth + "deep" + rest)
    assert tree.truncated
    assert text_of(tree) == "first"


def test_a_broken_but_shallow_page_is_not_truncated() -> None:
    assert not parse_page("</i>&bogus;<a b b><x" * 1000 + "<p>last").truncated


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("", id="empty"),
        pytest.param(" \r\n\t ", id="blank"),
        pytest.param("<!-- nothing -->", id="comment"),
        pytest.param("<!doctype html>", id="doctype"),
        pytest.param("\x00\x01\x02", id="control-characters"),
        pytest.param("<head><title>x</title></head>", id="head"),
        pytest.param("<html><head><script>x</script></head></html>", id="script-in-head"),
        pytest.param("<frameset><frame src=a></frameset>", id="frames"),
    ],
)
@pytest.mark.parametrize("as_bytes", [False, True], ids=["text", "bytes"])
def test_a_page_without_a_visible_element_is_empty(page: str, as_bytes: bool) -> None:
    with pytest.raises(EmptyPageError, match="nothing to extract") as caught:
        parse_page(page.encode() if as_bytes else page, url="a.example")
    assert caught.value.page == "a.example"


def test_a_body_without_text_is_still_a_page() -> None:
    tree = parse_page("<body><img src=a.png></body>")
    assert tags(tree) == ["body", "img"]
    assert tree.outline.leaves == []


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<html lang=pt-BR><p>x", "pt", id="lang"),
        pytest.param("<html xml:lang=de_AT><p>x", "de", id="xml-lang"),
        pytest.param("<html lang='' xml:lang='ja'><p>x", "ja", id="empty-lang"),
        pytest.param("<html lang=' EN '><p>x", "en", id="blanks-and-case"),
        pytest.param("<html lang=english><p>x", None, id="not-a-code"),
        pytest.param(
            "<meta http-equiv=Content-Language content='fr, en'><p>x", "fr", id="meta-list"
        ),
        pytest.param(
            "<html lang=es><meta http-equiv=content-language content=fr><p>x", "es", id="both"
        ),
        pytest.param("<meta http-equiv=content-language content=utf-8><p>x", None, id="encoding"),
        pytest.param("<p>x", None, id="undeclared"),
    ],
)
def test_a_page_declares_its_language(page: str, expected: str | None) -> None:
    assert parse_page(page).language == expected


def test_json_ld_is_kept_verbatim() -> None:
    tree = parse_page(
        "<script type='application/ld+json'>{\"a\": 1}</script><p>x"
        "<script type='Application/LD+JSON; charset=utf-8'>{}</script><script>no</script>"
    )
    assert tree.structured == ('{"a": 1}', "{}")


def test_url_and_encoding_are_kept() -> None:
    tree = parse_page("<p>é".encode("cp1252"), url="https://a.example/1")
    assert (tree.url, tree.encoding) == ("https://a.example/1", "cp1252")


MARKUP = st.lists(
    st.sampled_from(
        "<p> <div class='a'> </div> </p> <b> </b> <table> <td> </table> <a href=x> <script> "
        "</script> <!-- --> <![CDATA[ ]]> <?x ?> <body> <html> <head> <title> </title> <select> "
        "</body> </html> <html/> <option> <form> <li> <br/> <svg> </svg> <plaintext> <textarea> "
        "&amp; &#1; &# < > ' \" = "
        "hidden word Wörter \x00 \ud800 \ufffe".split(" ")
    )
    | st.text(max_size=3),
    max_size=40,
).map("".join)


@given(MARKUP | st.text())
def test_any_text_gives_a_consistent_tree_or_a_typed_error(page: str) -> None:
    try:
        tree = parse_page(page)
    except ForestError:
        return
    assert_consistent(tree)


@given(
    MARKUP.map(lambda page: page.encode("utf-8", "replace")) | st.binary(),
    st.none() | st.text(max_size=12) | st.sampled_from(["utf-16", "gb18030", "iso2022_jp", "zlib"]),
)
def test_any_bytes_give_a_consistent_tree_or_a_typed_error(
    page: bytes, charset: str | None
) -> None:
    try:
        tree = parse_page(page, charset=charset)
    except ForestError:
        return
    assert_consistent(tree)
