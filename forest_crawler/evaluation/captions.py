"""Compare captions as the gold treats them.

Labelled sets disagree on whether a picture's caption belongs to the text. Neither is an error of
the method, so captions that an extractor keeps count only where the gold has them. The rule is the
same for all methods, peers included; only what the page marks as `figcaption` is a caption.
"""

from __future__ import annotations

from collections.abc import Iterable

from forest_crawler.page.tree import PageTree
from forest_crawler.text.comparison import comparable


def find_captions(tree: PageTree) -> frozenset[str]:
    """Return the letters and digits of each caption that a page marks as such."""
    captions = ("".join(map(str, element.itertext())) for element in tree.body.iter("figcaption"))
    return frozenset(filter(None, map(comparable, captions)))


def drop_captions(text: str, gold: str, captions: Iterable[str]) -> str:
    """Remove the lines of a text that are captions which the gold lacks.

    >>> drop_captions("It rained.\\nA wet cat", "It rained.", ["awetcat"])
    'It rained.'
    >>> drop_captions("It rained.\\nA wet cat", "It rained. A wet cat.", ["awetcat"])
    'It rained.\\nA wet cat'
    """
    wanted = comparable(gold)
    foreign = {caption for caption in captions if caption not in wanted}
    if not foreign:
        return text
    kept = [line for line in text.split("\n") if comparable(line) not in foreign]
    return "\n".join(kept) if any(map(str.strip, kept)) else text
