"""Media survive into an article's HTML, Markdown and list, and none of them is active."""

from __future__ import annotations

import json

import pytest

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.article.content.blocks import Media
from forest_crawler.article.content.forms import Forms, write_forms
from forest_crawler.article.content.html import SANDBOX
from forest_crawler.article.content.media import EMBED_PREFIXES, is_player
from forest_crawler.extraction.extraction import extract
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.wrapper import Wrapper

SITE = "http://gazette.example"
TUBE = "https://www.youtube.com/embed/dQw4w9WgXcQ"


def forms_of(body: str) -> Forms:
    tree = parse_page(f"<html><body>{body}</body></html>", url=f"{SITE}/2026/rain.html")
    return write_forms(select_elements(tree, [tree.body]))


@pytest.mark.parametrize(
    ("body", "text", "html", "markdown", "media"),
    [
        pytest.param(
            "<p>One</p><video autoplay loop poster=/a.jpg src=/a.mp4>Too old</video><p>two",
            "One\n\ntwo",
            f'<p>One</p>\n<video controls="" preload="none" src="{SITE}/a.mp4"></video>\n'
            "<p>two</p>",
            f"One\n\n[▶]({SITE}/a.mp4)\n\ntwo",
            [Media("video", f"{SITE}/a.mp4")],
            id="video",
        ),
        pytest.param(
            "<video><source src=blob:x><source src=/a.webm><source src=/a.mp4></video>",
            "",
            f'<video controls="" preload="none" src="{SITE}/a.webm"></video>',
            f"[▶]({SITE}/a.webm)",
            [Media("video", f"{SITE}/a.webm")],
            id="the-first-source-on-the-web",
        ),
        pytest.param(
            "<ul><li>One<li><audio src='a (1).mp3'></audio>two</ul>",
            "- One\n- two",
            f'<ul><li>One</li>\n<li><audio controls="" preload="none" '
            f'src="{SITE}/2026/a (1).mp3"></audio>\n<p>two</p></li></ul>',
            f"- One\n\n- [▶]({SITE}/2026/a%20%281%29.mp3)\n\n  two",
            [Media("audio", f"{SITE}/2026/a (1).mp3")],
            id="audio-in-a-list",
        ),
        pytest.param(
            f"<p>It <iframe src='{TUBE}?a=1&amp;b=2' allow=autoplay>Too old</iframe>rained.",
            "It rained.",
            f'<p>It rained.</p>\n<iframe src="{TUBE}?a=1&amp;b=2" sandbox="{SANDBOX}"></iframe>',
            f"It rained.\n\n[▶]({TUBE}?a=1&b=2)",
            [Media("embed", f"{TUBE}?a=1&b=2")],
            id="a-player-in-a-paragraph-comes-after-it",
        ),
        pytest.param(
            "<p>One</p><amp-video src=/a.mp4 layout=responsive><div fallback>Too old</div>"
            "</amp-video><amp-youtube data-videoid=dQw4w9WgXcQ></amp-youtube>"
            "<amp-vimeo data-videoid='../x'></amp-vimeo>",
            "One",
            f'<p>One</p>\n<video controls="" preload="none" src="{SITE}/a.mp4"></video>\n'
            f'<iframe src="{TUBE}" sandbox="{SANDBOX}"></iframe>',
            f"One\n\n[▶]({SITE}/a.mp4)\n\n[▶]({TUBE})",
            [Media("video", f"{SITE}/a.mp4"), Media("embed", TUBE)],
            id="amp",
        ),
        pytest.param(
            "<iframe src=//maps.example/harbour></iframe><p>One",
            "One",
            '<p><a href="http://maps.example/harbour">▶</a></p>\n<p>One</p>',
            "[▶](http://maps.example/harbour)\n\nOne",
            [Media("embed", "http://maps.example/harbour")],
            id="another-frame-is-a-link",
        ),
        pytest.param(
            "<iframe src=about:blank data-src=/map></iframe>",
            "",
            f'<p><a href="{SITE}/map">▶</a></p>',
            f"[▶]({SITE}/map)",
            [Media("embed", f"{SITE}/map")],
            id="lazy-frame",
        ),
        pytest.param(
            "<object><param name=movie value=/a.swf><embed src=/b.swf></object><p>One",
            "One",
            f'<p><a href="{SITE}/a.swf">▶</a></p>\n<p>One</p>',
            f"[▶]({SITE}/a.swf)\n\nOne",
            [Media("object", f"{SITE}/a.swf")],
            id="object",
        ),
        pytest.param(
            "<p>One<embed src=/a.swf></embed> two",
            "One two",
            f'<p>One two</p>\n<p><a href="{SITE}/a.swf">▶</a></p>',
            f"One two\n\n[▶]({SITE}/a.swf)",
            [Media("embed", f"{SITE}/a.swf")],
            id="embed",
        ),
        pytest.param(
            "<p>One<svg onload=x><text>two</text></svg><canvas>three</canvas>",
            "One",
            "<p>One</p>",
            "One",
            [],
            id="inline-graphics",
        ),
        pytest.param(
            "<table><tr><td>a<td>b<video src=/a.mp4></video><tr><td>c<td>d</table>",
            "a | b\nc | d",
            "<table>\n<tr><td>a</td><td>b</td></tr>\n<tr><td>c</td><td>d</td></tr>\n</table>\n"
            f'<video controls="" preload="none" src="{SITE}/a.mp4"></video>',
            f"| a | b |\n| --- | --- |\n| c | d |\n\n[▶]({SITE}/a.mp4)",
            [Media("video", f"{SITE}/a.mp4")],
            id="video-in-a-table-comes-after-it",
        ),
        pytest.param(
            "<pre>a = 1<video src=/a.mp4></video>\nb</pre>",
            "a = 1\nb",
            '<pre><code>a = 1\nb</code></pre>\n<video controls="" preload="none" '
            f'src="{SITE}/a.mp4"></video>',
            f"```\na = 1\nb\n```\n\n[▶]({SITE}/a.mp4)",
            [Media("video", f"{SITE}/a.mp4")],
            id="video-in-code-comes-after-it",
        ),
    ],
)
def test_media_are_in_html_and_markdown_but_not_in_the_text(
    body: str, text: str, html: str, markdown: str, media: list[Media]
) -> None:
    forms = forms_of(body)
    assert (forms.text, forms.html, forms.markdown) == (text, html, markdown)
    assert list(forms.media) == media


