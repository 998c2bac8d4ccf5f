"""The page's tree: decoding, cleaning, numbering, and what happens to broken pages."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.errors import EmptyPageError, ForestError
from forest_crawler.page.tree import PageTree, parse_page


def text_of(tree: PageTree) -> str:
    return " ".join("".join(leaf.text for leaf in tree.outline.leaves).split())


def tags(tree: PageTree) -> list[str]:
    return [str(element.tag) for element in tree.outline.elements]


def meta(charset: str) -> str:
    return f"<meta charset={charset}>"


@pytest.mark.parametrize(
    ("page", "charset", "expected"),
    [
        # A byte order mark beats header and meta.
        pytest.param(
            codecs.BOM_UTF8 + f"{meta('koi8-r')}<p>é日本".encode(),
            "iso-8859-1",
            "é日本",
            id="bom-against-header-and-meta",
        ),
        pytest.param(
            codecs.BOM_UTF16_LE + f"{meta('utf-8')}<p>é日本".encode("utf-16-le"),
            "utf-8",
            "é日本",
            id="utf-16-le-with-bom",
        ),
        pytest.param(
            codecs.BOM_UTF16_BE + "<p>é日本".encode("utf-16-be"), None, "é日本", id="utf-16-be-bom"
        ),
        # The header beats meta, in both directions.
        pytest.param(
            f"{meta('iso-8859-1')}<p>é日本".encode(), "utf-8", "é日本", id="header-against-meta"
        ),
        pytest.param(
            f"{meta('utf-8')}<p>Привет".encode("cp1251"),
            "windows-1251",
            "Привет",
            id="header-cp1251-against-meta-utf-8",
        ),
        # Declared by meta alone; the label names a subset of what is meant.
        pytest.param(
            f"{meta('gb2312')}<p>中文镕€".encode("gb18030"), None, "中文镕€", id="gb18030-as-gb2312"
        ),
        pytest.param(
            "<meta http-equiv=content-type content='text/html; charset=Shift_JIS'><p>日本①".encode(
                "cp932"
            ),
            None,
            "日本①",
            id="shift-jis-with-vendor-character",
        ),
        pytest.param("<p>日本語".encode("euc-jp"), "EUC-JP", "日本語", id="euc-jp"),
        pytest.param(
            "<p>“x” – €".encode("cp1252"), "iso-8859-1", "“x” – €", id="cp1252-as-latin-1"
        ),
        pytest.param(
            f"{meta('us-ascii')}<p>“x”".encode("cp1252"), None, "“x”", id="cp1252-as-ascii"
        ),
        pytest.param(
            f"{meta('iso-8859-8-i')}<p>שלום".encode("iso-8859-8"), None, "שלום", id="hebrew-logical"
        ),
        pytest.param(
            f"{meta('x-mac-cyrillic')}<p>Привет".encode("mac-cyrillic"),
            None,
            "Привет",
            id="label-with-x",
        ),
        # Undeclared: valid UTF-8 is UTF-8, everything else windows-1252.
        pytest.param("<p>é日本".encode(), None, "é日本", id="undeclared-utf-8"),
        pytest.param("<p>“é”".encode("cp1252"), None, "“é”", id="undeclared-cp1252"),
        pytest.param("<p>é日本".encode()[:-1], None, "é日\ufffd", id="undeclared-utf-8-cut"),
        # Nonsense is passed over.
        pytest.param(
            f"{meta('koi8-r')}<p>Привет".encode("koi8-r"), "nonsense", "Привет", id="unknown-header"
        ),
        # A meta that can be read byte by byte is no UTF-16.
        pytest.param(f"{meta('utf-16')}<p>é".encode(), None, "é", id="meta-says-utf-16"),
        pytest.param("<p>é".encode("utf-16-le"), "utf-16", "é", id="header-utf-16-without-bom"),
        pytest.param("<p>Привет".encode("cp1251"), '"windows-1251"', "Привет", id="quoted-header"),
        pytest.param(b"<meta charset=utf-8><p>ok \xff bad", None, "ok \ufffd bad", id="bad-byte"),
    ],
)
def test_pages_are_decoded_as_browsers_do(page: bytes, charset: str | None, expected: str) -> None:
    assert text_of(parse_page(page, charset=charset)) == expected


# Names of Python codecs that are no text encodings, raise, or read the text as escapes.
@pytest.mark.parametrize(
    "label",
    "zlib bz2 base64 hex rot13 quopri uu undefined idna punycode unicode_escape "
    "raw_unicode_escape utf-7 utf-32 cp037 hz".split(),
)
@pytest.mark.parametrize("by_header", [True, False], ids=["header", "meta"])
def test_encodings_that_no_browser_knows_are_passed_over(label: str, by_header: bool) -> None:
    page = f"{'' if by_header else meta(label)}<p>né \\u0041 +AGE-".encode()
    tree = parse_page(page, charset=label if by_header else None)
    assert text_of(tree) == "né \\u0041 +AGE-"


def test_text_that_is_already_decoded_is_taken_as_it_is() -> None:
    assert text_of(parse_page(f"\ufeff{meta('koi8-r')}<p>Привет")) == "Привет"


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
def test_what_a_reader_never_sees_is_dropped_and_the_text_behind_it_kept(unseen: str) -> None:
    tree = parse_page(f"<div>before {unseen}behind {unseen}<p>below</p></div>")
    assert tags(tree) == ["body", "div", "p"]
    assert [leaf.text for leaf in tree.outline.leaves] == ["before behind ", "below"]


def test_what_only_readers_without_scripts_see_is_the_page_where_it_holds_three_quarters() -> None:
    # 6 of 8 characters: three quarters. The image in it stays, too.
    tree = parse_page("<div>ab</div><noscript>cd<p>ef<img></p>gh</noscript>")
    assert tags(tree) == ["body", "div", "div", "p", "img"]
    assert text_of(tree) == "abcdefgh"
    # 6 of 9 is less.
    assert tags(parse_page("<div>abc</div><noscript>cd<p>ef</p>gh</noscript>")) == ["body", "div"]


# Ten letters are hidden, more than ten stand beside them.
@pytest.mark.parametrize(
    "attribute",
    [
        "hidden",
        "hidden=until-found",
        "aria-hidden=true",
        "style='display:none'",
        "style='color:red; DISPLAY : None !important'",
        "style='visibility:hidden'",
        "style='VISIBILITY: HIDDEN'",
    ],
)
def test_hidden_elements_are_dropped_and_the_text_behind_them_kept(attribute: str) -> None:
    tree = parse_page(f"<p>plainly to be seen</p><div {attribute}><b>ten</b> hidden</div> too")
    assert tags(tree) == ["body", "p"]
    assert text_of(tree) == "plainly to be seen too"


# A few are dropped one by one, many in one walk over the page.
@pytest.mark.parametrize("count", [3, 300])
@pytest.mark.parametrize("unseen", ["<i hidden>x<b hidden>y</b></i>", "<noscript>x</noscript>"])
def test_the_text_between_dropped_elements_stays_in_order(unseen: str, count: int) -> None:
    texts = [f"text {n} to be seen, " for n in range(count)]
    tree = parse_page(
        f"<div>{unseen}{unseen.join(texts)}{unseen}</div><p>{unseen}below</p>{unseen}"
    )
    assert tags(tree) == ["body", "div", "p"]
    assert [leaf.text for leaf in tree.outline.leaves] == ["".join(texts), "below"]


@pytest.mark.parametrize(
    "attribute",
    ["aria-hidden=false", "style='display:block'", "style='overflow:hidden'", "class=hidden"],
)
def test_elements_that_only_look_hidden_are_kept(attribute: str) -> None:
    tree = parse_page(f"<p>plainly to be seen</p><div {attribute}>this too</div>")
    assert tags(tree) == ["body", "p", "div"]


def test_a_hidden_element_with_half_of_the_text_is_kept() -> None:
    # 4 of 8 characters: half. The inner one has 1 of 8 and goes.
    tree = parse_page("<p>abcd</p><div hidden>efg<b hidden>h</b></div>")
    assert tags(tree) == ["body", "p", "div"]
    # 4 of 9 is less than half.
    assert tags(parse_page("<p>abcde</p><div hidden>efg<b hidden>h</b></div>")) == ["body", "p"]


HAND_TREE = "<div id=a><p>one <b>two</b> three</p><ul><li>four</li></ul></div>five"


def test_elements_are_numbered_depth_first_from_body() -> None:
    outline = parse_page(HAND_TREE).outline
    # dfs:                              1       2      3    4    5     6
    assert [e.tag for e in outline.elements] == ["body", "div", "p", "b", "ul", "li"]
    assert outline.levels == [1, 2, 3, 4, 3, 4]
    assert outline.parents == [-1, 0, 1, 2, 1, 4]
    assert outline.ends == [6, 6, 4, 4, 6, 6]
    assert outline.path(5) == [0, 1, 4, 5]
    assert list(outline.children(1)) == [2, 4]
    assert outline.positions[outline.elements[3]] == 3


def test_every_element_knows_its_range_of_text_leaves() -> None:
    outline = parse_page(HAND_TREE).outline
    assert outline.leaf_texts == ["one ", "two", " three", "four", "five"]
    assert [leaf.text for leaf in outline.leaves] == outline.leaf_texts
    assert [leaf.element.tag for leaf in outline.leaves] == ["p", "b", "b", "li", "div"]
    assert [leaf.is_tail for leaf in outline.leaves] == [False, False, True, False, True]
    assert outline.leaf_owners == [2, 3, 2, 5, 0]
    assert outline.leaf_starts == [0, 0, 0, 1, 3, 3]
    assert outline.leaf_ends == [5, 4, 3, 2, 4, 4]


def test_elements_and_text_leaves_follow_each_other_in_document_order() -> None:
    outline = parse_page(HAND_TREE).outline
    # body div p "one" b "two" " three" ul li "four" "five"; the six elements come before the leaves
    assert list(outline.document_order()) == [0, 1, 2, 6, 3, 7, 8, 4, 5, 9, 10]


def test_the_annotated_tree_carries_dfs_and_level_and_the_page_stays_as_it_was() -> None:
    tree = parse_page("<div dfs=mine level=top><p>x</p></div>behind")
    root = etree.fromstring(tree.annotated_xml())
    found = [(e.tag, e.get("dfs"), e.get("level")) for e in root.iter()]
    assert found == [("body", "1", "1"), ("div", "2", "2"), ("p", "3", "3")]
    assert "behind" in tree.annotated_xml()
    assert dict(tree.outline.elements[1].attrib.items()) == {"dfs": "mine", "level": "top"}


@pytest.mark.parametrize("depth", [2, 300, 2000])
def test_a_page_within_the_parsers_depth_is_whole(depth: int) -> None:
    tree = parse_page("<div>" * depth + "deep" + "</div>" * depth + "<p>last")
    assert not tree.truncated
    assert text_of(tree) == "deeplast"
    assert max(tree.outline.levels) == depth + 1  # body is level 1
    assert tree.annotated.xpath(f"count(//div[@level='{depth + 1}'])") == 1


@pytest.mark.parametrize("depth", [5_000, 100_000])
@pytest.mark.parametrize("behind", ["", "</i>&bogus;<a b b><x", "<p>more" * 50])
def test_a_page_deeper_than_the_parser_goes_says_that_it_is_truncated(
    depth: int, behind: str
) -> None:
    tree = parse_page("<p>first</p></i>" + "<div>" * depth + "deep" + behind)
    assert tree.truncated
    assert text_of(tree) == "first"


def test_a_broken_but_shallow_page_is_not_called_truncated() -> None:
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
def test_a_page_without_anything_to_show_is_empty(page: str, as_bytes: bool) -> None:
    with pytest.raises(EmptyPageError, match="nothing to extract") as caught:
        parse_page(page.encode() if as_bytes else page, url="a.example")
    assert caught.value.page == "a.example"


def test_a_body_without_text_is_a_page_all_the_same() -> None:
    tree = parse_page("<body><img src=a.png></body>")
    assert tags(tree) == ["body", "img"]
    assert tree.outline.leaves == []


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        pytest.param("a\x00b", "ab", id="nul"),
        pytest.param("a\x01\x0b\x1f\x7fb", "ab", id="controls"),
        pytest.param("a\x0cb", "a b", id="form-feed-is-white-space"),
        pytest.param("a\ufffe\uffffb", "ab", id="noncharacters"),
        pytest.param("a\ud800b", "a?b", id="lone-surrogate"),
        pytest.param("a&#1;&#31;&#x0b;&#X1F;b", "a b", id="references-to-controls"),
        # 311 = 0x137 and 0x1f1 begin like 31 and 0x1f, which are controls.
        pytest.param("&#311;&#x1f1;&#0065534;b", "\u0137\u01f1 b", id="longer-numbers-are-others"),
        pytest.param("a&#xfffe;b", "a b", id="reference-to-noncharacter"),
        pytest.param("a&#0;b", "a\ufffdb", id="reference-to-nul"),
        pytest.param("a&#xd800;b", "a\ufffdb", id="reference-to-surrogate"),
        pytest.param("&#65;&#x1F600;&#128512;&#9731;&#128;", "A😀😀☃€", id="good-references"),
    ],
)
def test_characters_that_xml_cannot_hold_do_not_reach_the_tree(raw: str, expected: str) -> None:
    tree = parse_page(f'<p title="{raw}">{raw}</p>')
    assert text_of(tree) == expected
    assert " ".join(tree.outline.elements[1].get("title", "").split()) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        pytest.param("<html lang=pt-BR><p>x", "pt", id="lang"),
        pytest.param("<html xml:lang=de_AT><p>x", "de", id="xml-lang"),
        pytest.param("<html lang='' xml:lang='ja'><p>x", "ja", id="empty-lang"),
        pytest.param("<html lang=' EN '><p>x", "en", id="blanks-and-case"),
        pytest.param("<html lang=english><p>x", None, id="no-code"),
        pytest.param(
            "<meta http-equiv=Content-Language content='fr, en'><p>x", "fr", id="meta-list"
        ),
        pytest.param(
            "<html lang=es><meta http-equiv=content-language content=fr><p>x", "es", id="both"
        ),
        pytest.param("<p>x", None, id="nothing-said"),
    ],
)
def test_the_page_says_its_language(page: str, expected: str | None) -> None:
    assert parse_page(page).language == expected


def test_json_ld_is_kept_as_it_stands() -> None:
    tree = parse_page(
        "<script type='application/ld+json'>{\"a\": 1}</script><p>x"
        "<script type='Application/LD+JSON; charset=utf-8'>{}</script><script>no</script>"
    )
    assert tree.structured == ('{"a": 1}', "{}")


def test_url_and_encoding_are_kept() -> None:
    tree = parse_page("<p>é".encode("cp1252"), url="https://a.example/1")
    assert (tree.url, tree.encoding) == ("https://a.example/1", "cp1252")


def assert_consistent(tree: PageTree) -> None:
    """The outline's ranges nest, and its numbers are those of the annotated tree."""
    outline = tree.outline
    assert outline.elements[0] is tree.body
    for i, parent in enumerate(outline.parents[1:], 1):
        assert parent < i < outline.ends[i] <= outline.ends[parent]
        assert outline.levels[i] == outline.levels[parent] + 1
        assert outline.leaf_starts[parent] <= outline.leaf_starts[i]
        assert outline.leaf_ends[i] <= outline.leaf_ends[parent]
    assert tree.annotated.xpath("count(//*)") == len(outline.elements)
    assert all(leaf.text.strip() for leaf in outline.leaves)


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


