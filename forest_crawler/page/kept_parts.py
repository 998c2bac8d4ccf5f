"""Parts of an article that differ from its running text: pictures, quotations, code.

The page model rates them low, because their text is short or unlike prose, and labelled sets
disagree on them; a reader would keep them. So inside a body they are kept unless they repeat.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from forest_crawler.page.outline import Outline

KEPT_TAGS = frozenset("blockquote code figcaption figure pre q".split())
"""Tags that say that their content belongs to the text around them."""

_QUOTE_CLASS = re.compile(r"(?:^|[\s_-])(?:pull-?|block-?)quote(?:$|[\s_-])", re.IGNORECASE)
"""Classes of quotations that are written with other tags."""

_WORD = re.compile(r"\w+")


def find_kept_leaves(outline: Outline) -> list[bool]:
    """Report for each text leaf whether it is in a part that is kept, and not a link's.

    A figure that is a link as a whole is a card that leads elsewhere. A quotation may be one by its
    class, unless it only repeats a sentence of the page for decoration.

    >>> from forest_crawler.page.tree import parse_page
    >>> find_kept_leaves(parse_page("<p>One<figure><p>Two</figure><pre>Three</pre>").outline)
    [False, True, True]
    >>> find_kept_leaves(parse_page("<figure><a><p>Read on</a></figure>").outline)
    [False]
    """
    classes = [(i, element.get("class")) for i, element in enumerate(outline.elements)]
    return mark_kept_leaves(
        outline,
        [i for i, value in classes if value and is_quote_class(value)],
        [i for i, element in enumerate(outline.elements) if element.tag in KEPT_TAGS],
        [i for i, element in enumerate(outline.elements) if element.tag == "a"],
    )


def mark_kept_leaves(
    outline: Outline, quotes: Iterable[int], kept_parts: Iterable[int], links: Iterable[int]
) -> list[bool]:
    """Return for every leaf whether it is in a kept part, given the elements that decide on it."""
    kept = [False] * len(outline.leaf_texts)
    for index in quotes:
        if not _is_repeated(outline, index):
            _mark(kept, outline, index, is_kept=True)
    for index in kept_parts:
        _mark(kept, outline, index, is_kept=True)
    for index in links:
        _mark(kept, outline, index, is_kept=False)
    return kept


def is_quote_class(value: str) -> bool:
    """Whether the class of an element says that it is a quotation."""
    return _QUOTE_CLASS.search(value) is not None


def _mark(kept: list[bool], outline: Outline, index: int, *, is_kept: bool) -> None:
    start, end = outline.leaf_starts[index], outline.leaf_ends[index]
    kept[start:end] = [is_kept] * (end - start)


def _is_repeated(outline: Outline, index: int) -> bool:
    """Whether the rest of the page has an element's words in a row."""
    texts, start, end = outline.leaf_texts, outline.leaf_starts[index], outline.leaf_ends[index]
    own = _join_words(texts[start:end])
    return own in _join_words(texts[:start]) or own in _join_words(texts[end:])


def _join_words(texts: Sequence[str]) -> str:
    return f" {' '.join(_WORD.findall(' '.join(texts).lower()))} "
