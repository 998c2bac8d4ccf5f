"""Sightings: the elements of a page that show a value known from its metadata.

For `forest_crawler.induction.field_locators`. Every search is one pass over the page: its
comparable text is one string, and each element's text is an interval of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from datetime import date
from itertools import accumulate
from typing import TypeAlias
from urllib.parse import unquote, urlsplit

from forest_crawler.page.outline import Outline
from forest_crawler.page.xpath import Element
from forest_crawler.text.comparison import comparable
from forest_crawler.text.dates import find_day, parse_date

Sightings: TypeAlias = Mapping[int, str]
"""The value that each of some elements shows, by the element's index."""

MIN_LEAD = 20
"""Letters that a lead must share with the description: fewer may begin any sentence."""

MAX_DATE_TEXT_LENGTH = 120
"""Characters of a date line, with weekday, hour, place and author."""

_MIN_LEAD_SHARE = 0.5  # of the description; what is shorter is a beginning of it by chance
_MAX_LEAD_SHARE = 2.0  # of the description; what is longer is the body that the lead begins
_DATE_ANCESTORS = 3  # levels over which a date's day, month and year may be spread
_IMAGE_ATTRIBUTES = ("src", "data-src", "data-lazy-src", "data-original")
_IMAGE_SETS = ("srcset", "data-srcset")
_MAX_ADDRESS_LENGTH = 4000  # beyond are inline images


# A section may hold a single element today and more tomorrow: that element is what shows the value.
_SECTIONS = frozenset("body main article section header footer nav aside form".split())


class PageText:
    """A page's text in comparable form."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        pieces = [comparable(text) for text in outline.leaf_texts]
        self.text = "".join(pieces)
        offsets = [0, *accumulate(map(len, pieces))]
        self._starts = [offsets[leaf] for leaf in outline.leaf_starts]
        self._ends = [offsets[leaf] for leaf in outline.leaf_ends]

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """The elements that are no sections, with the intervals of their texts."""
        for i, element in enumerate(self.outline.elements):
            if element.tag not in _SECTIONS:
                yield i, self._starts[i], self._ends[i]


def find_texts(page: PageText, values: Iterable[str]) -> Sightings | None:
    """The elements whose text is one of the values; `None` where there is no value."""
    wanted = {comparable(value) for value in values} - {""}
    if not wanted:
        return None
    lengths = {len(value) for value in wanted}
    shown = ((i, page.text[a:b]) for i, a, b in page.spans() if b - a in lengths)
    return {i: text for i, text in shown if text in wanted}


def find_leads(page: PageText, values: Iterable[str]) -> Sightings | None:
    """The elements that begin as a description does, and are about as long."""
    wanted = sorted(value for value in map(comparable, values) if len(value) >= MIN_LEAD)
    if not wanted:
        return None
    found: dict[int, str] = {}
    for value in wanted:
        least = max(MIN_LEAD, _MIN_LEAD_SHARE * len(value))
        for i, start, end in page.spans():
            fits = least <= end - start <= _MAX_LEAD_SHARE * len(value)
            if fits and page.text.startswith(value[: end - start], start):
                found[i] = value
    return found


def find_times(page: PageText, days: Set[date]) -> Sightings | None:
    """The `time` elements whose `datetime` lies on one of the days."""
    if not days:
        return None
    found = {}
    for i, element in enumerate(page.outline.elements):
        moment = parse_date(element.get("datetime")) if element.tag == "time" else None
        if moment and moment.date() in days:
            found[i] = moment.date().isoformat()
    return found


def find_day_texts(page: PageText, days: Set[date]) -> Sightings | None:
    """The innermost elements of little text that says one of the days."""
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


def find_images(page: PageText, address: str | None) -> Sightings | None:
    """The `img` elements of the same file."""
    wanted = _path(address or "")
    if not wanted:
        return None
    return {
        i: wanted
        for i, element in enumerate(page.outline.elements)
        if element.tag == "img" and any(_same_file(wanted, it) for it in _image_paths(element))
    }


def _lineage(outline: Outline, index: int) -> Iterator[int]:
    for _ in range(_DATE_ANCESTORS):
        if index >= 0:
            yield index
            index = outline.parents[index]


def _short_text(outline: Outline, index: int) -> str:
    """An element's text where it is short, else nothing."""
    texts = outline.leaf_texts[outline.leaf_starts[index] : outline.leaf_ends[index]]
    if len(texts) > MAX_DATE_TEXT_LENGTH:
        return ""
    text = " ".join(" ".join(texts).split())
    return text if len(text) <= MAX_DATE_TEXT_LENGTH else ""


def _image_paths(element: Element) -> Iterator[str]:
    for name in _IMAGE_ATTRIBUTES:
        yield _path(element.get(name, ""))
    for name in _IMAGE_SETS:
        for source in element.get(name, "")[:_MAX_ADDRESS_LENGTH].split(","):
            yield _path(source.strip().partition(" ")[0])


def _path(address: str) -> str:
    """The path of an address, without what leads up to it."""
    if len(address) > _MAX_ADDRESS_LENGTH or address.startswith("data:"):
        return ""
    try:
        return unquote(urlsplit(address.strip()).path).lstrip("./")
    except ValueError:
        return ""


def _same_file(one: str, other: str) -> bool:
    """Whether one path ends in the other, as relative addresses do."""
    if not one or not other:
        return False
    return f"/{one}".endswith(f"/{other}") or f"/{other}".endswith(f"/{one}")
