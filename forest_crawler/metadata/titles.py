"""Headlines in page titles: cut off what a site adds to every `<title>`.

"Headline | Site" is cut at a separator next to a known name of the site, or next to what most
sibling pages' titles begin or end with (`common_title_affix`, the site-level view).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from forest_crawler.text.cleaning import SOFT_HYPHEN
from forest_crawler.text.comparison import comparable
from forest_crawler.text.terms import FALLBACK_LANGUAGE, analyzer_for, tokenize

MAX_TITLE_LENGTH = 1000
"""Max characters of a title: longer ones are keyword lists, or attacks."""

MIN_TITLES = 3
"""Min distinct titles that share an affix: two headlines of one series may end alike."""

MIN_PART = 10
"""Min letters of a title's part that may be the headline; section names are shorter."""

MIN_SHARED = 0.5
"""Share of a headline's words that a stated title must have: a title for search engines says what
the headline says, in other words."""

MIN_HEADLINE = 3
"""Min words of a headline that only shares words with a title: fewer are a section or a name."""

# The sign of a link to the heading itself; icon fonts have theirs in the private area.
_PERMALINK = re.compile(r"[\s¶\ue000-\uf8ff]{1,20}$")
_MAX_SEPARATORS = 10  # per title; the site's name is at either end
# Between blanks nearly any mark separates; without blanks, only marks that headlines rarely use.
_SEPARATOR = re.compile(
    r"(?<!\s)(?:\s{1,9}[|\-–—·•»«:/\\›~]{1,2}\s{1,9}|\s{0,9}[|｜：»«_]\s{0,9}|:\s)"
)
_MARKS = " \t\n\r\u3000|-–—·•»«:/\\›~｜：_"


@dataclass(frozen=True, slots=True)
class TitleAffix:
    """What a site's titles begin and end with, including separators; "" for nothing."""

    prefix: str = ""
    suffix: str = ""

    @property
    def name(self) -> str | None:
        """The affix without its separators: as a rule, the site's name."""
        return (self.suffix or self.prefix).strip(_MARKS) or None

    def cut(self, title: str) -> str:
        """Cut the affix off a title, unless nothing would be left."""
        rest = title
        if self.suffix and rest.endswith(self.suffix):
            rest = rest[: -len(self.suffix)]
        if self.prefix and rest.startswith(self.prefix):
            rest = rest[len(self.prefix) :]
        return rest.strip() or title


