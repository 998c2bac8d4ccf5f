"""Blocks of every kind are recognised, and their three forms agree."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from forest_crawler.article.content.blocks import ListedImage
from forest_crawler.article.content.forms import Forms, write_forms
from forest_crawler.article.content.html import SANDBOX, TAGS
from forest_crawler.article.content.share_bars import is_share_bar
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.errors import EmptyPageError
from forest_crawler.extraction.extraction import extract
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.text.terms import tokenize
from tests.support.growth import assert_linear
from tests.support.reading_forms import words_of_forms

URL = "http://gazette.example/2026/rain.html"


def forms_of(body: str, strip: str = "//none") -> Forms:
    tree = parse_page(f"<html><body>{body}</body></html>", url=URL)
    return write_forms(select_elements(tree, [tree.body], ElementPath(strip)(tree.html)))


@pytest.mark.parametrize(
    ("body", "text", "html", "markdown"),
    [
        pytest.param(
            "<p>One\n <b>two</b>.</p><p>Three",
            "One two.\n\nThree",
            "<p>One <strong>two</strong>.</p>\n<p>Three</p>",
            "One **two**.\n\nThree",
            id="paragraphs",
        ),
        pytest.param(
            "<p>\x85<b>two</b>.</p><p> \x85 </p>",
            "…two.\n\n…",
            "<p>…<strong>two</strong>.</p>\n<p>…</p>",
            "…**two**.\n\n…",
            id="misread-ellipses-alone",
        ),
        pytest.param(
            "<p>Rain.</p><p>\u200d</p><ul><li>\u200b&nbsp;</li></ul><p><b>\ufeff</b></p><p>می\u200cخواهم",
            "Rain.\n\nمی\u200cخواهم",
            "<p>Rain.</p>\n<p>می\u200cخواهم</p>",
            "Rain.\n\nمی\u200cخواهم",
            id="paragraphs-without-a-visible-character",
        ),
        pytest.param(
            "<p>The light&shy;house <b>key\xadhole</b>.",
            "The lighthouse keyhole.",
            "<p>The lighthouse <strong>keyhole</strong>.</p>",
            "The lighthouse **keyhole**.",
            id="soft-hyphens",
        ),
        pytest.param(
            "<h2>Rain</h2><div>It rained.</div>",
            "Rain\n\nIt rained.",
            "<h2>Rain</h2>\n<p>It rained.</p>",
            "## Rain\n\nIt rained.",
            id="heading",
        ),
        pytest.param(
            "One<br>two<br><br>three",
            "One\ntwo\n\nthree",
            "<p>One<br>two</p>\n<p>three</p>",
            "One\\\ntwo\n\nthree",
            id="two-line-breaks-separate-paragraphs",
        ),
        pytest.param(
            "<ul><li>One<ul><li>two</ul><li>three</ul>",
            "- One\n\n  - two\n\n- three",
            "<ul><li>One\n<ul><li>two</li></ul></li>\n<li>three</li></ul>",
            "- One\n\n  - two\n\n- three",
            id="list-in-a-list",
        ),
        pytest.param(
            "<ol start=9><li>One<li>two</ol>",
            "- One\n- two",
            '<ol start="9"><li>One</li>\n<li>two</li></ol>',
            "9. One\n10. two",
            id="numbered-list",
        ),
        pytest.param(
            "<blockquote><p>One<p>two</blockquote>",
            "One\n\ntwo",
            "<blockquote><p>One</p>\n<p>two</p></blockquote>",
            "> One\n>\n> two",
            id="quote",
        ),
        pytest.param(
            "<pre>if a:\n    b  # c\n</pre>",
            "if a:\n    b  # c",
            "<pre><code>if a:\n    b  # c</code></pre>",
            "```\nif a:\n    b  # c\n```",
            id="code",
        ),
        pytest.param(
            "<table><tr><th>A<th>B<tr><td>1|2<td>3</table>",
            "A | B\n1|2 | 3",
            "<table>\n<tr><th>A</th><th>B</th></tr>\n<tr><td>1|2</td><td>3</td></tr>\n</table>",
            "| A | B |\n| --- | --- |\n| 1\\|2 | 3 |",
            id="table",
        ),
        pytest.param(
            "<table><tr><td>Menu<td><p>One<p>two<p>three<p>four</table>",
            "Menu\n\nOne\n\ntwo\n\nthree\n\nfour",
            "<p>Menu</p>\n<p>One</p>\n<p>two</p>\n<p>three</p>\n<p>four</p>",
            "Menu\n\nOne\n\ntwo\n\nthree\n\nfour",
            id="table-for-layout",
        ),
        pytest.param(
            "<figure><img src=/a.jpg alt='A boat'><figcaption>The boat</figcaption></figure>",
            "▣ The boat",
            '<figure><p><img src="http://gazette.example/a.jpg" alt="A boat"></p>\n'
            "<figcaption>The boat</figcaption></figure>",
            "![A boat](http://gazette.example/a.jpg)\n\n▣ The boat",
            id="figure-with-caption",
        ),
        pytest.param(
            "See <a href='b.html#x'>this (one)</a>!",
            "See this (one)!",
            '<p>See <a href="http://gazette.example/2026/b.html#x">this (one)</a>!</p>',
            "See [this (one)](http://gazette.example/2026/b.html#x)!",
            id="link",
        ),
        pytest.param(
            "Look!<a href=b.html>There!</a><b>Look!</b><a href=b.html>It</a> sails!",
            "Look!There!Look!It sails!",
            '<p>Look!<a href="http://gazette.example/2026/b.html">There!</a><strong>Look!</strong>'
            '<a href="http://gazette.example/2026/b.html">It</a> sails!</p>',
            "Look\\![There!](http://gazette.example/2026/b.html)**Look!**"
            "[It](http://gazette.example/2026/b.html) sails!",
            id="exclamation-before-a-link",
        ),
    ],
)
def test_content_is_written_in_three_forms(body: str, text: str, html: str, markdown: str) -> None:
    forms = forms_of(body)
    assert (forms.text, forms.html, forms.markdown) == (text, html, markdown)


@pytest.mark.parametrize(
    ("body", "markdown"),
    [
        ("<p>2 * 3 * 4", "2 \\* 3 \\* 4"),
        ("<p>snake_case and _this_", "snake_case and \\_this\\_"),
        ("<p># no heading", "\\# no heading"),
        ("<p>1. no item", "1\\. no item"),
        ("<p>- no item", "\\- no item"),
        ("<p>a &lt;b&gt; c &amp;amp; d", "a &lt;b> c &amp;amp; d"),
        ("<p>[no](link)", "\\[no\\](link)"),
        ("<p>a<b>b.</b>c", "ab.c"),  # a parser would show the signs: no white space around the dot
        ("<p>a <b>b </b>c", "a **b** c"),
        ("<p><code><b>1</b>1</code>", "`1`1"),  # nothing separates the two
        ("<p><b><code>1</code></b>", "**`1`**"),
        ("<p><code>a`b</code>", "``" + " a`b " + "``"),
    ],
)
def test_what_markdown_would_take_for_markup_is_escaped(body: str, markdown: str) -> None:
    assert forms_of(body).markdown == markdown


@pytest.mark.parametrize(
    "image",
    [
        "<img src=data:image/gif;base64,R0 data-src=/a.jpg>",
        "<img src=/blank.gif data-lazy-src=/a.jpg>",
        "<img data-srcset='/s.jpg 320w, /a.jpg 900w'>",
        "<img srcset='/s.jpg 1x, /a.jpg 2x'>",
        "<picture><source srcset='/a.jpg 900w'><img src='data:image/gif;base64,R0'></picture>",
    ],
)
def test_lazy_loading_is_resolved(image: str) -> None:
    assert forms_of(f"<p>Rain {image}").images == (ListedImage("http://gazette.example/a.jpg"),)


@pytest.mark.parametrize(
    "image", ["<img width=1 height=1 src=/a.gif>", "<img src=javascript:x>", "<img>", "<img src>"]
)
def test_images_without_a_picture_are_left_out(image: str) -> None:
    assert forms_of(f"<p>Rain {image}").images == ()


def test_a_stripped_element_is_in_no_form_and_separates_its_neighbours() -> None:
    forms = forms_of("<div>One<aside>ad</aside>two</div>", strip="//aside")
    assert words_of_forms(forms) == (["one", "two"], ["one", "two"], ["one", "two"])


def test_a_stripped_row_is_not_in_the_table() -> None:
    table = "<table><tr><td>a<td>b<tr><td>c<td>d<tr id=x><td>e<td>f</table>"
    assert forms_of(table, strip="//tr[@id='x']").text == "a | b\nc | d"


@pytest.mark.parametrize("start", ["<html>", "<b>Warning</b>: no such table<br>"])
def test_links_follow_the_page_s_own_base(start: str) -> None:
    page = f"{start}<head><base href='/deep/'></head><body><a href=a>x</a>"
    tree = parse_page(page, url=URL)
    html = write_forms(select_elements(tree, [tree.body])).html
    assert 'href="http://gazette.example/deep/a"' in html


def test_windows_quotation_marks_are_decoded() -> None:
    assert forms_of("<p>it\x92s").text == "it’s"


def test_the_three_forms_of_every_bundled_page_agree_word_for_word() -> None:
    for page in (page for site in bundled_sites() for page in read_pages(str(site))):
        tree = parse_page(page.source, url=page.url)
        shares = (element for element in tree.body.iter() if is_share_bar(element))
        bars = Counter(
            word for bar in shares for word in tokenize(" ".join(map(str, bar.itertext())))
        )
        for selection in (
            select_elements(tree, [tree.body]),
            extract(tree, [], "page").selection,
        ):
            text, html, markdown = words_of_forms(write_forms(selection))
            assert text == html == markdown
            # More words: captions beside it. Fewer: share bars.
            assert Counter(text) + bars >= Counter(tokenize(selection.text))


TEXTS = st.text(
    alphabet=st.sampled_from("ab1.)(-+*_`~#>|<&![]\\:= \n\u00a0é東'\"/;"), min_size=1, max_size=8
)
PLAIN_TAGS = (
    "p div h1 h3 ul ol li blockquote pre code b i a table tr td th figure figcaption br img span "
    "sup del dl dt dd caption center font".split()
)
TREES = st.recursive(
    TEXTS.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;")),
    lambda inner: st.builds(
        lambda tag, children: f"<{tag}>{''.join(children)}</{tag.split()[0]}>",
        st.sampled_from(
            [
                *PLAIN_TAGS,
                *("a href=/x", "a href='x y(z)'", "img src=/i.png alt='a]b'", "ol start=7"),
                *("video src=/v.mp4", "iframe src='/f(1)'", "object data=/o", "embed src=/e"),
            ]
        ),
        st.lists(inner, max_size=4),
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(TREES)
def test_the_three_forms_of_any_tree_agree_word_for_word(body: str) -> None:
    try:
        forms = forms_of(body)
    except EmptyPageError:
        return
    text, html, markdown = words_of_forms(forms)
    assert text == html == markdown


@settings(max_examples=100, deadline=None)
@given(TREES, st.integers(0, 3))
def test_no_word_of_a_selection_is_lost(body: str, step: int) -> None:
    tree = parse_page(f"<html><body><p>x</p>{body}</body></html>")
    leaves = range(0, len(tree.outline.leaves), step + 1)
    selection = select_leaves(tree, leaves)
    assert tokenize(write_forms(selection).text) == tokenize(selection.text)


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' java\nscript:alert(1)'>x</a>",
    "<a href='jav&#x09;ascript:alert(1)'>x</a>",
    "<a href='&#1;javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<svg><script>alert(1)</script></svg>",
    "<svg onload=alert(1)>",
    "<math><mtext><mglyph><style><!--</style><img title='--&gt;&lt;img onerror=alert(1)&gt;'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<style>*{background:url(javascript:alert(1))}</style>",
    "<p style='background:url(javascript:alert(1))'>x</p>",
    "<iframe src=javascript:alert(1)></iframe>",
    "<form action=javascript:alert(1)><input type=submit></form>",
    "<object data=javascript:alert(1)></object><embed src=javascript:alert(1)>",
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>",
    "<pre>&lt;img src=x onerror=alert(1)&gt;</pre>",
    "<img alt='\"><script>alert(1)</script>' src=/a.png>",
    "<a href='/x\"onmouseover=alert(1)'>x</a>",
    "<template><script>alert(1)</script></template>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><img src=x onerror=alert(1)>",
    "<base href='javascript:alert(1)//'><a href='x'>x</a>",
    "<iframe src=https://other.example/ srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src='https://www.youtube.com/embed/x' srcdoc='<script>alert(1)</script>'></iframe>",
    "<iframe src='https://www.youtube.com/embed/x' onload=alert(1) sandbox allow=camera></iframe>",
    "<iframe src='https://www.youtube.com/embed/\"onload=alert(1)'></iframe>",
    "<iframe src='https://www.youtube.com/embed/../redirect?q=//other.example'></iframe>",
    "<iframe src='data:text/html,<script>alert(1)</script>'></iframe>",
    "<iframe><iframe src=javascript:alert(1)></iframe></iframe><script>alert(1)</script>",
    "<iframe src=/x></iframe srcdoc=y><img src=x onerror=alert(1)></iframe>",
    "<object data='data:text/html,<script>alert(1)</script>' type=text/html></object>",
    "<object data=/x.svg><param name=movie value=javascript:alert(1)><script>alert(1)</script>",
    "<embed src='data:image/svg+xml,<svg onload=alert(1)>'><embed src=javascript:alert(1)>",
    "<embed src=/a.swf allowscriptaccess=always><embed src=javascript:alert(1) onload=alert(1)>",
    "<svg><foreignObject><iframe src=javascript:alert(1)></iframe></foreignObject></svg>",
    "<video src=javascript:alert(1) onerror=alert(1) autoplay><source src=x onerror=alert(1)>",
    "<video src=/a.mp4 poster=javascript:alert(1) onloadstart=alert(1)><track src=x></video>",
    "<audio src='/a.mp3\"autoplay onplay=alert(1)'></audio>",
    "<amp-img src=javascript:alert(1) onerror=alert(1)></amp-img>",
    "<picture onload=alert(1)><source srcset='javascript:alert(1) 2x'></picture>",
]


# The elements in which a payload may hide.
AROUND = [
    "<p>{}</p>", "<table><tr><td>a<td>{}<tr><td>b<td>c</table>", "<ul><li>{}</ul>", "<pre>{}</pre>",
    "<figure><img src=/a.png><figcaption>{}</figcaption></figure>",
]  # fmt: skip


ALLOWED_ATTRIBUTES = {
    "img": {"src", "alt"},
    "ol": {"start"},
    "video": {"src", "controls", "preload"},
    "audio": {"src", "controls", "preload"},
    "iframe": {"src", "sandbox"},
}


@pytest.mark.parametrize("payload", [around.format(it) for it in HOSTILE for around in AROUND])
def test_no_script_reaches_the_html(payload: str) -> None:
    root = etree.fromstring(
        f"<html><body>{forms_of(f'<p>Rain</p>{payload}<p>Fog</p>').html}", etree.HTMLParser()
    )
    for element in root.iter():
        assert element.tag in TAGS | {"html", "body"}
        assert set(element.keys()) <= ALLOWED_ATTRIBUTES.get(str(element.tag), {"href"})
        for name in ("href", "src"):
            assert element.get(name, "http:").startswith(("http:", "https:"))
        if element.tag == "iframe":
            assert element.get("src", "").startswith("https://www.youtube.com/embed/")
            assert ".." not in element.get("src", "")
            assert element.get("sandbox") == SANDBOX


def test_deep_pages_take_linear_time_and_give_flat_html() -> None:
    # nh3 takes half a minute for a hundred thousand levels; the parser itself stops at 2,047.
    def write_deep(levels: int) -> None:
        forms = forms_of(f"<p>Rain</p>{'<blockquote><ul><li>' * levels}deep")
        assert forms.html.count("<blockquote>") <= 12

    assert_linear(lambda levels: lambda: write_deep(levels), 30_000)


def test_media_in_one_figure_take_linear_time() -> None:
    def write_media(number: int) -> None:
        videos = "".join(f"a<video src=/{i}></video>" for i in range(number))
        forms = forms_of(f"<figure>{videos}<figcaption>{'<p>b' * number}</figcaption></figure>")
        assert len(forms.media) == number

    assert_linear(lambda number: lambda: write_media(number), 5_000)


def test_a_paragraph_of_very_many_pieces_takes_linear_time() -> None:
    def write_pieces(number: int) -> None:
        forms = forms_of("<p>" + "<span>a </span>" * 5 * number + "<b>a</b> c " * number)
        assert len(tokenize(forms.text)) == 7 * number

    assert_linear(lambda number: lambda: write_pieces(number), 10_000)


def test_a_sentence_of_several_leaves_is_one_paragraph() -> None:
    tree = parse_page("<div>Menu<br>See <a href=/x>the ferry</a> sail.<br>It <b>sank</b>.</div>")
    forms = write_forms(select_leaves(tree, [1, 2, 3, 4, 5, 6]))
    assert forms.text == "See the ferry sail.\n\nIt sank."
    assert forms.html.count("<p>") == 2
