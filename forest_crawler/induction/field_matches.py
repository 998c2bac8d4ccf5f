"""Find the elements of a page that show a value known from its metadata.

First step of `forest_crawler.induction.field_locators`. Every search is one pass over the page:
its comparable text is one string, and each element's text is an interval of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import date
from itertools import accumulate
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

import numpy as np

from forest_crawler.page.outline import Outline
from forest_crawler.page.xpath import Element
from forest_crawler.text.comparison import comparable
from forest_crawler.text.dates import find_day, parse_date
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.site_names import Kind

Matches: TypeAlias = Mapping[int, str]
"""The elements that show a value: index in the outline → the value shown."""

MIN_LEAD = 20
"""Letters that a lead must share with the description: fewer could begin any sentence."""

MAX_DATE_TEXT_LENGTH = 120
"""Max characters of a date line: weekday, day, hour, town and author fit in."""

_MIN_LEAD_SHARE = 0.5  # of the description; a shorter text matches its beginning by chance
_MAX_LEAD_SHARE = 2.0  # of the description; a longer text is the body, which begins with the lead
_DATE_ANCESTORS = 3  # levels over which a date's day, month and year may be spread
_IMAGE_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-original")
_IMAGE_SETS = ("srcset", "data-srcset")
_MAX_URL_LENGTH = 4000  # longer ones are inline images


# A section may hold a single element today and more tomorrow; so its child is the match, not it.
_SECTIONS = frozenset("body main article section header footer nav aside form".split())


class ComparableTexts(dict[str, str]):
    """Texts in comparable form; sibling pages share it, since they share many texts."""

    def __missing__(self, text: str) -> str:
        found = self[text] = comparable(text)
        return found


class PageText:
    """A page's text in comparable form, with the interval of each element."""

    def __init__(self, names: PageNames, known: ComparableTexts | None = None) -> None:
        self.names = names
        outline = self.outline = names.outline
        known = ComparableTexts() if known is None else known
        pieces = list(map(known.__getitem__, outline.leaf_texts))
        self.text = "".join(pieces)
        offsets = [0, *accumulate(map(len, pieces))]
        starts = np.array(offsets, dtype=np.int64)[outline.leaf_starts]
        ends = np.array(offsets, dtype=np.int64)[outline.leaf_ends]
        # By length, so that a search visits only the elements whose text is as long as a value.
        kept = np.array(names.of_kind(_is_no_section), dtype=np.int64)
        order = kept[np.argsort((ends - starts)[kept], kind="stable")]
        self._order = order
        self._starts, self._ends = starts[order], ends[order]
        self._lengths = self._ends - self._starts

    def spans(self, min_length: float, max_length: float) -> list[tuple[int, int, int]]:
        """List the elements that aren't sections and have so many letters.

        Each with its index and the start and end of its text, in document order.
        """
        first = int(np.searchsorted(self._lengths, min_length, side="left"))
        end = int(np.searchsorted(self._lengths, max_length, side="right"))
        rows = (self._order[first:end], self._starts[first:end], self._ends[first:end])
        return sorted(zip(*(row.tolist() for row in rows), strict=True))


def find_texts(page: PageText, values: Iterable[str]) -> Matches | None:
    """Find elements whose text is one of the values; `None` if there are no values."""
    wanted = {comparable(value) for value in values} - {""}
    if not wanted:
        return None
    lengths = {len(value) for value in wanted}
    spans = sorted(span for length in lengths for span in page.spans(length, length))
    shown = ((i, page.text[a:b]) for i, a, b in spans)
    return {i: text for i, text in shown if text in wanted}


def find_leads(page: PageText, values: Iterable[str]) -> Matches | None:
    """Find elements that begin like a description and are about as long."""
    wanted = sorted(value for value in map(comparable, values) if len(value) >= MIN_LEAD)
    if not wanted:
        return None
    found: dict[int, str] = {}
    for value in wanted:
        min_length = max(MIN_LEAD, _MIN_LEAD_SHARE * len(value))
        for i, start, end in page.spans(min_length, _MAX_LEAD_SHARE * len(value)):
            if page.text.startswith(value[: end - start], start):
                found[i] = value
    return found


def find_times(page: PageText, days: Set[date]) -> Matches | None:
    """Find `time` elements whose `datetime` is on one of the days."""
    if not days:
        return None
    found = {}
    for i in page.names.of_kind(_is_time):
        moment = parse_date(page.outline.elements[i].get("datetime"))
        if moment and moment.date() in days:
            found[i] = moment.date().isoformat()
    return found


def find_day_texts(page: PageText, days: Set[date]) -> Matches | None:
    """Find the innermost elements whose short text contains one of the days."""
    if not days:
        return None
    endings = {f"{day.year % 100:02}" for day in days}
    found: dict[int, str] = {}
    tried: set[int] = set()
    for text, owner in zip(page.outline.leaf_texts, page.outline.leaf_owners, strict=True):
        if len(text) <= MAX_DATE_TEXT_LENGTH and any(it in text for it in endings):
            for i in _lineage(page.outline, owner):
                if i in tried:
                    break
                tried.add(i)
                if day := find_day(_short_text(page.outline, i), days):
                    found[i] = day.isoformat()
                    break
    return found


def find_images(page: PageText, url: str | None) -> Matches | None:
    """Find `img` elements that show the file at a URL."""
    wanted = _path(url or "")
    if not wanted:
        return None
    elements = page.outline.elements
    return {
        i: wanted
        for i in page.names.of_kind(_is_image)
        if any(_same_file(wanted, it) for it in _image_paths(elements[i]))
    }


def _is_no_section(kind: Kind) -> bool:
    return kind.tag not in _SECTIONS


def _is_time(kind: Kind) -> bool:
    return kind.tag == "time"


def _is_image(kind: Kind) -> bool:
    return kind.tag == "img"


def _lineage(outline: Outline, index: int) -> Iterator[int]:
    for _ in range(_DATE_ANCESTORS):
        if index >= 0:
            yield index
            index = outline.parents[index]


def _short_text(outline: Outline, index: int) -> str:
    """Return an element's text, or nothing if it is long."""
    texts = outline.leaf_texts[outline.leaf_starts[index] : outline.leaf_ends[index]]
    if len(texts) > MAX_DATE_TEXT_LENGTH:
        return ""
    text = " ".join(" ".join(texts).split())
    return text if len(text) <= MAX_DATE_TEXT_LENGTH else ""


def _image_paths(element: Element) -> Iterator[str]:
    for name in _IMAGE_ATTRIBUTES:
        if url := element.get(name):
            yield _path(url)
    for name in _IMAGE_SETS:
        for source in element.get(name, "")[:_MAX_URL_LENGTH].split(","):
            yield _path(source.strip().partition(" ")[0])


def _path(url: str) -> str:
    """Return the path of a URL, without leading dots and slashes."""
    if len(url) > _MAX_URL_LENGTH or url.startswith("data:"):
        return ""
    try:
        return unquote(urlsplit(url.strip()).path).lstrip("./")
    except ValueError:
        return ""


def _same_file(one: str, other: str) -> bool:
    """Report whether one path ends in the other, as URLs do in relative ones."""
    if not one or not other:
        return False
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
