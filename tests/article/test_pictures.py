"""An article keeps its pictures with their captions, and no others."""

from __future__ import annotations

import json

import pytest

from forest_crawler.article import Article, ArticleSource, FormOptions, make_article
from forest_crawler.article.content.blocks import ListedImage
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.page.selection import select_elements, select_leaves
from forest_crawler.page.tree import parse_page
from forest_crawler.page.xpath import ElementPath

SITE = "http://gazette.example"
PICTURE = "<img src=/a.jpg alt=Pier>"
FIGURE = f"<figure>{PICTURE}<figcaption>The old pier</figcaption></figure>"
MAIN_IMAGE = "<meta property=og:image content=/harbour-1200x800.jpg>"


def by_leaves(body: str, *wanted: str, head: str = "") -> Article:
    """Make the article of the leaves that begin with one of the words."""
    page = f"<html><head><title>Ferry</title>{head}</head><body>{body}"
    tree = parse_page(page, url=f"{SITE}/ferry")
    texts = enumerate(tree.outline.leaf_texts)
    leaves = [number for number, text in texts if text.strip().startswith(wanted)]
    found = Extraction(select_leaves(tree, leaves), "page:page")
    return make_article(tree, found, ArticleSource(tree.url))


def by_elements(body: str, xpath: str, strip: str = "//none", **options: bool) -> Article:
    """Make the article of elements, without stripped ones."""
    tree = parse_page(f"<title>Ferry</title><body>{body}", url=f"{SITE}/ferry")
    stripped = ElementPath(strip)(tree.html)
    selection = select_elements(tree, ElementPath(xpath)(tree.html), stripped)
    found = Extraction(selection, "wrapper")
    return make_article(tree, found, ArticleSource(tree.url), options=FormOptions(**options))


def urls_of(article: Article) -> list[str]:
    return [image.url.removeprefix(SITE) for image in article.images]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"<p>One</p>{PICTURE}<p>Two</p>", id="between"),
        pytest.param(f"<p>One</p><p><a href=/a>{PICTURE}</a></p><p>Two</p>", id="linked"),
        pytest.param(f"<p>One</p>{FIGURE}<p>Two</p>", id="unselected-caption"),
        pytest.param(f"<p>One</p><div>{FIGURE}</div><p>Two</p>", id="figure-in-a-box"),
        pytest.param(
            f"<p>One</p><figure>{PICTURE}<figcaption><a href=/c>Ann Lee</a></figcaption></figure>"
            "<p>Two</p>",
            id="linked-caption",
        ),
        pytest.param(
            f"<main><p>One is long enough</p><p>Two</p>{PICTURE}</main><p>Ad", id="at-the-end"
        ),
        pytest.param("<p>One</p><picture><source srcset=/a.jpg></picture><p>Two</p>", id="picture"),
    ],
)
def test_a_picture_beside_selected_text_is_kept(body: str) -> None:
    assert urls_of(by_leaves(body, "One", "Two")) == ["/a.jpg"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(f"{PICTURE}<p>Menu<p>One<p>Two", id="before"),
        pytest.param(f"<p>One<p>Two</p><div>{PICTURE}<a href=/b>More</a></div>", id="card"),
        pytest.param(f"<p>One<p>Two</p>{PICTURE}<p>Subscribe to our letter", id="after"),
        pytest.param(
            f"<p>One</p><div>{PICTURE}<h3>More of this</h3></div><p>Two", id="card-in-between"
        ),
        pytest.param(
            f"<p>One</p><figure><a href=/b>{PICTURE}<b>Read it</b></a></figure><p>Two",
            id="bookmark",
        ),
        pytest.param("<p>One<p>Two</p><img src=/a.jpg width=1 height=1><p>Two more", id="pixel"),
    ],
)
def test_a_picture_beside_other_text_is_foreign(body: str) -> None:
    assert urls_of(by_leaves(body, "One", "Two")) == []


