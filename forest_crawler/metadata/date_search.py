"""The last resort for a date: htmldate's search of a page's markup, URL and text.

htmldate copies what it is given, cleans it, writes it and searches it several times. Most of a page
cannot change what it finds, so it is given a small page with the rest: elements named like a date
line, times, headings, metadata, and texts with numbers like those of a date.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Set
from datetime import datetime
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from lxml import etree

from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import FORBIDDEN
from forest_crawler.text.dates import parse_date

MAX_TEXT = 2**20
"""Max characters of a page's text that are searched: htmldate passes over them several times."""

MAX_LINE = 120
"""Characters kept of an element: htmldate reads the first 52 of them, blanks folded."""

MAX_CACHED_NAME = 120
"""Characters of a class or id whose judgement is kept: long ones would fill the memory."""

MAX_ELEMENTS = 1001
"""Max elements named like a date line: htmldate reads none of more than a thousand."""

MAX_STEPS = 200
"""Max starts and ends of elements that are passed for the text of one of them."""

MAX_ALL_STEPS = 1_000_000
"""The same for a page: where elements named so are nested, each start is passed many times."""

# Of what htmldate drops before it reads, that which a parsed page may still have.
_DROPPED_TAGS = ("label", "map", "math", "picture", "rdf")
_DROPPED_IDS = frozenset(["wm-ipp", "wm-ipp-base"])  # of `div`: the bar of the Wayback Machine
_ALWAYS_READ = frozenset("abbr footer h1 small time".split())
_READ_TAGS = ("div", "h2", "h3", "h4", "li", "p", "span", "ul", *sorted(_ALWAYS_READ))
_NAMES = ("class", "id", "itemprop")
_DATED = ("datetime", "title", "data-utime")
_READ_ATTRIBUTES = frozenset(
    [*_NAMES, *_DATED, "name", "property", "content", "http-equiv", "pubdate", "rel", "href"]
)
# A part of each word by which htmldate recognises a date line; it decides on the whole.
_CUE = re.compile(
    "[Dd]at(?:e|um)|[Mm]eta|time|publi|parution|footer|info|post|byline|subline|submitted|auth?or|"
    "block-content|field-content|fa-c|fecha"
)
_DIGIT = re.compile("[0-9]")
_NUMBERS = re.compile(r"[0-9][./-][0-9]{1,2}[./-][0-9]")
_LONG_NUMBER = re.compile(r"[0-9]{4}|[0-9][./-][0-9]")
_URL_DAY = re.compile(r"[0-9][/_-][0-9]{1,2}[/_-][0-9]")
_TEXT = etree.XPath("string()", regexp=False, smart_strings=False)
# In attributes: day and time, or a link's argument such as `date=6/3/2026`.
_MOMENT = re.compile(
    r"-[0-9]{1,2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}|date=[0-9]{1,4}[./][0-9]{1,2}[./][0-9]{2}",
    re.IGNORECASE,
)
# The same in the source, where few pages have them; a fixed first letter makes a search fast.
_SOURCE_MOMENTS = (
    re.compile(rb"-[0-9]{1,2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}"),
    re.compile(rb"ate=[0-9]{1,4}[./][0-9]{1,2}[./][0-9]{2}"),
)


def guess_date(tree: PageTree, latest: datetime | None = None) -> datetime | None:
    """Guess with htmldate the day on which a page was first published; never raises.

    >>> from forest_crawler.page.tree import parse_page
    >>> guess_date(parse_page("<p>It rained.<p class=posted>March 6, 2026")).date()
    datetime.date(2026, 3, 6)
    """
    find_date, parser = _finder()
    page = _small_page(tree, parser)
    if not any(map(len, page)) and not _URL_DAY.search(tree.url or ""):
        return None
    try:
        found = find_date(
            page,
            extensive_search=False,
            original_date=True,
            url=tree.url,
            max_date=latest,
            deferred_url_extractor=True,
        )
    except (ValueError, TypeError, LookupError, RecursionError, OverflowError, etree.LxmlError):
        return None  # htmldate fails on some odd pages
    return parse_date(found) if isinstance(found, str) else None


def _small_page(tree: PageTree, parser: etree.HTMLParser) -> Element:
    """Make a page of the elements, texts and attributes that may hold a date.

    Its elements are those of the parser, which htmldate may change without another copy.
    """
    root = parser.makeelement("html")
    head = etree.SubElement(root, "head")
    for element in tree.head_elements("title", "meta", "link"):
        if _may_state_date(element):
            _copy(element, head, element.text)
    body = etree.SubElement(root, "body")
    dropped = _dropped_elements(tree.body)
    # First, and in the page's order: htmldate takes the first match in all of the markup.
    for piece, before in _dated_pieces(tree, dropped):
        if before is None:
            etree.SubElement(body, "i", title=_clean(piece))
        else:
            label = etree.SubElement(etree.SubElement(body, "b"), "b")
            label.text, label.tail = _clean(before), _clean(piece)
    for element, rest in islice(_date_lines(tree.body, dropped), MAX_ELEMENTS):
        copied = _copy(element, body, element.text)
        if rest:  # apart: of a `time` without `datetime`, htmldate reads its own text only
            etree.SubElement(copied, "b").text = _clean(rest)
    return root


