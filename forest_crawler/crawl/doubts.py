"""Doubts about a page: does it show the article that its feed announces?

During an outage a site serves maintenance notices, consent walls or teasers with status 200. A page
like that is fetched again later instead of being archived. Four signs are looked for: its text
repeats that of a sibling, no wrapper fits it, the title that its feed announces is nowhere on it,
and its text is far shorter than any known article of its site. Each alone is common, so two of
them are a doubt. A page that says no more than its feed entry, though it has room for a wall or its
site's articles are longer, is a teaser.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.own_text import have_own_text
from forest_crawler.page.leaf_tokens import leaf_tokens
from forest_crawler.page.tree import PageTree
from forest_crawler.text.comparison import comparable
from forest_crawler.text.near_duplicates import MIN_SIMILARITY, sketch_similarity, sketch_text
from forest_crawler.text.terms import FALLBACK_LANGUAGE, analyzer_for, tokenize

REPEATED = "repeated-text"
OTHER_TITLE = "other-title"
TEASER = "teaser"
"""Why a page is in doubt."""

MIN_TITLE_TERMS = 2
"""Terms of a title that are needed for a conclusion: "Update" may be anywhere, or nowhere."""

MIN_TITLE_SHARE = 0.5
"""Share of a title's terms that are on the page; headlines are rewritten, but not altogether."""

TEASER_WORDS = 150
"""Max words of a teaser."""

TEASER_SHARE = 0.8
"""Min share of a teaser's characters that are in the feed entry; the rest is a byline."""

SHORT_SHARE = 0.5
"""Share of the words of a site's shortest known article below which a page is short."""

WALL_WORDS = 6
"""Min words of a line that siblings share below their teasers."""


@dataclass(frozen=True, slots=True)
class PageText:
    """What a page shows, and what its feed announces."""

    lines: tuple[str, ...]  # of its article
    is_fitted: bool  # by a wrapper
    has_title: bool  # whether the feed's title is on it, or may be
    entry: FeedEntry | None = None
    usual_words: int = 0  # of its site's shortest known article


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why a page is in doubt; `is_article`: it may be an article nevertheless."""

    reason: str
    is_article: bool = True


def find_doubts(pages: Sequence[PageText]) -> list[Doubt | None]:
    """Compare the pages of a site, and return the doubt about each, or None."""
    repeats = _find_repeats(pages)
    line_counts = Counter(line for page in pages for line in set(page.lines))
    return [
        _judge(page, repeated) or _judge_teaser(page, line_counts)
        for page, repeated in zip(pages, repeats, strict=True)
    ]


def shows_title(tree: PageTree, entry: FeedEntry | None) -> bool:
    """Report whether the title of a feed entry is on its page; True if there is no telling.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<html lang=en><h1>Back soon</h1><p>We are working on it.")
    >>> shows_title(page, FeedEntry("Ferry returns to the harbour"))
    False
    >>> shows_title(page, FeedEntry("Working")), shows_title(page, None)
    (True, True)
    """
    if entry is None:
        return True
    analyzer = analyzer_for(tree.language or FALLBACK_LANGUAGE)
    wanted = set(analyzer.terms(entry.title))
    if len(wanted) < MIN_TITLE_TERMS:
        return True
    found = {token for tokens in leaf_tokens(tree) for token in tokens}
    return len(wanted & set(analyzer.terms_of(found))) >= MIN_TITLE_SHARE * len(wanted)


def _judge(page: PageText, is_repeated: bool) -> Doubt | None:
    is_short = _count_words(page.lines) < SHORT_SHARE * page.usual_words
    signs = is_repeated + (not page.is_fitted) + (not page.has_title) + is_short
    if signs < 2:
        return None
    if is_repeated:
        return Doubt(REPEATED, is_article=page.has_title)
    return Doubt(TEASER if page.has_title else OTHER_TITLE)


def _count_words(lines: Sequence[str]) -> int:
    return sum(len(tokenize(line)) for line in lines)


def _find_repeats(pages: Sequence[PageText]) -> list[bool]:
    """Report for each page whether its text is, but for a little, that of another one."""
    is_own = have_own_text([page.lines for page in pages])
    texts = ["\n".join(page.lines) for page in pages]
    same = Counter(map(comparable, texts))
    sketches = [sketch_text(text) for text in texts]
    return [
        not is_own[number]
        or same[comparable(texts[number])] > 1
        or any(
            other is not sketch and sketch_similarity(sketch, other) >= MIN_SIMILARITY
            for other in sketches
        )
        for number, sketch in enumerate(sketches)
    ]


def _judge_teaser(page: PageText, line_counts: Counter[str]) -> Doubt | None:
    """Doubt a short page that says no more than its feed entry, above a wall or cut off."""
    if page.entry is None or not page.entry.description:
        return None
    own = [line for line in page.lines if line_counts[line] == 1]
    words = _count_words(own)
    has_wall = any(
        line_counts[line] > 1 and len(tokenize(line)) >= WALL_WORDS for line in page.lines
    )
    if words > TEASER_WORDS or not (has_wall or words < page.usual_words):
        return None
    return Doubt(TEASER) if _is_announced(own, page.entry) else None


def _is_announced(lines: Sequence[str], entry: FeedEntry) -> bool:
    """Report whether a feed entry has nearly all of these lines."""
    announced = comparable(entry.title), comparable(entry.description)
    texts = [comparable(line) for line in lines]
    known = [text for text in texts if any(text in it or (it and it in text) for it in announced)]
    return sum(map(len, known)) >= TEASER_SHARE * sum(map(len, texts)) > 0
