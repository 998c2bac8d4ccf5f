"""Make training pages older, shorter or more crowded than they are.

The pages that we may train on are from 2025: they have few tables and few line breaks instead of
paragraphs, and scripts load their comments and further articles, so that the fetched page has none.
Pages from 2008 have all of that, and many posts are a picture and a line.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from lxml import etree

from benchmarks.grafts import (
    make_column,
    make_comments,
    make_digest,
    make_further,
    make_gallery,
)
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.page_model.division import Blocks, divide_blocks

Mask: TypeAlias = npt.NDArray[np.bool_]

SEMANTIC_TAGS = frozenset(
    "article main section header footer nav aside figure figcaption details summary".split()
)
HEADINGS = frozenset("h1 h2 h3 h4 h5 h6".split())
NAMING_ATTRIBUTES = ("class", "id", "role", "itemprop")

MIN_PARAGRAPH = 8
"""Words from which a block of content is a paragraph."""


def age_page(tree: PageTree, chance: random.Random) -> PageTree:
    """Make a page look older: tables, line breaks, fewer names, less metadata."""
    html = copy.deepcopy(tree.html)
    body = html.find("body")
    assert body is not None
    tags = _pick_tags(chance)
    names = chance.random()  # below 0.15 all are removed, below 0.4 half of them, else none
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
        return replace(tree, html=html, body=body, media=())
    etree.strip_elements(html, "meta", with_tail=False)
    return replace(tree, html=html, body=body, structured=(), media=())


def _pick_tags(chance: random.Random) -> dict[str, tuple[float, Sequence[str]]]:
    """Choose new tags, each with a probability; without any, line breaks are added."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Twin:
    """A copy of a page that may be changed, and the element of its article."""

    original: PageTree
    blocks: Blocks  # of the original
    is_content: Mask
    html: Element
    body: Element
    elements: list[Element]  # in the order of the page's outline
    main: Element  # comments could be inside or after it

    @property
    def tree(self) -> PageTree:
        return replace(self.original, html=self.html, body=self.body, media=())


def graft_comments(
    tree: PageTree, is_content: Mask, texts: Sequence[str], chance: random.Random
) -> PageTree | None:
    """Add comments from other pages' texts below an article; None without one."""
    twin = _copy_page(tree, is_content)
    if twin is None:
        return None
    if chance.random() < 0.4:
        _shorten(twin, chance.randint(1, 4))
    _place(make_comments(texts, chance), twin, chance.random())
    return twin.tree


def cut_to_brief(
    tree: PageTree, is_content: Mask, texts: Sequence[str], chance: random.Random
) -> PageTree | None:
    """Cut an article to its headline and a few words, as of posts with a picture.

    Most get comments, which are then longer than the post. Returns None without an article.
    """
    twin = _copy_page(tree, is_content)
    if twin is None:
        return None
    _keep_words(twin, int(2 ** chance.uniform(1.5, 6.5)))
    if chance.random() < 0.7:
        _place(make_comments(texts, chance), twin, chance.random())
    return twin.tree


def crowd_page(
    tree: PageTree, is_content: Mask, stories: Sequence[Sequence[str]], chance: random.Random
) -> PageTree | None:
    """Add a gallery into an article, or whole articles below it; None without one.

    `stories` are the paragraphs of other pages' articles.
    """
    twin = _copy_page(tree, is_content)
    if twin is None:
        return None
    has_gallery = chance.random() < 0.5
    if has_gallery:
        _add_gallery(twin, [text for it in chance.choices(stories, k=5) for text in it], chance)
    if not has_gallery or chance.random() < 0.4:
        _add_further(twin, stories, chance)
    return twin.tree


def flank_page(
    tree: PageTree, is_content: Mask, stories: Sequence[Sequence[str]], chance: random.Random
) -> PageTree | None:
    """Add a side column before an article, or a list of others after it, or None.

    Many of these articles are short, so that most of the page is beside them. Returns None without
    an article.
    """
    twin = _copy_page(tree, is_content)
    if twin is None:
        return None
    if chance.random() < 0.5:
        _shorten(twin, chance.randint(1, 4))
    if chance.random() < 0.6 and twin.main is not twin.body:
        twin.main.addprevious(make_column(stories, chance))
    else:
        _place(make_digest(stories, chance), twin, chance.uniform(0.35, 1))
    return twin.tree


def _copy_page(tree: PageTree, is_content: Mask) -> _Twin | None:
    blocks = divide_blocks(tree)
    main = _main_element(blocks, is_content)
    if main is None:
        return None
    html = copy.deepcopy(tree.html)
    body = html.find("body")
    assert body is not None
    elements = list(body.iter(etree.Element))
    return _Twin(tree, blocks, is_content, html, body, elements, elements[main])


def _add_gallery(twin: _Twin, texts: Sequence[str], chance: random.Random) -> None:
    paragraphs = np.flatnonzero(twin.is_content & (twin.blocks.words >= MIN_PARAGRAPH))
    owners = [twin.elements[i] for i in twin.blocks.owners[paragraphs].tolist()]
    anchors = [owner for owner in owners if owner.tag == "p"] or list(twin.main)[-1:]
    if anchors:
        _insert_after(make_gallery(texts, chance), chance.choice(anchors))


def _add_further(twin: _Twin, stories: Sequence[Sequence[str]], chance: random.Random) -> None:
    is_inside = chance.random() < 0.3 or twin.main is twin.body
    last = twin.main
    for story in chance.choices(stories, k=chance.choice([1, 1, 2, 3])):
        further = make_further(twin.main, story, chance)
        if is_inside:
            twin.main.append(further)
        else:
            _insert_after(further, last)
            last = further


def _insert_after(element: Element, before: Element) -> None:
    element.tail, before.tail = before.tail, None
    before.addnext(element)


def _place(comments: Element, twin: _Twin, where: float) -> None:
    """Insert at the end of the article's element, after it, or at its parent's end."""
    above = twin.main.getparent()
    if twin.main is twin.body or above is None or where < 0.35:
        twin.main.append(comments)
    elif where < 0.75:
        _insert_after(comments, twin.main)
    else:
        above.append(comments)


def _keep_words(twin: _Twin, max_words: int) -> None:
    """Cut an article after its first words; keep what is before its first paragraph."""
    blocks, outline = twin.blocks, twin.blocks.outline
    first = int((twin.is_content & (blocks.words >= MIN_PARAGRAPH)).argmax())
    for block in np.flatnonzero(twin.is_content).tolist():
        if block < first or outline.elements[blocks.owners[block]].tag == "h1":
            continue
        for leaf in (outline.leaves[at] for at in blocks.leaves(block)):
            words = leaf.text.split()[:max_words]
            max_words -= len(words)
            element = twin.elements[outline.positions[leaf.element]]
            setattr(element, "tail" if leaf.is_tail else "text", " ".join(words) or None)


def _shorten(twin: _Twin, paragraphs: int) -> None:
    """Cut an article to its first paragraphs: many posts are shorter than comments."""
    blocks = twin.blocks
    longer = np.flatnonzero(twin.is_content & (blocks.words >= MIN_PARAGRAPH))[paragraphs:]
    for owner in {twin.elements[i] for i in blocks.owners[longer].tolist()}:
        if owner.tag in ("p", "li", "blockquote", "h2", "h3", "h4"):
            tail = owner.tail
            owner.clear()
            owner.tail = tail


def _main_element(blocks: Blocks, is_content: Mask) -> int | None:
    """Find the smallest element with 85 % of the content that can have comments."""
    outline = blocks.outline
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
