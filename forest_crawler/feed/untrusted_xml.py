"""XML from anywhere → text and trees that cannot hurt. Feeds, OPML and sitemaps all pass here.

Nothing declared in a document is ever opened, and nothing in it grows: the prolog is read for its
entities and cut off, harmless references are replaced in one linear pass, the rest is refused.
What comes out holds no DOCTYPE, so no parser behind has anything left to expand.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from functools import lru_cache
from html.entities import html5
from typing import Literal
from xml.parsers import expat

from lxml import etree

from forest_crawler.errors import DocumentError
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import FORBIDDEN

XmlReason = Literal["too large", "entities", "too deep", "malformed"]

MAX_DOCUMENT = 10 * 2**20
"""Bytes of a feed, a list or a sitemap; the largest real feeds have a few million."""

MAX_TAGS = 1_000_000
MAX_REFERENCES = 2_000_000
"""What the largest documents hold of these. A tree of tags alone takes 120 bytes for each."""

MAX_DOCTYPE_LENGTH = 2**18
"""Characters in which a DOCTYPE must end. With all entities of HTML it has about 20,000."""

MAX_EXPANSION = 2**20
"""Characters that a document's own entities may add to it."""

_BLANKS = re.compile(r"\s*")
_OPAQUE = re.compile(r"<!\[CDATA\[|<!--")
_CLOSINGS = {"<![CDATA[": "]]>", "<!--": "-->"}
_NUMBER = r"#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,8});"
_BARE_AMPERSAND = re.compile(rf"&(?!{_NUMBER}|[\w.:-]{{1,64}};)")
_REFERENCE = re.compile(rf"&(?!(?:amp|lt|gt|quot|apos);)(?:{_NUMBER}|([\w.:-]{{1,64}});)")
_CHAIN = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
_MARKUP = frozenset("<>&\"'")
_LOGGED_ERRORS = 100  # lxml keeps no more than these of a document
# Behind the end of the root element servers add comments, counters and warnings.
_HARMLESS_ERRORS = frozenset([etree.ErrorTypes.ERR_DOCUMENT_END])


class UnsafeXmlError(DocumentError):
    """XML that is not read, or cannot be."""

    def __init__(self, reason: XmlReason, url: str = "") -> None:
        super().__init__(reason, url)


def safe_xml(text: str) -> str:
    """Rewrite XML so that any parser can have it: from the root element on, nothing to expand.

    Comments go, CDATA sections stay, the start of one that never ends goes. Bare ampersands are
    escaped, HTML's entities are known without being declared, characters that XML forbids are gone
    however they were written.
    Raises `UnsafeXmlError` with "entities" for declarations that refer to others or grow too much,
    and with "too large" for more tags or references than any real document has.

    >>> safe_xml('<!DOCTYPE a [<!ENTITY co "Ann &amp; Sons">]><a>&co; caf&eacute;&#0; A&B</a>')
    '<a>Ann &amp; Sons café\ufffd A&amp;B</a>'
    """
    if text.count("<") > MAX_TAGS or text.count("&") > MAX_REFERENCES:
        raise UnsafeXmlError("too large")
    text = FORBIDDEN.sub("", text)
    start, entities = _read_prolog(text)
    return _settle_references(text[start:], entities)


