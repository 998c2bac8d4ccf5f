"""Headlines out of page titles: what a site adds to every `<title>` is not the headline.

"Headline | Site" is cut where a separator stands before something known to be the site's name, or
before what most sibling pages' titles end with (`common_title_affix`, the site-level view).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forest_crawler.text.comparison import comparable

MAX_TITLE_LENGTH = 1000
"""Characters of a title that are looked at: beyond are keyword lists, or attacks."""

MIN_TITLES = 3
"""Different titles that must share an affix: two headlines of one series may end alike."""

MIN_PART = 10
"""Letters of a part that may be a headline by itself; the names of sections are shorter."""

_MAX_SEPARATORS = 10  # of one title; the site's name stands at either end
# Between blanks nearly any mark separates; without them only those that headlines hardly use.
_SEPARATOR = re.compile(
    r"(?<!\s)(?:\s{1,9}[|\-–—·•»«:/\\›~]{1,2}\s{1,9}|\s{0,9}[|｜：»«_]\s{0,9}|:\s)"
)
_MARKS = " \t\n\r\u3000|-–—·•»«:/\\›~｜：_"


@dataclass(frozen=True, slots=True)
class TitleAffix:
    """What a site's titles begin and end with, separators included; "" where nothing."""

    prefix: str = ""
    suffix: str = ""

    @property
    def name(self) -> str | None:
        """The affix without its separators: as a rule, what the site calls itself."""
        return (self.suffix or self.prefix).strip(_MARKS) or None

    def cut(self, title: str) -> str:
        """The title without the affix; unchanged where nothing would be left."""
        rest = title
        if self.suffix and rest.endswith(self.suffix):
            rest = rest[: -len(self.suffix)]
        if self.prefix and rest.startswith(self.prefix):
            rest = rest[len(self.prefix) :]
        return rest.strip() or title


def common_title_affix(titles: Iterable[str]) -> TitleAffix:
    """Find what most of a site's titles begin and end with, up to a separator.

    Titles that are the same count once: a page fetched twice proves nothing.

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
    least = max(MIN_TITLES, len(distinct) // 2 + 1)
    return TitleAffix(_longest(prefixes, least), _longest(suffixes, least))


def cut_name(title: str, name: str) -> str:
    """The title without the site's name at its end or beginning, if a separator parts them.

    >>> cut_name("Rain at last – The Gazette", "The Gazette")
    'Rain at last'
    >>> cut_name("Rain stops The Gazette", "The Gazette")
    'Rain stops The Gazette'
    """
    wanted = comparable(name)
    for start, end in _separators(title) if wanted else []:
        if comparable(title[end:]) == wanted:
            return title[:start]
        if comparable(title[:start]) == wanted:
            return title[end:]
    return title


def title_parts(title: str, least: int = MIN_PART) -> list[str]:
    """What may be the headline of a title with sections and names around it, the longest first.

    >>> title_parts("Rain stops play again | Cricket | Gazette")
    ['Rain stops play again | Cricket', 'Rain stops play again', 'Cricket | Gazette']
    """
    spans = _separators(title)
    parts = {title[:start] for start, _ in spans} | {title[end:] for _, end in spans}
    long = [part for part in parts if len(comparable(part)) >= least]
    return sorted(long, key=lambda part: (-len(part), part))


def prefer_shown(titles: Sequence[str], headlines: Iterable[str]) -> tuple[str, ...]:
    """Titles with the one in front that the page shows as its headline.

    A headline that is part of what the page calls itself, or has it as a part, is the title: the
    rest are names and sections.

    >>> prefer_shown(["Rain | Weather"], ["Gazette", "Rain"])
    ('Rain', 'Rain | Weather')
    """
    shown = sorted((fold_title(it) for it in headlines), key=lambda it: -len(it))
    parts = [[comparable(it) for it in (title, *title_parts(title, 1))] for title in titles]
    for fits in (_is_part, _has_part):
        for headline in shown:
            if any(fits(comparable(headline), whole, inner) for whole, *inner in parts):
                return tuple(dict.fromkeys([headline, *titles]))
    return tuple(titles)


def _is_part(headline: str, whole: str, parts: Sequence[str]) -> bool:
    """Whether a title is a headline with something around it; what comes last is the site's name,
    unless it is the longer part."""
    if not headline or (headline != whole and headline not in parts):
        return False
    return headline == whole or not whole.endswith(headline) or 2 * len(headline) > len(whole)


def _has_part(headline: str, whole: str, parts: Sequence[str]) -> bool:
    return any(len(part) >= MIN_PART and part in headline for part in (whole, *parts))


def fold_title(title: str) -> str:
    """A title on one line, at most `MAX_TITLE_LENGTH` long."""
    return " ".join(title[:MAX_TITLE_LENGTH].split())


def _separators(title: str) -> list[tuple[int, int]]:
    """Where separators with something on either side begin and end."""
    spans = [match.span() for match in _SEPARATOR.finditer(title)]
    inner = [(start, end) for start, end in spans if start > 0 and end < len(title)]
    half = _MAX_SEPARATORS // 2
    return inner if len(inner) <= _MAX_SEPARATORS else inner[:half] + inner[-half:]


def _longest(affixes: Counter[str], least: int) -> str:
    shared = [affix for affix, count in affixes.items() if count >= least]
    return max(shared, key=lambda affix: (len(affix), affix), default="")
