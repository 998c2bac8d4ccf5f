"""Where a page shows its headline.

Bylines, date lines and the lead picture are near it. Mostly it is the only `h1`; but that may also
be the site's name, and some pages have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from itertools import islice

from forest_crawler.metadata.shown_text import read_shown
from forest_crawler.metadata.titles import MIN_PART, find_shown, fold_title, title_parts
from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.comparison import comparable

_MAX_HEADLINES = 20
_MAX_METAS = 1000
_MAX_TITLES = 5


def read_headlines(tree: PageTree) -> list[str]:
    """Read the texts of a page's first-level headings."""
    return list(map(_heading_text, islice(tree.body.iter("h1"), _MAX_HEADLINES)))


@once_per_tree
def find_headline_leaf(tree: PageTree) -> int | None:
    """Find the text leaf that begins the page's headline.

    It is the `h1` that shows the page's title; else another heading, or on a page without an `h1`
    any text, that is the title or a part of it; else the longest `h1`.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = "<title>Rain at last | Gazette</title><h1>The Gazette</h1><h2>Rain at last</h2>"
    >>> find_headline_leaf(parse_page(page))
    1
    """
    titles = _stated_titles(tree)
    headings = list(tree.body.iter("h1"))
    if not headings and not titles:
        return None  # without numbering the page
    outline = tree.outline
    indices = [outline.positions[it] for it in headings]
    indices = [it for it in indices if outline.leaf_ends[it] > outline.leaf_starts[it]]
    wanted = _comparable_parts(titles)
    index = _find_shown_heading(tree, indices, titles)
    if index is None:
        index = _find_minor_heading(tree, wanted)
    if index is not None:
        return outline.leaf_starts[index]
    texts = outline.leaf_texts
    if not indices:
        return next((leaf for leaf, text in enumerate(texts) if comparable(text) in wanted), None)
    return max((outline.leaf_starts[it] for it in indices), key=lambda leaf: len(texts[leaf]))


def _find_shown_heading(
    tree: PageTree, indices: Sequence[int], titles: Sequence[str]
) -> int | None:
    """Find the first-level heading that shows one of the page's titles."""
    outline = tree.outline
    first = reversed(indices[:_MAX_HEADLINES])
    shown = {fold_title(_heading_text(outline.elements[it])): it for it in first}
    headline = find_shown(titles, shown, language=tree.language)
    return None if headline is None else shown[headline]


def _find_minor_heading(tree: PageTree, wanted: Set[str]) -> int | None:
    """Find the first heading of a lower level that is a title or a part of it."""
    headings = islice(tree.body.iter("h2", "h3", "h4"), _MAX_HEADLINES)
    found = (it for it in headings if comparable(_heading_text(it)) in wanted)
    heading = next(found, None) if wanted else None
    return None if heading is None else tree.outline.positions[heading]


def _heading_text(heading: Element) -> str:
    return read_shown(heading, " ")


def _stated_titles(tree: PageTree) -> list[str]:
    stated = [element.text for element in islice(tree.head_elements("title"), 1)]
    metas = islice(tree.head_elements("meta"), _MAX_METAS)
    stated += [meta.get("content") for meta in metas if meta.get("property") == "og:title"]
    return [title for it in stated[:_MAX_TITLES] if (title := fold_title(it or ""))]


def _comparable_parts(titles: Iterable[str]) -> set[str]:
    parts = (part for title in titles for part in (title, *title_parts(title)))
    return {text for it in parts if len(text := comparable(it)) >= MIN_PART}
