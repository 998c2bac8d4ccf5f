"""Bytes → `PageTree`: decoded, cleaned, dfs-numbered.

A page is parsed once. Forest and all page-level methods read this one tree and return nodes of it
(`forest_crawler.page.selection`).

The tree in the paper's sense is the page's `body`: as in figure 3 it has dfs 1 and level 1. `head`
stays reachable for metadata, but is never content.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from lxml import etree

from forest_crawler.errors import EmptyPageError
from forest_crawler.page.encoding import recode_page
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.media import MEDIA_TAGS, MediaNode, empty_media, take_media
from forest_crawler.page.outline import Outline, number_elements
from forest_crawler.page.properties import MAX_PROPERTIES, StatedProperty, read_property
from forest_crawler.page.reassembly import (
    FRAGMENT_PREFIX,
    assemble_body,
    first_child,
    place_fragments,
)
from forest_crawler.page.source_repair import clean_source, close_title
from forest_crawler.page.visibility import (
    drop_elements,
    drop_hidden,
    has_hidden,
    has_more_text,
    text_length,
)
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.text.language_codes import read_language

UNSEEN_TAGS = (
    "script style template frame noframes applet svg canvas datalist meta link base title".split()
)
"""Elements whose text readers never see, dropped with their content.

Videos, sounds and embedded documents are taken out, too, but kept as `PageTree.media`.

`title`, `meta` and `link` also occur in bodies: in tag soup, or as microdata.
"""

HEAD_TAGS = ("title", "meta", "link", "base")
"""Elements of a head that are also read if they are directly in the body."""

MAX_MISPLACED = 1000
"""Max elements of a head that are read in the body; as many are read of each kind in a head."""

MIN_NOSCRIPT_SHARE = 0.75
"""The share of a page's text from which its `noscript` elements are the page.

Usually they ask to turn scripts on; but some forums have all their posts there, next to the empty
frame that a script would fill.
"""

MIN_STAND_IN = 500
"""Min characters of a `noscript` element that is a text which a script would write in its place.