def test_a_title_that_is_never_closed_does_not_swallow_the_page() -> None:
    tree = parse_page(
        "<html><head><title>Ferry<meta name=x></head><body><p>Ferry returns</p></body>"
    )
    assert [leaf.text for leaf in tree.outline.leaves] == ["Ferry returns"]


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("<html><body><p>One</p></body></html><p>Two</p>", id="behind-html"),
        pytest.param("<html><body><p>One</p></body><p>Two</p></html>", id="behind-body"),
        pytest.param("<html><body><p>One</p></body>Two</html>", id="text-behind-body"),
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
def test_a_page_goes_on_behind_its_end(page: str) -> None:
    tree = parse_page(page)
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two"]
    assert {"html", "head", "body"}.isdisjoint(e.tag for e in tree.outline.elements[1:])
    assert_consistent(tree)


def test_the_first_page_says_the_language_of_those_behind_it() -> None:
    page = "<html xml:lang=de><body>Eins</body></html><html lang=en><body>Two</body></html>"
    assert parse_page(page).language == "de"


def test_what_is_stated_behind_the_end_of_the_body_is_read() -> None:
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
    assert tree.html.getnext() is None  # no XPath leads out of the page


def test_an_end_in_a_script_or_before_a_comment_changes_nothing() -> None:
    page = "<body><script>write('</body></html>')</script><p>One</p></body></html><!-- 0.2 s -->"
    assert [leaf.text for leaf in parse_page(page).outline.leaves] == ["One"]


