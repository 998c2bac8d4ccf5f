"""Captions: which elements are one, and which pictures and media they belong to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import count

from lxml import etree

from forest_crawler.article.content.blocks import Block, Container
from forest_crawler.article.content.plain import join_runs
from forest_crawler.page.pictures import IMAGE_TAGS
from forest_crawler.page.tree import INLINE_TAGS
from forest_crawler.page.xpath import Element

MAX_CAPTION_LENGTH = 1000
"""Max characters of a caption in the lists of images and media; a figure's media repeat it."""

MAX_CAPTION_TEXT = 600
"""Max characters of an element that is a caption by its class: longer ones are boxes."""

_NAMES = re.compile(r"caption|cutline|(?:photo|image|img|picture)-?_?credit|bildunterschrift")
_TEXT_LENGTH = etree.XPath("string-length()", regexp=False)


def is_caption(element: Element) -> bool:
    """Whether an element is a caption: by its tag, or as a block by its class."""
    if element.tag == "figcaption":
        return True
    names = element.get("class")
    if not names or element.tag in INLINE_TAGS or not _NAMES.search(names.lower()):
        return False
    if next(element.iter(*IMAGE_TAGS), None) is not None:
        return False  # around picture and caption
    length = _TEXT_LENGTH(element)
    return isinstance(length, float) and length <= MAX_CAPTION_TEXT


def keep_figure(blocks: Sequence[Block]) -> list[Block]:
    """Keep the pictures and captions of a figure: other text are its buttons.

    Without a caption, its text is one.
    """
    if any(block.kind == "caption" for block in blocks):
        shown = (it for it in blocks if it.kind == "caption" or it.media or _has_image(it))
        return list(shown)
    is_text = (it.kind == "paragraph" and not _has_image(it) for it in blocks)
    pairs = zip(blocks, is_text, strict=True)
    return [replace(block, kind="caption") if text else block for block, text in pairs]


def pair_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Put a picture and the caption after it into a figure, where the page has none.

    A caption without a picture is a paragraph.
    """
    if not any(block.kind == "caption" for block in blocks):
        return tuple(blocks)
    used = (it.number for block in blocks for it in block.inside)
    numbers = count(max(used, default=0) + 1)
    paired: list[Block] = []
    for block in blocks:
        if block.kind != "caption" or any(it.kind == "figure" for it in block.inside):
            paired.append(block)
        elif paired and _is_picture(paired[-1]):
            picture = paired.pop()
            figure = Container("figure", next(numbers))
            inside = (*(it for it in picture.inside if it.kind != "figure"), figure)
            paired += [replace(picture, inside=inside), replace(block, inside=inside)]
        else:
            paired.append(replace(block, kind="paragraph"))
    return tuple(paired)


def find_captions(blocks: Sequence[Block]) -> list[str | None]:
    """Return for each block the caption of its figure: the next one, else the first."""
    if not any(block.inside for block in blocks):
        return [None] * len(blocks)
    following: list[str | None] = []
    captions: dict[Container, str] = {}
    later: Block | None = None
    for block in reversed(blocks):
        figure = _figure_of(block)
        if block.kind == "caption" and figure:
            text = " ".join(join_runs(block.runs).split())
            if later and later.kind == "caption" and figure in later.inside:
                text = f"{text} {captions[figure]}"
            captions[figure] = text[:MAX_CAPTION_LENGTH].rstrip()
        following.append(captions.get(figure) if figure else None)
        later = block
    figures = map(_figure_of, blocks)
    return [
        text or (captions.get(figure) if figure else None)
        for text, figure in zip(reversed(following), figures, strict=True)
    ]


def _figure_of(block: Block) -> Container | None:
    return next((it for it in block.inside if it.kind == "figure"), None)


def _is_picture(block: Block) -> bool:
    """Whether a block shows nothing but pictures or a medium."""
    shows = block.media is not None or _has_image(block)
    return shows and not join_runs(block.runs).strip()


def _has_image(block: Block) -> bool:
    return any(run.image for run in block.runs)
