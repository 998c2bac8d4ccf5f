"""Share bars inside an article: buttons to send it on, after every update of a live blog."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from lxml import etree

from forest_crawler.article.content.blocks import Block
from forest_crawler.article.content.plain import join_runs
from forest_crawler.page.xpath import Element

MAX_BAR_LENGTH = 120
"""Max characters of a share bar; a longer one is an embedded post."""

MAX_BAR_WORDS = 8
MIN_REPEATS = 3
"""Links of at most so many words that an article repeats so often are buttons."""

_BAR = re.compile(
    r"(?:^|[\s_-])(?:share|sharing|social)(?:[_-]?(?:bar|box|buttons?|links?|tools?|icons?|widget|"
    r"list|menu|items?|container|wrapper|this|block|options?|nav|actions?|area|group|media))?"
    r"(?:$|\s|--|__)"
)
_TEXT_LENGTH = etree.XPath("string-length(normalize-space())", regexp=False)


def is_share_bar(element: Element) -> bool:
    """Whether an element is a share bar: short, named so, and with links or buttons only."""
    names = element.get("class")
    if not names or not _BAR.search(names.lower()):
        return False
    length = _TEXT_LENGTH(element)
    if not isinstance(length, float) or length > MAX_BAR_LENGTH:
        return False
    return next(element.iter("a", "button"), None) is not None


def drop_buttons(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Remove short blocks of links that an article repeats `MIN_REPEATS` times or more."""
    texts = [_button_text(block) for block in blocks]
    counts = Counter(filter(None, texts))
    return tuple(
        block
        for block, text in zip(blocks, texts, strict=True)
        if not text or counts[text] < MIN_REPEATS
    )


def _button_text(block: Block) -> str | None:
    """Return the text of a block that is nothing but a few linked words."""
    if block.kind != "paragraph":
        return None
    for run in block.runs:
        if run.image or not (run.link or not run.text.strip()):
            return None
    words = join_runs(block.runs).split()
    return " ".join(words) if 0 < len(words) <= MAX_BAR_WORDS else None
