"""Doubts about a page: does it show the article that its feed announces?

During an outage a site serves maintenance notices, consent walls or teasers with status 200. A page
like that is fetched again later instead of being archived. The signs: its text repeats that of a
sibling; no wrapper fits it; the title that its feed announces is nowhere on it; its text is far
shorter than any known article of its site; and it ends with an ellipsis. Each alone is common, so
two of them are a doubt. A text that exactly repeats under three titles counts twice, and so does a
title of which not one word is there. A page that says no more than its feed entry, or one
paragraph, above a wall is a teaser; so is a short one above a wall, or among other short ones.
Feeds with whole articles say as much as any page, so there only the wall is a sign.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.own_text import have_own_text
from forest_crawler.page.tree import PageTree
from forest_crawler.text.comparison import comparable
from forest_crawler.text.near_duplicates import MIN_SIMILARITY, sketch_similarity, sketch_text
from forest_crawler.text.terms import FALLBACK_LANGUAGE, analyzer_for, tokenize

REPEATED = "repeated-text"
SAME = "same-text"
OTHER_TITLE = "other-title"
TEASER = "teaser"
"""Why a page is in doubt."""

MIN_TITLE_TERMS = 2
"""Terms of a title that are needed for a conclusion: "Update" may be anywhere, or nowhere."""

MIN_TITLE_SHARE = 0.5
"""Share of a title's terms that are on the page; headlines are rewritten, but not altogether."""

UNRELATED_TERMS = 4
"""Terms of a title of which an article has at least one."""

TEASER_WORDS = 150
"""Max words of a teaser."""

TEASER_SHARE = 0.8
"""Min share of a teaser's characters that are in the feed entry; the rest is a byline."""

SHORT_SHARE = 0.5
"""Share of the words of a site's shortest known article below which a page is short."""

WALL_WORDS = 6
"""Min words of a line that siblings share below their teasers."""

MIN_TITLES = 3
"""Titles of pages with one text that make it a notice: an article may have two URLs and titles."""

MIN_SHORT = 3
"""Short pages among siblings, at least half of them, that are in doubt: an outage has many."""

PackedText: TypeAlias = bytes
"""A `PageText`, packed."""

_PACK_LEVEL = 1

_JOB_LINES = 1000
"""Lines that are kept counted: those of a job's pages, which are compared in several ways."""

_MAX_KEPT = 2000
"""Characters of a line that is kept so: a page may be one line of megabytes."""

_ELLIPSIS = re.compile(r"(?:…|\.\.\.)[\]\)\"'»”’]*\Z")
# Of an incident or a request, also in hexadecimal. What comes before the digit is matched only one
# way, as most words have none.
_NUMBER = re.compile(r"\b[^\W\d]*+\d\w*")


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page shows, and what its feed announces."""

    lines: tuple[str, ...]  # of its article
    is_fitted: bool  # by a wrapper
    has_title: bool  # whether the feed's title is on it, or may be
    entry: FeedEntry | None = None
    usual_words: int = 0  # of its site's shortest known article
    is_unrelated: bool = False  # it has not one word of the feed's title
    is_announced: bool = False  # its feed entry says as much

    def pack(self) -> PackedText:
        """Return what is needed to compare other pages with this one, compressed.

        The crawl's own process keeps it for every site, and reads none of it.

        >>> page = PageText(("It rained.",), True, False, FeedEntry("Rain", "It rained all day."))
        >>> unpack_text(page.pack()) == PageText(("It rained.",), True, False, FeedEntry("Rain"))
        True
        """
        title = self.entry.title if self.entry else None
        signs = self.is_fitted, self.has_title, self.usual_words, self.is_unrelated
        packed = [self.lines, title, *signs, self.is_announced]
        return zlib.compress(json.dumps(packed).encode(), _PACK_LEVEL)

    @property
    def texts(self) -> set[str]:
        """Its text with and without the title that its feed announces, as it is compared."""
        lines, title = [*map(_comparable_line, self.lines)], self.title
        return {"".join(lines), "".join(line for line in lines if line != title)} - {""}

    @property
    def title(self) -> str:
        """The title that its feed announces, as it is compared."""
        return comparable(self.entry.title) if self.entry else ""


def unpack_text(packed: PackedText) -> PageText:
    """Return what `PageText.pack` has packed."""
    lines, title, is_fitted, has_title, *signs = json.loads(zlib.decompress(packed))
    entry = None if title is None else FeedEntry(title)
    return PageText(tuple(lines), is_fitted, has_title, entry, *signs)


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a page is in doubt; `is_article`: it may be an article nevertheless."""

    reason: str
    is_article: bool = True