def _dropped_elements(body: Element) -> Set[Element]:
    """Return what htmldate doesn't read, with everything in it."""
    found: set[Element] = set()
    for element in body.iter("div", *_DROPPED_TAGS):
        is_dropped = element.tag != "div" or element.get("id") in _DROPPED_IDS
        if is_dropped and element not in found:
            found.update(element.iter())
    return found


def _may_state_date(element: Element) -> bool:
    if element.tag == "link":
        return "canonical" in (element.get("rel") or "").lower()
    stated = (element.text, element.get("content"), element.get("datetime"))
    return _LONG_NUMBER.search(" ".join(filter(None, stated))) is not None


def _copy(element: Element, parent: Element, text: str | None) -> Element:
    """Copy an element with the attributes that htmldate reads, in their order."""
    kept = {
        str(name): _clean(str(value)) for name, value in element.items() if name in _READ_ATTRIBUTES
    }
    copied = etree.SubElement(parent, str(element.tag), kept)
    copied.text = _clean(text)
    return copied


def _clean(text: str | None) -> str:
    return FORBIDDEN.sub("", text) if text else ""


def _date_lines(body: Element, dropped: Set[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the elements that are named like a date line and have digits.

    Each comes with the beginning of the text that follows its own one.
    """
    left = iter(range(MAX_ALL_STEPS))
    for element in _named_elements(body):
        if element not in dropped:
            rest = _beginning(element, dropped, left)
            stated = (element.text, rest, *map(element.get, _DATED))
            if _DIGIT.search(" ".join(filter(None, stated))):
                yield element, rest


def _named_elements(body: Element) -> Iterator[Element]:
    for element in body.iter(*_READ_TAGS):
        if element.tag in _ALWAYS_READ or any(map(_has_cue, map(element.get, _NAMES))):
            yield element


def _has_cue(name: str | None) -> bool:
    if not name:
        return False
    return _search_cue(name) if len(name) <= MAX_CACHED_NAME else _CUE.search(name) is not None


@lru_cache(maxsize=4096)  # the pages of a site share most of them
def _search_cue(name: str) -> bool:
    return _CUE.search(name) is not None


def _beginning(element: Element, dropped: Set[Element], left: Iterator[int]) -> str:
    """Return the text in an element after its own one, as far as htmldate reads it.

    Takes an item of `left` for each step, while there are any.
    """
    pieces: list[str] = []
    length = len((element.text or "").strip())
    if length > MAX_LINE:
        return ""
    walk = etree.iterwalk(element, events=("start", "end"))
    for _, (event, inner) in zip(left, islice(walk, MAX_STEPS), strict=False):
        if event == "start" and inner in dropped:
            walk.skip_subtree()
            continue
        piece = inner.text if event == "start" else inner.tail
        if piece and inner is not element:
            pieces.append(piece)
            length += len(piece.strip())
            if length > MAX_LINE:
                break
    return "".join(pieces)


def _dated_pieces(tree: PageTree, dropped: Set[Element]) -> Iterator[tuple[str, str | None]]:
    """Yield the texts and attributes that may state a date, in the page's order.

    Texts have numbers like a date's and come with the text before them; attributes state a day and
    time, or a date by its name, and come with `None`.
    """
    has_moments = any(pattern.search(tree.source) for pattern in _SOURCE_MOMENTS)
    if not has_moments and not _NUMBERS.search(str(_TEXT(tree.body))[:MAX_TEXT]):
        return  # as on most pages
    before, left = "", MAX_TEXT
    walk = etree.iterwalk(tree.body, events=("start", "end"))
    for event, element in walk:
        if event == "start" and element in dropped:
            walk.skip_subtree()
            continue
        if event == "start" and has_moments:
            yield from ((str(it), None) for it in element.values() if _MOMENT.search(str(it)))
        text = element.text if event == "start" else element.tail
        if text and left > 0:
            left -= len(text)
            if left >= 0 and _NUMBERS.search(text):
                yield text, before
            if not text.isspace():
                before = text


@cache
def _finder() -> tuple[Any, etree.HTMLParser]:
    """Return htmldate's function, and a parser like its own.

    The parser makes all elements of one class: htmldate's would look up a class per tag in Python,
    which takes a third of its time.
    """
    from htmldate import find_date  # its date parsers take a second to load
    from lxml.html import HtmlElement

    class OwnElement(HtmlElement):  # type: ignore[misc]  # lxml-stubs lacks it
        """An element of a copy: htmldate copies what it is given once more, before it prunes."""

        def __deepcopy__(self, memo: object) -> OwnElement:
            return self

    logging.getLogger("htmldate").setLevel(logging.CRITICAL)
    parser = etree.HTMLParser(encoding="utf-8", collect_ids=False, remove_pis=True)
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=OwnElement))
    return find_date, parser