@pytest.mark.parametrize(
    "rest",
    [
        "<button>Zoom</button><figcaption>The pier</figcaption><a href=#2>Next</a>",
        "<p>The pier</p>",
    ],
)
def test_a_figure_brings_its_caption_and_not_its_buttons(rest: str) -> None:
    article = by_leaves(f"<p>One</p><figure>{PICTURE}{rest}</figure><p>Two", "One", "Two")
    assert article.text == "One\n\n▣ The pier\n\nTwo"


def test_a_gallery_keeps_its_pictures_in_order_with_their_captions() -> None:
    slides = "".join(
        f"<li><figure><img src=/{n}.jpg><figcaption>Day {n}</figcaption></figure>" for n in "123"
    )
    article = by_leaves(f"<p>One</p><ul>{slides}</ul><p>Two", "One", "Two", "Day")
    assert article.images == tuple(ListedImage(f"{SITE}/{n}.jpg", None, f"Day {n}") for n in "123")


def test_the_slides_that_a_gallery_hides_are_kept() -> None:
    slides = "".join(f"<div class=slide aria-hidden=true><img src=/{n}.jpg></div>" for n in "123")
    assert urls_of(by_elements(f"<main><p>One</p>{slides}</main>", "//main")) == [
        "/1.jpg",
        "/2.jpg",
        "/3.jpg",
    ]


def test_pictures_between_selected_paragraphs_are_kept_but_not_stripped_ones() -> None:
    body = f"<p>One</p>{FIGURE}<p>Two</p><div class=ad><img src=/ad.jpg></div><p>Three</p>"
    article = by_elements(body, "//p", "//div[@class='ad']")
    assert urls_of(article) == ["/a.jpg"]
    assert article.text == "One\n\n▣ The old pier\n\nTwo\n\nThree"


@pytest.mark.parametrize(
    "markup",
    [
        pytest.param(FIGURE, id="figcaption"),
        pytest.param(f"{PICTURE}<p class=wp-caption-text>The old pier</p>", id="class"),
        pytest.param(
            f"<div class=wp-caption>{PICTURE}<p class=caption>The old pier</p></div>", id="box"
        ),
        pytest.param(
            f"<div>{PICTURE}</div><div class='photo-caption'>The old pier</div>", id="beside"
        ),
    ],
)
def test_a_caption_is_marked_in_all_three_forms(markup: str) -> None:
    article = by_elements(f"<main><p>One</p>{markup}<p>Two</p></main>", "//main")
    assert article.images == (ListedImage(f"{SITE}/a.jpg", "Pier", "The old pier"),)
    assert article.text == "One\n\n▣ The old pier\n\nTwo"
    assert article.html == (
        f'<p>One</p>\n<figure><p><img src="{SITE}/a.jpg" alt="Pier"></p>\n'
        "<figcaption>The old pier</figcaption></figure>\n<p>Two</p>"
    )
    assert article.markdown == f"One\n\n![Pier]({SITE}/a.jpg)\n\n▣ The old pier\n\nTwo"


def test_a_caption_without_a_picture_is_a_paragraph() -> None:
    article = by_elements("<main><p>One</p><p class=caption>Two</p></main>", "//main")
    assert (article.text, article.html) == ("One\n\nTwo", "<p>One</p>\n<p>Two</p>")


def test_captions_are_left_out_on_request_but_stay_in_the_list() -> None:
    article = by_elements(f"<main><p>One</p>{FIGURE}</main>", "//main", captions=False)
    assert article.text == article.markdown.split("\n")[0] == "One"
    assert "The old pier" not in article.html
    assert article.images == (ListedImage(f"{SITE}/a.jpg", "Pier", "The old pier"),)


def test_the_list_of_images_is_one_of_objects() -> None:
    row = json.loads(by_elements(f"<main><p>One</p>{FIGURE}</main>", "//main").line())
    assert row["images"] == [{"url": f"{SITE}/a.jpg", "alt": "Pier", "caption": "The old pier"}]


