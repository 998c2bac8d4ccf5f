"""Training pages made older, or given readers' comments, than they are.

The pages that may be trained on are of 2025: few tables, few line breaks for paragraphs, and
comments that a script loads, so that the page as fetched has none. A page of 2008 has all of that.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from lxml import etree

from forest_crawler.blocks.division import Blocks
from forest_crawler.tree import PageTree
from forest_crawler.xpath import Element

SEMANTIC_TAGS = frozenset(
    "article main section header footer nav aside figure figcaption details summary".split()
)
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
NAMING_ATTRIBUTES = ("class", "id", "role", "itemprop")

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
"""What the software of blogs and news sites calls its comments."""


@dataclass(frozen=True, slots=True)
class CommentStyle:
    """How one site marks its comments up; a name is empty where it has none."""

    list_tag: str
    item_tag: str
    list_name: str
    item_name: str
    body_name: str
    byline_name: str
    has_paragraphs: bool
    byline_first: bool
    has_reply_link: bool


def age_page(tree: PageTree, chance: random.Random) -> PageTree:
    """Make a page look older: no semantic tags, tables, line breaks, fewer names, no metadata."""
    html = copy.deepcopy(tree.html)
    body = html.find("body")
    assert body is not None
    tags = _pick_tags(chance)
    names = chance.random()  # below 0.15 all go, below 0.4 half of the values, else they stay
    dropped: dict[str, bool] = {}
    for element in list(body.iter(etree.Element))[1:]:
        _age_element(element, tags, chance)
        for attribute in NAMING_ATTRIBUTES:
            value = element.get(attribute)
            if value is None or names >= 0.4:
                continue
            if names < 0.15 or dropped.setdefault(value, chance.random() < 0.5):
                del element.attrib[attribute]
    if chance.random() < 0.3:
        return replace(tree, html=html, body=body)
    etree.strip_elements(html, "meta", with_tail=False)
    return replace(tree, html=html, body=body, structured=())


def _pick_tags(chance: random.Random) -> dict[str, tuple[float, Sequence[str]]]:
    """Which tags become which, each with a probability; an empty one becomes line breaks."""
    tags: dict[str, tuple[float, Sequence[str]]] = {}
    if chance.random() < 0.9:
        tags |= dict.fromkeys(SEMANTIC_TAGS, (1.0, ("div",)))
    if chance.random() < 0.35:
        tags["div"] = (0.35, ("td",))
    if chance.random() < 0.3:
        tags |= dict.fromkeys(HEADINGS, (1.0, ("div", "p", "td")))
    if chance.random() < 0.25:
        tags["p"] = (1.0, ())
    if chance.random() < 0.2:
        tags["li"] = (1.0, ())
    return tags


def _age_element(
    element: Element, tags: dict[str, tuple[float, Sequence[str]]], chance: random.Random
) -> None:
    probability, others = tags.get(str(element.tag), (0.0, ()))
    if chance.random() >= probability:
        return
    if others:
        element.tag = chance.choice(others)
        return
    is_paragraph = element.tag == "p"
    element.tag = "span"
    for _ in range(2 if is_paragraph else 1):
        line_break = etree.Element("br")
        line_break.tail, element.tail = element.tail, None
        element.addnext(line_break)


def graft_comments(
    blocks: Blocks,
    is_content: npt.NDArray[np.bool_],
    texts: Sequence[str],
    chance: random.Random,
) -> PageTree | None:
    """Put readers' comments, made of other pages' texts, under an article; None without one."""
    tree = blocks.tree
    main = _main_element(blocks, is_content)
    if main is None:
        return None
    html = copy.deepcopy(tree.html)
    body = html.find("body")
    assert body is not None
    twins = list(body.iter(etree.Element))
    if chance.random() < 0.4:
        _shorten(blocks, is_content, twins, chance.randint(1, 4))
    comments = _make_comments(_pick_style(chance), texts, chance)
    _place(comments, twins[main], body, chance.random())
    return replace(tree, html=html, body=body)


def _main_element(blocks: Blocks, is_content: npt.NDArray[np.bool_]) -> int | None:
    """The smallest element with 85% of the content that comments could stand in or behind."""
    outline = blocks.tree.outline
    sums = np.concatenate(([0.0], np.cumsum(blocks.words * is_content)))
    if sums[-1] < 30:
        return None
    starts = blocks.starts[:-1]
    first = np.searchsorted(starts, outline.leaf_starts)
    last = np.searchsorted(starts, outline.leaf_ends)
    main = int(np.flatnonzero(sums[last] - sums[first] >= 0.85 * sums[-1])[-1])
    while main and str(outline.elements[main].tag) in "p table tr tbody ul ol li dl".split():
        main = outline.parents[main]
    return main


def _shorten(
    blocks: Blocks, is_content: npt.NDArray[np.bool_], twins: list[Element], paragraphs: int
) -> None:
    """Leave an article its first paragraphs only: many posts are shorter than their comments."""
    longer = np.flatnonzero(is_content & (blocks.words >= 8))[paragraphs:]
    for owner in set(blocks.owners[longer].tolist()):
        if twins[owner].tag in ("p", "li", "blockquote", "h2", "h3", "h4"):
            tail = twins[owner].tail
            twins[owner].clear()
            twins[owner].tail = tail


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


def _make_comments(style: CommentStyle, texts: Sequence[str], chance: random.Random) -> Element:
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


def _some_words(texts: Sequence[str], chance: random.Random, most: int) -> str:
    count = chance.randint(1, most)
    return " ".join(chance.choice(chance.choice(texts).split()) for _ in range(count))


def _place(comments: Element, main: Element, body: Element, where: float) -> None:
    """In the article's element, right behind it, or at the end of the element around it."""
    above = main.getparent()
    if main is body or above is None or where < 0.35:
        main.append(comments)
    elif where < 0.75:
        comments.tail, main.tail = main.tail, None
        main.addnext(comments)
    else:
        above.append(comments)
