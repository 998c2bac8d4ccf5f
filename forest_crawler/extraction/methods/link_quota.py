"""Link quota filter (Gottron, section 5.4): drop blocks that are mostly links.

`lqf-25`, `lqf-50` and `lqf-75` are the paper's three thresholds.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.extraction.methods.registry import register
from forest_crawler.page.outline import Outline
from forest_crawler.page.selection import Selection, select_leaves
from forest_crawler.page.tree import INLINE_TAGS, PageTree

THRESHOLDS = (0.25, 0.5, 0.75)


@dataclass(frozen=True, slots=True)
class LinkQuotaExtractor:
    """Selects all text except that of blocks with a link quota above the threshold.

    A block's quota is that of its own text: blocks nested in it neither count nor are they dropped
    with it. Otherwise a single link beside the article's blocks, such as "print", would drop the
    whole article with the element around it.
    """

    threshold: float

    def extract(self, tree: PageTree) -> Selection:
        """Select the leaves of the other blocks."""
        outline = tree.outline
        block_of = _block_of(outline)
        blocks = [block_of[owner] for owner in outline.leaf_owners]
        lengths = [len("".join(text.split())) for text in outline.leaf_texts]
        in_link = _in_link(outline)
        text = [0] * len(outline.elements)
        link_text = [0] * len(outline.elements)
        for block, owner, length in zip(blocks, outline.leaf_owners, lengths, strict=True):
            text[block] += length
            link_text[block] += length * in_link[owner]
        kept = (
            leaf
            for leaf, block in enumerate(blocks)
            if link_text[block] <= self.threshold * text[block]
        )
        return select_leaves(tree, kept)


def _block_of(outline: Outline) -> list[int]:
    """Find the block of each element's text: itself, or its nearest block ancestor."""
    blocks: list[int] = []
    for index, element in enumerate(outline.elements):
        is_inline = index > 0 and element.tag in INLINE_TAGS
        blocks.append(blocks[outline.parents[index]] if is_inline else index)
    return blocks


def _in_link(outline: Outline) -> list[bool]:
    """Flag the elements that are links or inside one.

    Only `a` with `href` is a link: an `<a name>` that is never closed may contain half a page.
    """
    found: list[bool] = []
    for index, element in enumerate(outline.elements):
        is_link = element.tag == "a" and element.get("href") is not None
        found.append(is_link or (index > 0 and found[outline.parents[index]]))
    return found


for _threshold in THRESHOLDS:
    register(f"lqf-{_threshold * 100:.0f}", LinkQuotaExtractor(_threshold))
