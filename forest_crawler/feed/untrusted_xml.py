"""Untrusted XML → safe text and trees, for feeds, OPML and sitemaps.

Nothing that a document declares is opened, and nothing in it expands without bound: the reader
collects the prolog's entities and cuts it off, replaces harmless references in one linear pass,
and refuses the rest. The output has no DOCTYPE, so later parsers have nothing to expand.
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
"""Max bytes of a feed, a list or a sitemap; the largest real feeds have a few million."""

MAX_TAGS = 1_000_000
MAX_REFERENCES = 2_000_000
"""More than the largest documents have. A tree takes 120 bytes per tag."""

MAX_DOCTYPE_LENGTH = 2**18
"""Max characters of a DOCTYPE. One with all entities of HTML has about 20,000."""

MAX_EXPANSION = 2**20
"""Max characters that a document's own entities may add to it."""

_BLANKS = re.compile(r"\s*")
_OPAQUE = re.compile(r"<!\[CDATA\[|<!--")
_CLOSINGS = {"<![CDATA[": "]]>", "<!--": "-->"}
_NUMBER = r"#(?:[xX][0-9a-fA-F]{1,8}|[0-9]{1,8});"
_BARE_AMPERSAND = re.compile(rf"&(?!{_NUMBER}|[\w.:-]{{1,64}};)")
_REFERENCE = re.compile(rf"&(?!(?:amp|lt|gt|quot|apos);)(?:{_NUMBER}|([\w.:-]{{1,64}});)")
_CHAIN = re.compile(r"&(?!#|(?:amp|lt|gt|quot|apos);)")
_MARKUP = frozenset("<>&\"'")
_LOGGED_ERRORS = 100  # lxml logs no more errors per document
# After the root element's end, servers add comments, counters and warnings.
_HARMLESS_ERRORS = frozenset([etree.ErrorTypes.ERR_DOCUMENT_END])


class UnsafeXmlError(DocumentError):
    """XML that is refused, or cannot be parsed."""

    def __init__(self, reason: XmlReason, url: str = "") -> None:
        super().__init__(reason, url)


def safe_xml(text: str) -> str:
    """Rewrite XML from its root element on, so that no parser has anything to expand.

    Drops comments, and the start of a CDATA section that never ends; keeps other CDATA sections.
    Escapes bare ampersands, replaces HTML's entities even if undeclared, and removes characters
    that XML forbids, however they are written.
    Raises `UnsafeXmlError` with "entities" for declarations that refer to others or grow too much,
    and with "too large" for more tags or references than any real document has.

    >>> safe_xml('<!DOCTYPE a [<!ENTITY co "Ann &amp; Sons">]><a>&co; caf&eacute;&#0; A&B</a>')
    '<a>Ann &amp; Sons café\ufffd A&amp;B</a>'
    """
    if text.count("<") > MAX_TAGS or text.count("&") > MAX_REFERENCES:
        raise UnsafeXmlError("too large")
    text = FORBIDDEN.sub("", text)
    start, entities = _read_prolog(text)
    return _replace_references(text[start:], entities)


def parse_xml(text: str) -> tuple[Element, bool]:
    """Parse the output of `safe_xml`; the flag says whether it is well-formed.

    That includes the declaration of all its namespaces. A broken document gives the tree of what
    libxml2 could recover. Raises `UnsafeXmlError` with "too deep" at 256 levels, where libxml2
    stops, "too large" for a text of ten million characters, and "malformed" if there is no element.
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
    last = log.last_error  # reaching a limit ends the parse
    if last is not None and last.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT:
        raise UnsafeXmlError("too deep" if "depth" in last.message else "too large")
    is_sound = all(error.type in _HARMLESS_ERRORS for error in log) and len(log) < _LOGGED_ERRORS
    return root, is_sound


def local_name(element: Element) -> str:
    """Name an element without its namespace or an undeclared prefix, in lower case."""
    tag = element.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def _read_prolog(text: str) -> tuple[int, dict[str, str]]:
    """Find where the root element starts, and the entities declared before it."""
    entities: dict[str, str] = {}
    position = 0
    while True:
        position = _skip_blanks(text, position)
        if text.startswith("<?", position):
            position = _skip_past(text, "?>", position)
        elif text.startswith("<!--", position):
            position = _skip_past(text, "-->", position)
        elif text[position : position + 9].upper() == "<!DOCTYPE":
            position = _read_doctype(text, position, entities)
        else:
            return position, entities


def _skip_blanks(text: str, position: int) -> int:
    found = _BLANKS.match(text, position)
    return found.end() if found else position


def _skip_past(text: str, closing: str, position: int) -> int:
    end = text.find(closing, position)
    return len(text) if end < 0 else end + len(closing)


def _read_doctype(text: str, position: int, entities: dict[str, str]) -> int:
    """Collect the entities of a DOCTYPE; return the position after it."""
    data = text[position : position + MAX_DOCTYPE_LENGTH].encode("utf-8")
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
        return position + len(data[: ends[0]].decode()) + 1
    except expat.ExpatError as err:
        if b"<!ENTITY" in data:
            raise UnsafeXmlError("entities") from err
    return _skip_past(text, ">", position)


class _DoctypeEnd(Exception):  # noqa: N818
    """Stops expat before it parses the root element."""


def _declare_into(entities: dict[str, str]) -> Callable[..., None]:
    def declare(name: str, is_parameter: bool, value: str | None, *_: object) -> None:
        if value is None:  # external: never opened, replaced by nothing
            entities.setdefault(name, "")
        elif is_parameter or _CHAIN.search(value):
            raise UnsafeXmlError("entities")
        else:
            entities.setdefault(name, value)

    return declare


def _replace_references(text: str, entities: dict[str, str]) -> str:
    replacement = _replacement(entities)

    def replace(piece: str) -> str:
        return _REFERENCE.sub(replacement, _BARE_AMPERSAND.sub("&amp;", piece))

    pieces: list[str] = []
    unclosed: set[str] = set()  # no end found once means none further on
    position = 0
    while opening := _OPAQUE.search(text, position):
        kind = opening[0]
        pieces.append(replace(text[position : opening.start()]))
        end = -1 if kind in unclosed else text.find(_CLOSINGS[kind], opening.end())
        if end < 0:
            unclosed.add(kind)
            position = opening.end()
            continue
        if kind != "<!--":
            pieces.append(text[opening.start() : end + 3])
        position = end + 3
    pieces.append(replace(text[position:]))
    return "".join(pieces)


def _replacement(entities: dict[str, str]) -> Callable[[re.Match[str]], str]:
    spent = 0

    def replace(reference: re.Match[str]) -> str:
        nonlocal spent
        name = reference[1]
        if name not in entities:
            return _known_reference(reference[0])
        spent += len(entities[name])
        if spent > MAX_EXPANSION:
            raise UnsafeXmlError("entities")
        return entities[name]

    return replace


@lru_cache(maxsize=4096)
def _known_reference(reference: str) -> str:
    """Replace a reference of HTML with its character, escaped as XML needs it."""
    if not reference.startswith("&#"):
        known = html5.get(reference[1:])
        return html.escape(reference if known is None else known, quote=False)
    character = html.unescape(reference)  # as browsers do: 128 to 159 are windows-1252
    return reference if character in _MARKUP else FORBIDDEN.sub("", character)
