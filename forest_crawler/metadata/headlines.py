"""Where a page shows its headline.

Bylines, date lines and the lead picture are near it. Mostly it is the only `h1`; but that may also
be the site's name, and some pages have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import islice
from operator import itemgetter
from typing import TypeVar

from forest_crawler.metadata.shown_text import read_pieces, read_shown
from forest_crawler.metadata.titles import (
    MIN_PART,
    cut_name,
    find_shown,
    fold_title,
    title_parts,
)
from forest_crawler.page.once_per_tree import once_per_tree
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.comparison import comparable

_T = TypeVar("_T")

_MAX_HEADLINES = 20
_MAX_PIECES = 20  # texts of a heading after which it is cut
_MAX_METAS = 1000
_MAX_TITLES = 5


def read_headlines(tree: PageTree, titles: Iterable[str] = ()) -> list[str]:
    """Read the texts of a page's first-level headings, without kickers that titles lack.

    >>> from forest_crawler.page.tree import parse_page
    >>> read_headlines(parse_page("<h1><i>Weather |</i> Rain at last"), ["Rain at last"])
    ['Rain at last']
    """
    headings = list(islice(tree.body.iter("h1"), _MAX_HEADLINES))
    stated = {letters for letters in map(comparable, titles) if len(letters) >= MIN_PART}
    return [_cut_kicker(it, stated) or _heading_text(it) for it in headings]


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
    titles, sitename = _stated_titles(tree)
    headings = list(tree.body.iter("h1"))
    if not headings and not titles:
        return None  # without numbering the page
    outline = tree.outline
    indices = [outline.positions[it] for it in headings]
    indices = [it for it in indices if outline.leaf_ends[it] > outline.leaf_starts[it]]
    ranks = _rank_letters(titles, sitename)
    index = _find_shown_heading(tree, indices, titles, sitename)
    if index is None:
        index = _find_minor_heading(tree, ranks)
    if index is not None:
        return outline.leaf_starts[index]
    texts = outline.leaf_texts
    if not indices:
        return _find_best(enumerate(texts), ranks)
    return max((outline.leaf_starts[it] for it in indices), key=lambda leaf: len(texts[leaf]))


def _cut_kicker(heading: Element, titles: Set[str]) -> str | None:
    """Find the larger part of a heading, in texts of its own, that is a whole title."""
    pieces = [it for it in read_pieces(heading) if comparable(it)] if len(heading) else []
    letters = list(map(comparable, pieces))
    whole = "".join(letters)
    if whole in titles:
        return None
    for cut in range(1, min(len(pieces), _MAX_PIECES)):
        for part in (slice(cut, None), slice(cut)):
            own = "".join(letters[part])
            if own in titles and 2 * len(own) > len(whole):
                return fold_title(" ".join(pieces[part]))
    return None


def _find_shown_heading(
    tree: PageTree, indices: Sequence[int], titles: Sequence[str], sitename: str | None
) -> int | None:
    """Find the first-level heading that shows one of the page's titles."""
    outline = tree.outline
    first = reversed(indices[:_MAX_HEADLINES])
    shown = {fold_title(_heading_text(outline.elements[it])): it for it in first}
    headline = find_shown(titles, shown, sitename, tree.language)
    return None if headline is None else shown[headline]


def _find_minor_heading(tree: PageTree, ranks: Mapping[str, int]) -> int | None:
    """Find the first heading of a lower level that is a title, or else the best part of one."""
    headings = islice(tree.body.iter("h2", "h3", "h4"), _MAX_HEADLINES if ranks else 0)
    heading = _find_best(((it, _heading_text(it)) for it in headings), ranks)
    return None if heading is None else tree.outline.positions[heading]


def _find_best(texts: Iterable[tuple[_T, str]], ranks: Mapping[str, int]) -> _T | None:
    """Find what has the text of the lowest rank, and is the first to have it."""
    ranked = ((ranks.get(comparable(text)), it) for it, text in texts)
    known = ((rank, it) for rank, it in ranked if rank is not None)
    return min(known, key=itemgetter(0), default=(0, None))[1]


def _heading_text(heading: Element) -> str:
    return read_shown(heading, " ")


def _stated_titles(tree: PageTree) -> tuple[list[str], str | None]:
    """Return the titles that a page states, and the name of its site."""
    stated: dict[str, list[str]] = {"og:title": [], "og:site_name": []}
    for meta in islice(tree.head_elements("meta"), _MAX_METAS):
        if (name := meta.get("property")) in stated:
            stated[name].append(fold_title(meta.get("content") or ""))
    titles = [fold_title(it.text or "") for it in islice(tree.head_elements("title"), 1)]
    titles = [title for title in (titles + stated["og:title"])[:_MAX_TITLES] if title]
    return titles, next(filter(None, stated["og:site_name"]), None)


def _rank_letters(titles: Iterable[str], sitename: str | None) -> dict[str, int]:
    """Rank the letters of titles and their parts: most titles end with the site's name."""
    cut = [cut_name(title, sitename) if sitename else title for title in titles]
    parts = [(title, part) for title in cut for part in title_parts(title)]
    ends = [part for title, part in parts if not title.startswith(part)]
    beginnings = [part for title, part in parts if title.startswith(part)]
    letters = dict.fromkeys(map(comparable, (*cut, *beginnings, *ends)))
    known = (it for it in letters if len(it) >= MIN_PART and it != comparable(sitename or ""))
    return {it: rank for rank, it in enumerate(known)}