def common_title_affix(titles: Iterable[str]) -> TitleAffix:
    """Find what most of a site's titles begin and end with, up to a separator.

    Equal titles count once: a page fetched twice proves nothing.

    >>> common_title_affix(["Rain | Gazette", "Sun | Gazette", "Fog | Gazette"])
    TitleAffix(prefix='', suffix=' | Gazette')
    """
    distinct = {fold_title(title) for title in titles}
    prefixes: Counter[str] = Counter()
    suffixes: Counter[str] = Counter()
    for title in distinct:
        for start, end in _separators(title):
            prefixes[title[:end]] += 1
            suffixes[title[start:]] += 1
    min_count = max(MIN_TITLES, len(distinct) // 2 + 1)
    return TitleAffix(_longest(prefixes, min_count), _longest(suffixes, min_count))


def cut_name(title: str, name: str) -> str:
    """Cut the site's name off a title's end or beginning, at a separator.

    >>> cut_name("Rain at last – The Gazette", "The Gazette")
    'Rain at last'
    >>> cut_name("Rain stops The Gazette", "The Gazette")
    'Rain stops The Gazette'
    """
    spans = _separators(title)
    wanted = comparable(name) if spans else ""
    for start, end in spans if wanted else ():
        if comparable(title[end:]) == wanted:
            return title[:start]
        if comparable(title[:start]) == wanted:
            return title[end:]
    return title


def title_parts(title: str, min_letters: int = MIN_PART) -> list[str]:
    """List the parts of a title that may be its headline, the longest first.

    >>> title_parts("Rain stops play again | Cricket | Gazette")
    ['Rain stops play again | Cricket', 'Rain stops play again', 'Cricket | Gazette']
    """
    spans = _separators(title)
    parts = {title[:start] for start, _ in spans} | {title[end:] for _, end in spans}
    long = [part for part in parts if len(comparable(part)) >= min_letters]
    return sorted(long, key=lambda part: (-len(part), part))


def prefer_shown(
    titles: Sequence[str],
    headlines: Iterable[str],
    sitename: str | None = None,
    language: str | None = None,
) -> tuple[str, ...]:
    """Put the title that the page shows as its headline in front.

    >>> prefer_shown(["Rain | Weather"], ["Gazette", "Rain"])
    ('Rain', 'Rain | Weather')
    """
    headline = find_shown(titles, headlines, sitename, language)
    return tuple(titles if headline is None else dict.fromkeys([headline, *titles]))


def find_shown(
    titles: Sequence[str],
    headlines: Iterable[str],
    sitename: str | None = None,
    language: str | None = None,
) -> str | None:
    """Find the headline that is a page's title.

    It is part of a stated title, or has one as its part, or is the only one that shares its words
    with one: the rest are names and sections.

    >>> find_shown(["7 Best Rain Coats 2026"], ["Gazette", "The 7 rain coats we like best"])
    'The 7 rain coats we like best'
    """
    site = comparable(sitename or "")
    parts = [[comparable(it) for it in (title, *title_parts(title, 1))] for title in titles]
    wholes = {whole for whole, *_ in parts}
    shown = sorted((fold_title(it) for it in headlines), key=lambda it: -len(it))
    rows = [(it, own) for it in shown if (own := comparable(it)) != site or own in wholes]
    for headline, own in rows:
        if any(_is_part(own, whole, inner) for whole, *inner in parts):
            return headline
    names = {site, *chain.from_iterable(map(_minor_segments, titles))} - {""}
    others = [(it, own) for it, own in rows if not _is_name(own, names)]
    long = {it for row in parts for it in row if len(it) >= MIN_PART}
    long = {part for part in long if not any(part in name for name in names)}
    for headline, own in others:
        if any(part in own for part in long):
            return headline
    return _find_similar(others, titles, language)


def _find_similar(
    headlines: Iterable[tuple[str, str]], titles: Iterable[str], language: str | None
) -> str | None:
    """Find the only headline that shares its words with a title."""
    long = {headline for headline, own in headlines if len(own) >= MIN_PART}
    stated = [set(tokenize(title)) for title in titles] if long else []
    similar = [it for it in long if _shares_words(it, stated, language)]
    return similar[0] if len(similar) == 1 else None


def _minor_segments(title: str) -> list[str]:
    """List what separators set apart in a title, but for the longest segment: names, sections."""
    spans = _separators(title)
    bounds = [0, *chain.from_iterable(spans), len(title)]
    segments = [comparable(title[i:j]) for i, j in zip(bounds[::2], bounds[1::2], strict=True)]
    segments.remove(max(segments, key=len))
    return segments


def _is_part(headline: str, whole: str, parts: Sequence[str]) -> bool:
    """Check whether a headline is a part of a title.

    A title's last part is the site's name, unless it is the longer half.
    """
    if not headline or (headline != whole and headline not in parts):
        return False
    return headline == whole or not whole.endswith(headline) or 2 * len(headline) > len(whole)


def _is_name(headline: str, names: Iterable[str]) -> bool:
    """Check for a section or a site's name, also with more: "The Coast Gazette Online"."""
    return any(
        headline in name or (name in headline and 2 * len(name) > len(headline)) for name in names
    )


def _shares_words(headline: str, titles: Iterable[Set[str]], language: str | None) -> bool:
    """Whether a title has half of a headline's words, not only "of" and "the"."""
    words = set(tokenize(headline))
    if len(words) < MIN_HEADLINE:
        return False
    analyzer = analyzer_for(language or FALLBACK_LANGUAGE)
    shared = (words & title for title in titles)
    return any(len(it) >= MIN_SHARED * len(words) and analyzer.terms_of(it) for it in shared)


def cut_permalink(title: str) -> str:
    """Cut off the sign of a link to the heading, which many manuals show after it.

    >>> cut_permalink("Rain gauges ¶")
    'Rain gauges'
    """
    return _PERMALINK.sub("", title) or title


def fold_title(title: str) -> str:
    """Fold a title's first `MAX_TITLE_LENGTH` characters to one line."""
    return " ".join(title[:MAX_TITLE_LENGTH].replace(SOFT_HYPHEN, "").split())


@lru_cache(maxsize=64)  # of the titles of one page, which are cut at several names
def _separators(title: str) -> tuple[tuple[int, int], ...]:
    """Find the spans of the separators that have text on both sides."""
    spans = [match.span() for match in _SEPARATOR.finditer(title)]
    inner = tuple((start, end) for start, end in spans if start > 0 and end < len(title))
    half = _MAX_SEPARATORS // 2
    return inner if len(inner) <= _MAX_SEPARATORS else inner[:half] + inner[-half:]


def _longest(affixes: Counter[str], min_count: int) -> str:
    shared = [affix for affix, count in affixes.items() if count >= min_count]
    return max(shared, key=lambda affix: (len(affix), affix), default="")