def find_doubts(pages: Sequence[PageText], earlier: Sequence[PageText] = ()) -> list[Doubt | None]:
    """Compare the pages of a site, and return the doubt about each, or None.

    `earlier` are pages to compare with that were judged before.
    """
    siblings = (*pages, *earlier)
    repeats = _find_repeats(siblings, is_one_enough=any(map(_count_signs, pages)))
    number = sum(map(_is_short, siblings))
    are_short = number >= MIN_SHORT and 2 * number >= len(siblings)
    line_counts = Counter(line for page in siblings for line in set(page.lines))
    are_walled = 2 * sum(_is_walled(page, line_counts) for page in siblings) >= len(siblings)
    has_whole_feed = _has_whole_feed(siblings)
    return [
        _judge(page, signs)
        or _judge_teaser(page, line_counts, has_whole_feed=has_whole_feed)
        or (Doubt(TEASER) if are_walled and _is_walled(page, line_counts) else None)
        or (Doubt(TEASER) if are_short and _is_shortest(page) else None)
        for page, signs in zip(pages, repeats, strict=False)
    ]


def read_page_text(
    tree: PageTree,
    lines: Iterable[str],
    entry: FeedEntry | None,
    *,
    is_fitted: bool = False,
    usual_words: int = 0,
) -> PageText:
    """Put together what a page shows and what its feed announces.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<html lang=en><h1>Back soon</h1><p>We are working on it.")
    >>> read_page_text(page, [], FeedEntry("Ferry returns to the harbour")).has_title
    False
    >>> read_page_text(page, [], FeedEntry("Working")).has_title
    True
    """
    found, wanted = _count_title_terms(tree, entry)
    lines = tuple(lines)
    return PageText(
        lines,
        is_fitted=is_fitted,
        has_title=wanted < MIN_TITLE_TERMS or found >= MIN_TITLE_SHARE * wanted,
        entry=entry,
        usual_words=usual_words,
        is_unrelated=found == 0 and wanted >= UNRELATED_TERMS,
        is_announced=_is_announced(lines, entry),
    )


def _count_title_terms(tree: PageTree, entry: FeedEntry | None) -> tuple[int, int]:
    """Count the terms of a feed entry's title that are on its page, and all of them.

    Once a page has enough of them, it isn't read on: most pages have the title at their beginning.
    """
    if entry is None:
        return 0, 0
    analyzer = analyzer_for(tree.language or FALLBACK_LANGUAGE)
    wanted = set(analyzer.terms(entry.title))
    if len(wanted) < MIN_TITLE_TERMS:
        return 0, len(wanted)
    found: set[str] = set()
    for text in dict.fromkeys(tree.outline.leaf_texts):
        found |= wanted.intersection(analyzer.terms_of(tokenize(text)))
        if len(found) >= MIN_TITLE_SHARE * len(wanted):
            break
    return len(found), len(wanted)


def _judge(page: PageText, repeats: int) -> Doubt | None:
    if repeats + _count_signs(page) < 2:
        return None
    if repeats:
        return Doubt(SAME if repeats > 1 else REPEATED, is_article=page.has_title)
    return Doubt(TEASER if page.has_title else OTHER_TITLE)


def _count_signs(page: PageText) -> int:
    """Count the signs of a page by itself."""
    signs = not page.is_fitted, not page.has_title, page.is_unrelated
    return sum((*signs, _is_short(page), _is_cut(page)))


def _is_short(page: PageText) -> bool:
    return _count_words(page.lines) < SHORT_SHARE * page.usual_words


def _is_shortest(page: PageText) -> bool:
    return _count_words(page.lines) < page.usual_words


def _is_cut(page: PageText) -> bool:
    is_open = bool(page.lines and _ELLIPSIS.search(page.lines[-1]))
    return is_open and _count_words(page.lines) <= TEASER_WORDS


def _count_words(lines: Sequence[str]) -> int:
    return sum(map(_count_line, lines))