@pytest.mark.parametrize(
    ("body", "captions"),
    [
        pytest.param(
            "<figure>{}<figcaption>The <b>boat</b></figcaption></figure>", ["The boat"], id="below"
        ),
        pytest.param(
            "<figure><figcaption>The boat</figcaption>{}</figure>", ["The boat"], id="above"
        ),
        pytest.param(
            "<figure>{}<figcaption><p>The boat<p>Film: Ann Lee</figcaption></figure>",
            ["The boat Film: Ann Lee"],
            id="of-two-paragraphs",
        ),
        pytest.param(
            "<figure>{}{}<figcaption>Two boats</figcaption></figure>",
            ["Two boats", "Two boats"],
            id="of-two-media",
        ),
        pytest.param(
            "<figure><figure>{}<figcaption>One</figcaption></figure>"
            "<figure>{}<figcaption>Two</figcaption></figure></figure>",
            ["One", "Two"],
            id="figures-in-a-figure",
        ),
        pytest.param("{}<figure><img src=/a.jpg><figcaption>x</figure>", [None], id="elsewhere"),
        pytest.param("<figure>{}</figure><p>The boat", [None], id="none"),
    ],
)
def test_the_caption_of_a_medium_is_that_of_its_figure(
    body: str, captions: list[str | None]
) -> None:
    media = (f"<video src=/{number}.mp4></video>" for number in range(2))
    found = forms_of(body.format(*media)).media
    assert [it.caption for it in found] == captions


@pytest.mark.parametrize(
    "medium",
    [
        "<iframe src=/count width=1 height=1></iframe>",
        "<iframe src=/count height=0></iframe>",
        "<iframe></iframe>",
        "<iframe src=' '></iframe>",
        "<iframe src='#'></iframe>",
        "<iframe src=about:blank></iframe>",
        "<iframe srcdoc='<p>x'></iframe>",
        "<video src=blob:http://gazette.example/1></video>",
        "<video src=data:video/mp4;base64,AA></video>",
        "<embed src=javascript:x>",
        "<object data=file:///etc/passwd></object>",
        "<object classid=clsid:1></object>",
        "<iframe src='https://www.facebook.com/plugins/like.php?href=x'></iframe>",
        "<iframe src='//platform.twitter.com/widgets/tweet_button.html'></iframe>",
    ],
)
def test_elements_that_show_nothing_from_the_web_are_not_media(medium: str) -> None:
    forms = forms_of(f"<p>Rain</p>{medium}<p>Fog</p>")
    assert forms.media == ()
    assert forms.html.startswith("<p>Rain</p>")