@pytest.mark.parametrize(
    "panel",
    [
        '<div class="faq-answer" style="display: none">',
        '<dd class="c-Accordion__panel" hidden>',
        '<div role="tabpanel" aria-hidden="true">',
        '<div id="collapse-2" aria-hidden="true">',
        '<div class="tab-pane" id="nav-profile" aria-hidden="true">',
        '<div class="tabbed" id="silicon-valley" hidden>',
        '<div class="expandable unavailable" hidden>',
    ],
)
def test_panels_that_a_reader_opens_stay(panel: str) -> None:
    tree = parse_page(f"<h2>When does it sail?</h2>{panel}<p>At noon.</p></div><p hidden>gone</p>")
    assert [leaf.text for leaf in tree.outline.leaves] == ["When does it sail?", "At noon."]


@pytest.mark.parametrize(
    "other",
    [
        "<i class=expand-more aria-hidden=true>",
        "<span class=accordion__sign aria-hidden=true>",
        "<div class=navbar-collapse hidden>",
        "<div class='accordion-icon' aria-hidden=true>",
        "<div class=according hidden>",
        "<div class='collapse' id=login-form hidden>",
        "<div class='expandable-ad' hidden>",
        "<div class='collapsed cookie-consent' hidden>",
        "<div class=collapse id=submenu-2 hidden>",
    ],
)
def test_what_only_sounds_like_a_panel_is_hidden(other: str) -> None:
    tree = parse_page(f"<h2>When does it sail?</h2>{other}+")
    assert [leaf.text for leaf in tree.outline.leaves] == ["When does it sail?"]


