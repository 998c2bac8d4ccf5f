"""Parts of an article that differ from its running text: pictures, quotations, code.

The page model rates them low, because their text is short or unlike prose, and labelled sets
disagree on them; a reader would keep them. So inside a body they are kept unless they repeat.
"""

from __future__ import annotations

from forest_crawler.page.outline import Outline

KEPT_TAGS = frozenset("blockquote code figcaption figure pre q".split())
"""Tags that say that their content belongs to the text around them."""


def find_kept_leaves(outline: Outline) -> list[bool]:
    """Report for each text leaf whether it is in a part that is kept, and not a link's.

    A figure that is a link as a whole is a card that leads elsewhere.

    >>> from forest_crawler.page.tree import parse_page
    >>> find_kept_leaves(parse_page("<p>One<figure><p>Two</figure><pre>Three</pre>").outline)
    [False, True, True]
    >>> find_kept_leaves(parse_page("<figure><a><p>Read on</a></figure>").outline)
    [False]
    """
    kept = [False] * len(outline.leaf_texts)
    for tags, is_kept in ((KEPT_TAGS, True), (frozenset("a"), False)):
        for index, element in enumerate(outline.elements):
            if element.tag in tags:
                start, end = outline.leaf_starts[index], outline.leaf_ends[index]
                kept[start:end] = [is_kept] * (end - start)
    return kept
