"""Make additions to training pages: comments, galleries, articles, side columns.

None of it is content. The pages that we may train on have too little of it, because scripts load it
there.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from forest_crawler.page.xpath import Element

LISTS = (
    "comments comment-list commentlist comments-area comment_list article-comments reader-comments "
    "commentsection post-comments discussion responses respond user-comments comment-thread "
    "feedback comment-container"
).split()
ITEMS = (
    "comment,comment even thread-even depth-1,comment byuser,comment-item,comment odd alt,"
    "comment_row,c-comment,commentbody,singlecomment,comment-wrap,usercomment,response"
).split(",")
BODIES = (
    "comment-body comment-content comment-text comment_text format_text text content entry-content "
    "commententry message body"
).split()
BYLINES = "comment-meta comment-author vcard comment-info date by author user".split()
"""Class names and ids of comments in the software of blogs and news sites."""


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """How one site marks up its comments; a name is empty if there is none."""

    list_tag: str
    item_tag: str
    list_name: str
    item_name: str
    body_name: str
    byline_name: str
    has_paragraphs: bool
    byline_first: bool
    has_reply_link: bool


GALLERIES = (
    "gallery slideshow carousel photos image-gallery media-list slides pictures photo-gallery "
    "gallery-list swiper inline-gallery"
).split()
CAPTIONS = "caption image-caption description text copy gallery-text slide-text".split()
"""Class names of galleries and their captions."""


DIGESTS = (
    "related most-popular popular-stories recommended more-stories trending latest-news read-next "
    "related-articles top-stories promoted also-read"
).split()
"""Class names of lists of other articles."""

COLUMNS = (
    "sidebar side-bar left right left-column right-col secondary rail widgets widget-area aside "
    "col-left menu-left nav-column extra"
).split()
BOXES = "widget box module block panel side-box portlet".split()
"""Class names of side columns and the boxes in them."""


def make_comments(texts: Sequence[str], chance: random.Random) -> Element:
    """Make readers' comments in the style of one site, from other pages' texts."""
    style = _pick_style(chance)
    box = etree.Element("div")
    if style.list_name:
        box.set(chance.choice(["class", "id"]), style.list_name)
    if chance.random() < 0.8:
        heading = etree.SubElement(box, chance.choice(["h2", "h3", "h4", "div", "p"]))
        heading.text = f"{chance.randint(1, 200)} {_some_words(texts, chance, 3)}"
    items = etree.SubElement(box, style.list_tag)
    if style.list_name and chance.random() < 0.6:
        items.set("class", chance.choice(LISTS))
    nests = chance.random() < 0.3
    last: Element | None = None
    for _ in range(int(2 ** chance.uniform(0.5, 6.5))):
        above = items
        if nests and last is not None and chance.random() < 0.4:
            above = etree.SubElement(last, chance.choice(["ul", "ol", "div"]))
        last = _add_comment(above, style, texts, chance)
    if chance.random() < 0.5:
        form = etree.SubElement(box, "form")
        etree.SubElement(form, "p").text = _some_words(texts, chance, 30)
    return box


def make_gallery(texts: Sequence[str], chance: random.Random) -> Element:
    """Make a gallery: pictures with captions."""
    list_tag, item_tag = chance.choice(
        [("div", "div"), ("ul", "li"), ("ol", "li"), ("div", "figure")]
    )
    box = etree.Element(list_tag)
    if chance.random() < 0.8:
        box.set("class", chance.choice(GALLERIES))
    caption_tag = (
        "figcaption" if item_tag == "figure" else chance.choice(["p", "div", "span", "h3"])
    )
    caption_name = chance.choice(CAPTIONS) if chance.random() < 0.6 else ""
    max_words = chance.randint(8, 70)
    has_number, has_credit = chance.random() < 0.4, chance.random() < 0.4
    count = chance.randint(4, 25)
    for number in range(1, count + 1):
        item = etree.SubElement(box, item_tag)
        etree.SubElement(item, "img", {"src": f"{number}.jpg"})
        if has_number:
            etree.SubElement(item, "span").text = f"{number}/{count}"
        caption = etree.SubElement(item, caption_tag)
        if caption_name:
            caption.set("class", caption_name)
        caption.text = " ".join(chance.choice(texts).split()[:max_words])
        if has_credit:
            etree.SubElement(item, "span").text = _some_words(texts, chance, 2).title()
    return box


def make_further(main: Element, story: Sequence[str], chance: random.Random) -> Element:
    """Make another article, mostly with the markup of the first."""
    box = etree.Element("div")
    if chance.random() < 0.7:
        box = etree.Element(str(main.tag) if main.tag != "body" else "div")
        for name in ("class", "itemprop"):
            if main.get(name):
                box.set(name, str(main.get(name)))
    heading = etree.SubElement(box, chance.choice(["h1", "h2", "h2", "h3"]))
    title = _title_of(story, chance)
    if chance.random() < 0.6:
        etree.SubElement(heading, "a", {"href": "/further"}).text = title
    else:
        heading.text = title
    if chance.random() < 0.6:
        etree.SubElement(box, chance.choice(["p", "div", "span"])).text = _some_words(
            story, chance, 5
        )
    for text in story[1 : 1 + chance.randint(2, 15)]:
        etree.SubElement(box, "p").text = text
    return box


def make_digest(stories: Sequence[Sequence[str]], chance: random.Random) -> Element:
    """Make a list of other articles, with the beginning of each."""
    list_tag, item_tag = chance.choice([("ul", "li"), ("div", "div"), ("div", "article")])
    box = etree.Element(chance.choice(["div", "section"]))
    if chance.random() < 0.75:
        box.set(chance.choice(["class", "id"]), chance.choice(DIGESTS))
    etree.SubElement(box, chance.choice(["h2", "h3", "div"])).text = _some_words(
        stories[0], chance, 3
    )
    items = etree.SubElement(box, list_tag)
    heading_tag, paragraphs = chance.choice(["h2", "h3", "h4", "div"]), chance.randint(1, 4)
    for story in chance.choices(stories, k=chance.randint(3, 12)):
        item = etree.SubElement(items, item_tag)
        heading = etree.SubElement(item, heading_tag)
        etree.SubElement(heading, "a", {"href": "/other"}).text = _title_of(story, chance)
        for text in story[1 : 1 + chance.randint(1, paragraphs)]:
            etree.SubElement(item, "p").text = text
    return box


def make_column(stories: Sequence[Sequence[str]], chance: random.Random) -> Element:
    """Make a side column of boxes: notices, and lists of links, some with text."""
    column = etree.Element(chance.choice(["div", "div", "aside", "td", "section"]))
    if chance.random() < 0.7:
        column.set(chance.choice(["class", "id"]), chance.choice(COLUMNS))
    name = chance.choice(BOXES) if chance.random() < 0.5 else ""
    heading_tag = chance.choice(["h2", "h3", "h4", "div", "b"])
    for _ in range(chance.randint(2, 7)):
        box = etree.SubElement(column, "div")
        if name:
            box.set("class", name)
        story = chance.choice(stories)
        etree.SubElement(box, heading_tag).text = _some_words(story, chance, 4).capitalize()
        if chance.random() < 0.4:
            etree.SubElement(box, "p").text = chance.choice(story)
        else:
            _add_links(box, stories, chance)
    return column


def _add_links(box: Element, stories: Sequence[Sequence[str]], chance: random.Random) -> None:
    items = etree.SubElement(box, "ul")
    has_links, max_words = chance.random() < 0.7, chance.choice([0, 0, 12, 25])
    for story in chance.choices(stories, k=chance.randint(3, 12)):
        item = etree.SubElement(items, "li")
        title = etree.SubElement(item, "a" if has_links else "span")
        title.text = _title_of(story, chance)
        if max_words:
            etree.SubElement(item, "p").text = " ".join(story[1].split()[:max_words])


def _title_of(story: Sequence[str], chance: random.Random) -> str:
    return " ".join(story[0].split()[: chance.randint(4, 12)])


def _pick_style(chance: random.Random) -> CommentStyle:
    list_tag = chance.choice(["div", "div", "section", "ol", "ul", "table", "dl"])
    item_tag = {"ol": "li", "ul": "li", "table": "tr", "dl": "dd"}.get(list_tag, "div")
    is_named = chance.random() < 0.85
    has_items_named = chance.random() < (0.8 if is_named else 0.3)
    return CommentStyle(
        list_tag,
        item_tag,
        chance.choice(LISTS) if is_named else "",
        chance.choice(ITEMS) if has_items_named else "",
        chance.choice(BODIES) if chance.random() < 0.6 else "",
        chance.choice(BYLINES) if chance.random() < 0.7 else "",
        chance.random() < 0.75,
        chance.random() < 0.7,
        chance.random() < 0.6,
    )


def _add_comment(
    above: Element, style: CommentStyle, texts: Sequence[str], chance: random.Random
) -> Element:
    item = etree.SubElement(above, style.item_tag)
    if style.item_name:
        item.set("class", style.item_name)
        if chance.random() < 0.4:
            item.set("id", f"comment-{chance.randint(1000, 99999)}")
    cell = etree.SubElement(item, "td") if style.item_tag == "tr" else item
    if style.byline_first:
        _add_byline(cell, style, texts, chance)
    part = cell
    if style.body_name:
        part = etree.SubElement(cell, "div", {"class": style.body_name})
    for _ in range(min(1 + int(chance.expovariate(0.8)), 6)):
        if style.has_paragraphs:
            etree.SubElement(part, "p").text = chance.choice(texts)
        else:
            etree.SubElement(part, "br").tail = chance.choice(texts)
    if not style.byline_first:
        _add_byline(cell, style, texts, chance)
    if style.has_reply_link:
        link = etree.SubElement(etree.SubElement(cell, "div"), "a")
        link.text = _some_words(texts, chance, 1)
    return item


def _add_byline(
    above: Element, style: CommentStyle, texts: Sequence[str], chance: random.Random
) -> None:
    byline = etree.SubElement(above, chance.choice(["div", "p", "span", "cite"]))
    if style.byline_name:
        byline.set("class", style.byline_name)
    who = etree.SubElement(byline, chance.choice(["a", "a", "b", "strong", "span"]))
    who.text = _some_words(texts, chance, 2).title()
    day, year, hour = chance.randint(1, 28), chance.randint(2004, 2025), chance.randint(0, 23)
    who.tail = f" {day} {_some_words(texts, chance, 1)} {year}, {hour}:{chance.randint(10, 59)} "


def _some_words(texts: Sequence[str], chance: random.Random, max_words: int) -> str:
    count = chance.randint(1, max_words)
    return " ".join(chance.choice(chance.choice(texts).split()) for _ in range(count))