def test_parts_that_were_sent_late_stand_where_a_script_would_put_them() -> None:
    tree = parse_page(
        '<body><h1>Ferry</h1><div><template id="B:0"></template><i>Loading</i></div><footer>End'
        '</footer><div hidden id="S:0"><p>Returns</p><template id="P:1"></template><p>today</p>'
        '</div>!<script>$RC("B:0","S:0")</script><div hidden id="S:1"><p>to the pier</p></div>'
        '<div hidden id="S:7"><p>without a place</p></div><p hidden>never</p></body>'
    )
    texts = [leaf.text for leaf in tree.outline.leaves]
    late = ["Returns", "to the pier", "today"]
    assert texts == ["Ferry", *late, "Loading", "End", "!", "without a place"]


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param('<div hidden id="S:0">Two<template id="B:0"></template></div>', id="own"),
        pytest.param(
            '<template><template id="B:0"></template></template><div hidden id="S:0">Two</div>',
            id="dropped",
        ),
    ],
)
def test_a_part_stays_where_its_place_is_none(parts: str) -> None:
    tree = parse_page("<p>One</p>" + parts)
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two"]


def test_the_scripts_say_which_late_part_belongs_where() -> None:
    # React counts places and parts apart from each other.
    tree = parse_page(
        '<main>One<template id="P:0"></template></main><footer><template id="B:0"></template>End'
        '</footer><div hidden id="S:0">Two</div><script>$RS("S:0","P:0")</script>'
        '<div hidden id="S:1">Three</div><script>$RC("B:0","S:1")</script>'
    )
    assert [leaf.text for leaf in tree.outline.leaves] == ["One", "Two", "Three", "End"]