def _count_line(line: str) -> int:
    return _count_short(line) if len(line) <= _MAX_KEPT else len(tokenize(line))


def _comparable_line(line: str) -> str:
    return _comparable_short(line) if len(line) <= _MAX_KEPT else comparable(line)


@lru_cache(_JOB_LINES)
def _count_short(line: str) -> int:
    return len(tokenize(line))


@lru_cache(_JOB_LINES)
def _comparable_short(line: str) -> str:
    return comparable(line)


def _find_repeats(pages: Sequence[PageText], *, is_one_enough: bool) -> list[int]:
    """Count the signs of each page that its text is that of other pages: 0, 1 or 2.

    One if it is the same but for a little, two if several titles have exactly the same below them.
    Unless `is_one_enough`, those with one count as 0: texts are compared for it, which takes long.
    """
    are_alike = _find_alike(pages) if is_one_enough else [False] * len(pages)
    titles: dict[str, set[str]] = {}
    texts = [page.texts for page in pages]
    for page, shown in zip(pages, texts, strict=True):
        for text in shown:
            titles.setdefault(text, set()).add(page.title)
    return [
        2 if any(len(titles[text]) >= MIN_TITLES for text in shown) else int(is_alike)
        for is_alike, shown in zip(are_alike, texts, strict=True)
    ]


def _find_alike(pages: Sequence[PageText]) -> list[bool]:
    """Report for each page whether its text is that of another one but for a little."""
    are_own = have_own_text([page.lines for page in pages])
    are_near = _find_near_repeats(["\n".join(page.lines) for page in pages])
    return [near or not own for own, near in zip(are_own, are_near, strict=True)]


def _find_near_repeats(texts: Sequence[str]) -> list[bool]:
    """Report for each text whether another one is the same but for numbers or a few words."""
    unnumbered = [comparable(_NUMBER.sub(" ", text)) for text in texts]
    same = Counter(unnumbered)
    sketches = [sketch_text(text) for text in texts]
    return [
        same[text] > 1
        or any(
            other is not sketch and sketch_similarity(sketch, other) >= MIN_SIMILARITY
            for other in sketches
        )
        for text, sketch in zip(unnumbered, sketches, strict=True)
    ]


def _has_whole_feed(pages: Sequence[PageText]) -> bool:
    """Report whether the feed has whole articles: most of those of usual length."""
    usual = [page.is_announced for page in pages if not _is_shortest(page)]
    return 2 * sum(usual) > len(usual)


def _judge_teaser(
    page: PageText, line_counts: Counter[str], *, has_whole_feed: bool
) -> Doubt | None:
    """Doubt a short page that says no more than its feed entry, above a wall or cut off.

    No post says more than a feed that has whole articles, so there only a wall counts.
    """
    own = [line for line in page.lines if line_counts[line] == 1]
    words = _count_words(own)
    is_cut_off = words < page.usual_words and not has_whole_feed
    if words > TEASER_WORDS or not (is_cut_off or _has_wall(page, line_counts)):
        return None
    return Doubt(TEASER) if _is_announced(own, page.entry) else None


def _has_wall(page: PageText, line_counts: Counter[str]) -> bool:
    return any(line_counts[line] > 1 and _count_line(line) >= WALL_WORDS for line in page.lines)


def _is_walled(page: PageText, line_counts: Counter[str]) -> bool:
    """Report whether a page is short, or one paragraph below its title, above a wall."""
    title = page.title
    own = [
        line for line in page.lines if line_counts[line] == 1 and _comparable_line(line) != title
    ]
    if _count_words(own) > TEASER_WORDS or not _has_wall(page, line_counts):
        return False
    is_one = len(own) == 1 and (_is_shortest(page) or not page.usual_words)
    return is_one or _is_short(page)


def _is_announced(lines: Sequence[str], entry: FeedEntry | None) -> bool:
    """Report whether a feed entry has nearly all of these lines."""
    if entry is None or not entry.description:
        return False
    announced = comparable(entry.title), comparable(entry.description)
    texts = [comparable(line) for line in lines]
    known = [text for text in texts if any(text in it or (it and it in text) for it in announced)]
    return sum(map(len, known)) >= TEASER_SHARE * sum(map(len, texts)) > 0
