"""Find lines inside a body that are template: text that repeats where no strip rule can name it.

"Share this story" may be in a paragraph like any other, or beside the article in one box. Only its
text shows it, so a wrapper keeps such lines and leaves them out of further pages.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from statistics import fmean
from typing import NamedTuple

from forest_crawler.induction.scored_page import ScoredPage
from forest_crawler.page.lines import Line, find_lines, number_leaves
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import INLINE_TAGS

MIN_SHARE = 0.5
"""Share of a wrapper's pages that have a line: what fewer have may be an article's own."""

SURELY_CONTENT = 0.9
"""Mean probability, by the page model alone, from which a line that repeats is kept: an author
signs all posts, and a sentence that looks like the article's is the last to be left out."""

MAX_SHARED = 0.5
"""Share of a page's words in lines of other pages from which it is a copy of one."""

MAX_LINES = 50
MAX_LINE_LENGTH = 500
"""Lines that a wrapper keeps, those of most pages first, and the characters of each."""

_HEADINGS = frozenset("h2 h3 h4 h5 h6".split())


class RatedLine(NamedTuple):
    """A line of a sample page."""

    text: str
    chance: float  # that it is content, by the page model alone
    words: float
    is_heading: bool


def rate_lines(page: ScoredPage, selection: Selection) -> list[RatedLine]:
    """Rate the lines that a wrapper selects on a sample page."""
    numbers = number_leaves(page.names.outline)
    sizes, chances = page.words.tolist(), page.by_page.tolist()
    rated = []
    for line in find_lines(selection):
        leaves = [numbers[piece] for piece in line.pieces]
        words = sum([sizes[leaf] for leaf in leaves])
        hits = sum([sizes[leaf] * chances[leaf] for leaf in leaves])
        chance = hits / words if words else 0.0
        rated.append(RatedLine(line.text, chance, words, _is_heading(line)))
    return rated


def find_repeated_lines(pages: Sequence[Sequence[RatedLine]]) -> tuple[str, ...]:
    """Return the lines that are template, given each page's, those of most pages first."""
    counts = Counter(text for lines in pages for text in {line.text for line in lines})
    chances: dict[str, list[float]] = defaultdict(list)
    own = [lines for lines in pages if not _is_copy(lines, counts)]
    for lines in own:
        for text, chance in {it.text: it.chance for it in _template_lines(lines, counts)}.items():
            chances[text].append(chance)
    found = [
        (-len(values), text)
        for text, values in chances.items()
        if len(values) >= max(2, MIN_SHARE * len(own))
        and fmean(values) < SURELY_CONTENT
        and len(text) <= MAX_LINE_LENGTH
    ]
    return tuple(text for _, text in sorted(found)[:MAX_LINES])


def _template_lines(lines: Sequence[RatedLine], counts: Counter[str]) -> Iterator[RatedLine]:
    """Yield the lines that other pages have.

    A heading above the page's own text belongs to that: "Ingredients", "The verdict".
    """
    for line, following in zip_longest(lines, lines[1:]):
        is_above_own = following is not None and counts[following.text] == 1
        if counts[line.text] > 1 and not (line.is_heading and is_above_own):
            yield line


def _is_copy(lines: Sequence[RatedLine], counts: Counter[str]) -> bool:
    shared = sum(line.words for line in lines if counts[line.text] > 1)
    return shared > MAX_SHARED * sum(line.words for line in lines)


def _is_heading(line: Line) -> bool:
    element, is_tail = line.pieces[0]
    holder = element.getparent() if is_tail else element
    while holder is not None and holder.tag in INLINE_TAGS:
        holder = holder.getparent()
    return holder is not None and holder.tag in _HEADINGS