def test_the_same_url_is_listed_once() -> None:
    assert len(forms_of("<video src=/a.mp4></video>" * 2).media) == 1


@pytest.mark.parametrize("prefix", EMBED_PREFIXES)
def test_only_the_listed_players_may_be_frames(prefix: str) -> None:
    assert prefix.startswith("https://")
    assert is_player(f"{prefix}abc-_1?start=7&x=%2F..")
    for other in (
        prefix.replace("https:", "http:"),
        prefix.replace("https://", "https://other@"),
        prefix.replace(".com/", ".com:8443/"),
        prefix.replace(".com/", ".com.other.example/"),
        prefix.replace(".com/", ".com/redirect?/"),
        prefix.replace("https://", "https://other.example/"),
        f"{prefix}/../redirect",
        f"{prefix}/%2e%2e/redirect",
        f"{prefix}\\..\\redirect",
        f"{prefix}x\n",
    ):
        assert not is_player(other)


@pytest.mark.parametrize(
    ("markup", "url"),
    [
        ("<amp-img src=/a.jpg width=9 height=9></amp-img>", "/a.jpg"),
        ("<amp-img srcset='/s.jpg 320w, /a.jpg 900w'></amp-img>", "/a.jpg"),
        ("<picture><source srcset='/a.jpg 2x'><source srcset='/b.jpg'></picture>", "/a.jpg"),
        ("<picture><source data-srcset='/a.jpg 2x'></picture>", "/a.jpg"),
        ("<picture><source srcset=/a.jpg><img data-src=/b.jpg></picture>", "/b.jpg"),
    ],
)
def test_pictures_in_other_elements_are_images(markup: str, url: str) -> None:
    forms = forms_of(f"<p>Rain</p>{markup}")
    assert [image.url for image in forms.images] == [SITE + url]
    assert forms.text == "Rain"


STORY = (
    "<h1>Ferry returns</h1><p>The ferry came back to the harbour.</p>"
    "<figure><video><source src=/ferry.mp4>Too old</video>"
    "<figcaption>The ferry at noon</figcaption></figure>"
    f"<div><iframe src='{TUBE}'></iframe></div><p>It sails again on Monday.</p>"
)


def test_an_article_keeps_its_video_with_the_caption() -> None:
    tree = parse_page(f"<main>{STORY}</main>", url=f"{SITE}/ferry")
    wrapper = Wrapper("gazette.example", "by hand", "portable", ("//main",))
    article = make_article(tree, extract(tree, [wrapper]), ArticleSource(tree.url))
    assert json.loads(article.line())["media"] == [
        {"type": "video", "url": f"{SITE}/ferry.mp4", "caption": "The ferry at noon"},
        {"type": "embed", "url": TUBE, "caption": None},
    ]
    assert article.text == (
        "The ferry came back to the harbour.\n\n▣ The ferry at noon\n\nIt sails again on Monday."
    )
    assert (
        f'<figure><video controls="" preload="none" src="{SITE}/ferry.mp4"></video>\n'
        "<figcaption>The ferry at noon</figcaption></figure>\n"
        f'<iframe src="{TUBE}" sandbox="{SANDBOX}"></iframe>'
    ) in article.html
    assert f"[▶]({SITE}/ferry.mp4)\n\n▣ The ferry at noon\n\n[▶]({TUBE})" in article.markdown


def test_media_between_selected_paragraphs_are_written_between_them() -> None:
    tree = parse_page(f"<div>Home{STORY}Imprint</div>", url=f"{SITE}/ferry")
    leaves = [i for i, text in enumerate(tree.outline.leaf_texts) if len(text) > len("Imprint")]
    forms = write_forms(select_leaves(tree, leaves))
    assert [it.url for it in forms.media] == [f"{SITE}/ferry.mp4", TUBE]
    assert f'noon</figcaption></figure>\n<iframe src="{TUBE}"' in forms.html
    assert forms.html.endswith("</iframe>\n<p>It sails again on Monday.</p>")
