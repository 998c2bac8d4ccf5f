"""Run Boilerpipe (Kohlschütter et al. 2010) by the package boilerpy3, on our tree.

By itself boilerpy3 parses the page again and returns text. Here its block builder gets the events
of our tree instead. It numbers every text that it gets, and a text block has the numbers of its
texts, so the blocks that the filters keep lead back to our leaves.

On tag soup the result differs from boilerpy3's own. Its parser finds no text without a `<body>`
tag, and it counts open elements: after a surplus or missing end tag it takes the rest of the page
for invisible, or for link text. Our tree is repaired, and has no hidden elements. Time is linear
but for boilerpy3's own merging of short blocks, which joins their texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from lxml import etree

from forest_crawler.errors import MissingPackageError
from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import PageTree

MAX_TEXTS = 2000
"""Max number of texts in a block: the builder's time grows with the square of that number."""

LONG_BLOCK = 15
"""Words from which boilerpy3's filters ignore a block's text, except for the title."""

Variant = Literal["DefaultExtractor", "ArticleExtractor", "LargestContentExtractor"]


@dataclass(frozen=True, slots=True)
class BoilerpipeExtractor:
    """Takes the leaves of the blocks that one of boilerpy3's extractors keeps."""

    variant: Variant

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves of content blocks; raises an error without boilerpy3."""
        try:
            from boilerpy3 import extractors
        except ImportError as err:
            raise MissingPackageError("boilerpipe", "boilerpy3", extra="bench") from err
        document, leaves = _read_blocks(tree)
        getattr(extractors, self.variant)().filter.process(document)
        kept = (block for block in document.text_blocks if block.is_content)
        return select_leaves(
            tree, (leaves[text] for block in kept for text in block.contained_text_elements)
        )


def _read_blocks(tree: PageTree) -> tuple[Any, dict[int, int]]:
    """Make boilerpy3's document of a page, and the leaf of each text number in it."""
    from boilerpy3.parser import BoilerpipeBaseParser

    builder = BoilerpipeBaseParser()
    builder.set_title(tree.html.findtext("head/title"))
    builder.start_element("html", {})  # the builder expects an element before body
    leaves: dict[int, int] = {}
    for event, tag, text in _events(tree):
        if event == "start":
            builder.start_element(tag, {})
        else:
            builder.end_element(tag)
        if text:
            builder.characters(text)
            if not text.isspace():
                leaves[builder.text_element_idx] = len(leaves)
            if len(builder.current_contained_text_elements) >= MAX_TEXTS:
                builder.flush_block()
                builder.current_contained_text_elements = set()
    document = builder.to_text_document()
    _forget_texts(document)
    return document, leaves


def _forget_texts(document: Any) -> None:
    """Empty the texts that no filter reads: every merge of blocks would copy them."""
    title_length = len(document.title or "")
    for block in document.text_blocks:
        if block.num_words >= LONG_BLOCK and len(block.text) > title_length:
            block.text = ""


def _events(tree: PageTree) -> Iterator[tuple[str, str, str | None]]:
    """Yield each start and end of an element, with its tag and the text after it.

    A link inside a link becomes a `span`: after two nested links the builder takes all further text
    of the page for link text.
    """
    links = 0
    for event, element in etree.iterwalk(tree.body, events=("start", "end")):
        is_start, is_link = event == "start", element.tag == "a"
        links += is_start and is_link
        tag = "span" if is_link and links > 1 else element.tag
        links -= not is_start and is_link
        if is_start:
            yield event, tag, element.text
        else:
            yield event, tag, element.tail if element is not tree.body else None


register("boilerpipe-default", BoilerpipeExtractor("DefaultExtractor"))
register("boilerpipe-article", BoilerpipeExtractor("ArticleExtractor"))
register("boilerpipe-largest", BoilerpipeExtractor("LargestContentExtractor"))