@pytest.mark.parametrize(
    ("body", "head", "urls"),
    [
        pytest.param(
            f"<h1>Ferry</h1><p>By Ann</p>{FIGURE}<p>6 March</p><p>One<p>Two",
            "",
            ["/a.jpg"],
            id="figure-after-the-headline",
        ),
        pytest.param(
            "<img src=/harbour.jpg><h1>Ferry</h1><p>By Ann<p>One<p>Two",
            MAIN_IMAGE,
            ["/harbour.jpg"],
            id="main-image-before-the-headline",
        ),
        pytest.param(
            f"<a href=/>Menu</a>{FIGURE}<h1>Ferry</h1><p>By Ann</p><p>One<p>Two",
            "",
            ["/a.jpg"],
            id="figure-directly-before-the-headline",
        ),
        pytest.param(
            f"{FIGURE}<p>Sport</p><h1>Ferry</h1><p>By Ann</p><p>One<p>Two",
            "",
            [],
            id="figure-before-a-kicker",
        ),
        pytest.param(
            f"<a href=/b>{FIGURE}</a><h1>Ferry</h1><p>By Ann</p><p>One<p>Two",
            "",
            [],
            id="linked-figure-before-the-headline",
        ),
        pytest.param(
            f"<h1>Ferry</h1><p>One</p><p>By Ann</p>{FIGURE}<p>6 March</p><p>Two<p>Two more",
            "",
            ["/a.jpg"],
            id="figure-after-a-lead",
        ),
        pytest.param(
            f"<h1>Ferry</h1><p>One</p><p>By Ann</p><div>{FIGURE}<h4>More</h4></div><p>Two",
            "",
            [],
            id="box-after-a-lead",
        ),
        pytest.param(
            f"<h1>Ferry</h1><p>One</p><p>Two</p><p>By Ann</p>{FIGURE}<p>6 March</p><p>Two more",
            "",
            [],
            id="figure-after-two-blocks",
        ),
        pytest.param(
            f"<h1>Ferry</h1><p>By Ann{PICTURE}<p>6 March<p>One<p>Two", "", [], id="portrait"
        ),
        pytest.param(
            "<h1>Ferry</h1><p>By Ann</p><figure><img src=/avatar/ann.jpg></figure><p>6 March<p>One",
            "",
            [],
            id="portrait-in-a-figure",
        ),
        pytest.param(
            "<img src=/harbour.jpg><h1>Ferry</h1><p>By A<p>One<img src=/harbour-640x480.jpg><p>Two",
            MAIN_IMAGE,
            ["/harbour-640x480.jpg"],
            id="the-body-has-it",
        ),
    ],
)
def test_the_lead_picture_outside_the_body_comes_first(
    body: str, head: str, urls: list[str]
) -> None:
    article = by_leaves(body, "One", "Two", head=head)
    assert urls_of(article) == urls
    assert (article.html.find("<img") > article.html.find("One")) == (
        urls == ["/harbour-640x480.jpg"]
    )


def test_pictures_of_a_service_that_resizes_them_differ_by_what_they_show() -> None:
    served = "/_next/image?w=1200&amp;url=https%3A%2F%2Fcdn.example%2F"
    lead = f"<figure><img src='{served}pier.webp'></figure>"
    body = f"<h1>Ferry</h1>{lead}<p>By Ann</p><p>One<img src='{served}sea.webp'><p>Two"
    found = [url.rpartition("%2F")[2] for url in urls_of(by_leaves(body, "One", "Two"))]
    assert found == ["pier.webp", "sea.webp"]


def test_images_that_repeat_three_times_are_icons() -> None:
    stars = "<p>Good <img src=/star.svg></p>" * 3
    article = by_elements(f"<main>{PICTURE}{PICTURE}{stars}</main>", "//main")
    assert urls_of(article) == ["/a.jpg"]
    assert article.text == "Good\n\nGood\n\nGood"


@pytest.mark.parametrize("name", ["nitro-lazy-src", "data-hi-res-src", "data-lazy-load-srcset"])
def test_other_attributes_of_lazy_loading_are_read(name: str) -> None:
    article = by_elements(f"<main><p>One<img src=/b.gif {name}=/a.jpg></main>", "//main")
    assert urls_of(article) == ["/a.jpg"]