Requests to turn scripts on, and menus without them, are shorter or have other text beside them.
"""

MAX_READING = 50
"""Max characters of a reading; a longer one is unclosed, and holds what follows."""

INLINE_TAGS = frozenset(
    "a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark nobr q "
    "rb rp rt ruby s samp small span strike strong sub sup time tt u var wbr".split()
)
"""Elements that do not start a new line; everything else does."""

READING_TAGS = ("rp", "rt", "rtc")
"""How the characters in a `ruby` element are read, in small print above them, and the parentheses
around that. Between the words, it would tear them apart: 子こどもへ for 子どもへ."""

_FRAGMENT_ID_START = f'id="{FRAGMENT_PREFIX}'.encode()


class _Unseen(NamedTuple):
    structured: list[str]  # the text of the JSON-LD scripts
    noscripts: list[Element]
    properties: list[StatedProperty]
    media: list[Element]
    readings: list[Element]


@dataclass(frozen=True, eq=False)
class PageTree:
    """A page as a cleaned tree; `html` never changes after `parse_page`."""

    html: Element
    body: Element
    encoding: str
    url: str | None
    language: str | None  # as the page declares it: base code, lower case
    structured: tuple[str, ...]  # the page's JSON-LD scripts, verbatim
    truncated: bool  # the parser hit its depth limit: the end of the page is missing
    media: tuple[MediaNode, ...] = ()  # in document order; not elements of the tree
    source: bytes = field(default=b"", repr=False)  # as fetched, in UTF-8
    properties: tuple[StatedProperty, ...] = ()  # microdata in the body that isn't shown
    # What `once_per_tree` functions have computed; a copy by `replace` starts without any.
    derived: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    def head_elements(self, *tags: str) -> Iterator[Element]:
        """Yield the elements outside the body, of which it has none if they are `UNSEEN_TAGS`.

        The title, meta, link and base elements directly in the body are copied to a head after it.
        """
        for part in self.html:
            if part is not self.body:
                yield from part.iter(*tags)

    @cached_property
    def outline(self) -> Outline:
        """The numbered elements and text leaves, made on first use."""
        return number_elements(self.body)

    @cached_property
    def annotated(self) -> Element:
        """A copy of the body in which every element has its `dfs` number and `level`.

        The paper's wrappers are XPaths over this form. Attributes of the page with these names are
        overwritten, in the copy only.
        """
        annotated = copy.deepcopy(self.body)
        annotated.tail = None
        # A list keeps the elements alive; without it, lxml climbs to the root for each of them.
        for i, element in enumerate(list(annotated.iter(etree.Element))):
            element.set("dfs", str(i + 1))
            element.set("level", str(self.outline.levels[i]))
        return annotated

    def annotated_xml(self) -> str:
        """Write the dfs-annotated body as XML."""
        return etree.tostring(self.annotated, encoding="unicode", pretty_print=True)

    def select_annotated(self, path: ElementPath) -> list[Element]:
        """Return the elements whose annotated copies the path selects, in document order."""
        return [self.outline.elements[int(e.get("dfs", "")) - 1] for e in path(self.annotated)]


def parse_page(
    source: bytes | str, *, charset: str | None = None, url: str | None = None
) -> PageTree:
    """Parse a page into a tree.

    `charset` is the one in the HTTP header, if known. Raises `EmptyPageError` if the page has no
    visible element; every other input, however broken, gives a tree.

    >>> tree = parse_page(b"<p>One<p>Two <b>three</b>")
    >>> [(e.tag, level) for e, level in zip(tree.outline.elements, tree.outline.levels)]
    [('body', 1), ('p', 2), ('p', 2), ('b', 3)]
    """
    encoding, data = (
        recode_page(source, charset)
        if isinstance(source, bytes)
        else ("utf-8", source.encode("utf-8", "replace"))
    )
    fetched = data
    data = clean_source(data)
    html, truncated = _parse(data, url)
    if first_child(html, "body") is None and (repaired := close_title(data)) != data:
        html, truncated = _parse(repaired, url)
    body = assemble_body(html)
    unseen = _read_unseen(html)
    if body is None:
        raise EmptyPageError("no visible element, nothing to extract from", url)
    _copy_to_head(html, body)
    may_be_marked = has_hidden(body)  # as fragments are; a search in the source takes longer
    if may_be_marked and _FRAGMENT_ID_START in data:
        place_fragments(body, data)
        unseen = unseen._replace(media=list(body.iter(*MEDIA_TAGS)))  # in their new order
    etree.strip_elements(body, *UNSEEN_TAGS, with_tail=False)
    sources = empty_media(body, unseen.media)
    _resolve_noscripts(body, unseen.noscripts)
    drop_elements(body, filter(_is_reading, unseen.readings))
    drop_hidden(body, may_be_marked=may_be_marked)
    media = take_media(body, sources)
    language = _language(html, body)
    return PageTree(
        html,
        body,
        encoding,
        url,
        language,
        tuple(unseen.structured),
        truncated,
        media,
        fetched,
        tuple(unseen.properties),
    )


def _parse(data: bytes, url: str | None) -> tuple[Element, bool]:
    # huge_tree: libxml2 stops at 2,047 levels instead of 255, both without an exception.
    # collect_ids: the table only serves XPath's id(), which `ElementPath` replaces.
    parser = etree.HTMLParser(
        encoding="utf-8",
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as err:  # older releases of libxml2 reject an empty document
        check_memory(err)
        root = None
    if root is None:
        raise EmptyPageError("neither an element nor text, nothing to extract from", url)
    # A resource limit ends the parse, so it is the last entry of the log.
    last = parser.error_log.last_error
    return root, last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT


def _read_unseen(html: Element) -> _Unseen:
    """Read what is in a page but not seen.

    Keeps no reference to other scripts, which would make stripping them slow.
    """
    found = _Unseen([], [], [], [], [])
    for element in html.iter("script", "noscript", "meta", *READING_TAGS, *MEDIA_TAGS):
        tag = element.tag
        if tag == "noscript":
            found.noscripts.append(element)
        elif tag in READING_TAGS:
            found.readings.append(element)
        elif tag == "meta":
            if len(found.properties) < MAX_PROPERTIES and (stated := read_property(element)):
                found.properties.append(stated)
        elif tag != "script":
            found.media.append(element)
        elif _is_json_ld(element.get("type")):
            found.structured.append(element.text or "")
    return found


def _copy_to_head(html: Element, body: Element) -> None:
    """Copy to a further head what belongs there, but is in the body as the head ended early.

    A stray element, text or a message of the server ends it. A head with a title is whole: what
    further elements in the body state is somebody else's word.
    """
    if any(next(part.iter("title"), None) is not None for part in html if part is not body):
        return
    stated = (it for it in body.iterchildren(*HEAD_TAGS) if it.get("itemprop") is None)
    misplaced = list(islice(stated, MAX_MISPLACED))
    if not misplaced:
        return
    head = etree.SubElement(html, "head")
    for element in misplaced:
        attributes = {str(name): str(value) for name, value in element.items()}
        etree.SubElement(head, str(element.tag), attributes).text = element.text


def _is_json_ld(kind: str | None) -> bool:
    return kind is not None and kind.strip().lower().startswith("application/ld+json")


def _language(html: Element, body: Element) -> str | None:
    """Return the base code of `lang` ('pt' for 'pt-BR') or meta content-language.

    The body has no `meta` left, so it is not searched.
    """
    declared = html.get("lang") or html.get("xml:lang")  # the HTML parser ignores namespaces
    if not declared:
        for meta in (m for part in html if part is not body for m in part.iter("meta")):
            if (meta.get("http-equiv") or "").lower() == "content-language":
                declared = meta.get("content")
    return read_language(declared) if declared else None


def _resolve_noscripts(body: Element, noscripts: list[Element]) -> None:
    """Drop the `noscript` elements, or turn those into `div` that are the page or a text of it."""
    parts = [e for e in noscripts if any(above is body for above in e.iterancestors("body"))]
    outermost = [e for e in parts if next(e.iterancestors("noscript"), None) is None]
    length = sum(text_length(part) for part in outermost)
    if length and not has_more_text(body, length / MIN_NOSCRIPT_SHARE):
        kept = set(outermost)
    else:
        kept = set(_find_stand_ins(body, outermost))
    for part in parts:
        if part in kept or not kept.isdisjoint(part.iterancestors("noscript")):
            part.tag = "div"
    drop_elements(body, (part for part in outermost if part not in kept))


def _find_stand_ins(body: Element, noscripts: list[Element]) -> Iterator[Element]:
    """Find long texts that are the only one in the element around them, an empty script's place.

    A text that the page shows, too, is none.
    """
    long = [(e, e.getparent()) for e in noscripts if text_length(e) >= MIN_STAND_IN]
    places = Counter(around for _, around in long)
    # A place around another one has a second text; so none is measured twice.
    outer = {
        next(filter(places.__contains__, it.iterancestors()), None)
        for it in places
        if it is not None
    }
    alone = [
        element
        for element, around in long
        if around is not None and around is not body and around not in outer
        if places[around] == 1 and _count_characters(around) == _count_characters(element)
    ]
    if not alone:
        return
    shown = _count_texts(body)
    for element in noscripts:
        shown.subtract(_count_texts(element))
    for element in alone:
        texts = _count_texts(element).items()
        repeated = sum(len(text) * number for text, number in texts if shown[text] > 0)
        if repeated < _count_characters(element) / 2:
            yield element


def _count_texts(element: Element) -> Counter[str]:
    return Counter(str(text).strip() for text in element.itertext())


def _count_characters(element: Element) -> int:
    return sum(len(str(text).strip()) for text in element.itertext())


def _is_reading(element: Element) -> bool:
    """Whether an element is in a `ruby` element, and holds no more than a reading."""
    above = element.getparent()
    if above is None or above.tag not in ("ruby", "rtc") or text_length(element) > MAX_READING:
        return False
    return next(element.iterdescendants("rb", "ruby"), None) is None