def parse_xml(text: str) -> tuple[Element, bool]:
    """Parse what `safe_xml` made, and tell whether it was well-formed with all its namespaces.

    A broken document gives the tree of what could be understood. Raises `UnsafeXmlError` with
    "too deep" at 256 levels, where libxml2 stops, "too large" for a text of ten million characters,
    and "malformed" where there is no element.
    """
    parser = etree.XMLParser(
        encoding="utf-8",
        recover=True,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
        collect_ids=False,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as err:
        check_memory(err)
        raise UnsafeXmlError("malformed") from err
    if root is None:
        raise UnsafeXmlError("malformed")
    log = parser.error_log
    last = log.last_error  # a limit ends the parse
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        raise UnsafeXmlError("too deep" if "depth" in last.message else "too large")
    is_sound = all(error.type in _HARMLESS_ERRORS for error in log) and len(log) < _LOGGED_ERRORS
    return root, is_sound


def local_name(element: Element) -> str:
    """An element's name without its namespace or an undeclared prefix, in lower case."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def _read_prolog(text: str) -> tuple[int, dict[str, str]]:
    """Where the root element starts, and the entities declared before it."""
    entities: dict[str, str] = {}
    place = 0
    while True:
        place = _past_blanks(text, place)
        if text.startswith("<?", place):
            place = _past(text, "?>", place)
        elif text.startswith("<!--", place):
            place = _past(text, "-->", place)
        elif text[place : place + 9].upper() == "<!DOCTYPE":
            place = _read_doctype(text, place, entities)
        else:
            return place, entities


def _past_blanks(text: str, place: int) -> int:
    found = _BLANKS.match(text, place)
    return found.end() if found else place


def _past(text: str, closing: str, place: int) -> int:
    end = text.find(closing, place)
    return len(text) if end < 0 else end + len(closing)


def _read_doctype(text: str, place: int, entities: dict[str, str]) -> int:
    """Collect the entities of a DOCTYPE; give the place behind it."""
    data = text[place : place + MAX_DOCTYPE_LENGTH].encode("utf-8")
    ends: list[int] = []
    parser = expat.ParserCreate("utf-8")
    parser.EntityDeclHandler = _declare_into(entities)

    def end() -> None:
        ends.append(parser.CurrentByteIndex)
        raise _DoctypeEnd

    parser.EndDoctypeDeclHandler = end
    try:
        parser.Parse(data, True)
    except _DoctypeEnd:
        return place + len(data[: ends[0]].decode()) + 1
    except expat.ExpatError as err:
        if b"<!ENTITY" in data:
            raise UnsafeXmlError("entities") from err
    return _past(text, ">", place)


class _DoctypeEnd(Exception):  # noqa: N818
    """Leaves expat before it sees the root element."""


def _declare_into(entities: dict[str, str]) -> Callable[..., None]:
    def declare(name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        if value is None:  # external: never opened, refers to nothing
            entities.setdefault(name, "")
        elif is_parameter or _CHAIN.search(value):
            raise UnsafeXmlError("entities")
        else:
            entities.setdefault(name, value)

    return declare


def _settle_references(text: str, entities: dict[str, str]) -> str:
    settler = _settler(entities)

    def settle(piece: str) -> str:
        return _REFERENCE.sub(settler, _BARE_AMPERSAND.sub("&amp;", piece))

    pieces: list[str] = []
    unclosed: set[str] = set()  # of these no end was found, so none will be further on
    place = 0
    while opening := _OPAQUE.search(text, place):
        kind = opening[0]
        pieces.append(settle(text[place : opening.start()]))
        end = -1 if kind in unclosed else text.find(_CLOSINGS[kind], opening.end())
        if end < 0:
            unclosed.add(kind)
            place = opening.end()
            continue
        if kind != "<!--":
            pieces.append(text[opening.start() : end + 3])
        place = end + 3
    pieces.append(settle(text[place:]))
    return "".join(pieces)


def _settler(entities: dict[str, str]) -> Callable[[re.Match[str]], str]:
    spent = 0

    def settle(reference: re.Match[str]) -> str:
        nonlocal spent
        name = reference[1]
        if name not in entities:
            return _known_reference(reference[0])
        spent += len(entities[name])
        if spent > MAX_EXPANSION:
            raise UnsafeXmlError("entities")
        return entities[name]

    return settle


@lru_cache(maxsize=4096)
def _known_reference(reference: str) -> str:
    """The character that HTML means, in a form that XML can have."""
    if not reference.startswith("&#"):
        known = html5.get(reference[1:])
        return html.escape(reference if known is None else known, quote=False)
    character = html.unescape(reference)  # as browsers read it: 128 to 159 are Windows' own
    return reference if character in _MARKUP else FORBIDDEN.sub("", character)