def test_a_hidden_part_whose_name_has_no_number_stays_hidden() -> None:
    tree = parse_page('<p>One of two</p><div hidden id="S:settings">Two</div>')
    assert [leaf.text for leaf in tree.outline.leaves] == ["One of two"]


def test_late_parts_in_late_parts_do_not_pass_the_bound_on_depth() -> None:
    parts = (
        f'<div hidden id="S:{i:x}">{"<b>" * 100}<template id="P:{i + 1:x}"></template>'
        f"{'</b>' * 100}</div>"
        for i in range(60)
    )
    tree = parse_page("<p>One</p>" + "".join(parts))
    assert max(tree.outline.levels) < 500


def test_parts_that_were_sent_late_may_have_their_places_in_each_other() -> None:
    tree = parse_page(
        '<p>One</p><div hidden id="S:0">Two<template id="P:1"></template></div>'
        '<div hidden id="S:1">Three<template id="P:0"></template></div>'
    )
    assert sorted(leaf.text for leaf in tree.outline.leaves) == ["One", "Three", "Two"]


def test_what_stands_in_the_head_by_mistake_is_shown_before_the_body() -> None:
    # Browsers end the head at the first element that has no place in it.
    tree = parse_page(
        "<head><title>T</title><mbox><p>One</p></mbox><p>Two</head><body>Three</body>"
    )
    assert [leaf.text.strip() for leaf in tree.outline.leaves] == ["One", "Two", "Three"]
    assert tree.html.findtext("head/title") == "T"
