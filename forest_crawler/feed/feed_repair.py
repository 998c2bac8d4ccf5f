"""Parse feeds that are not well-formed, entry by entry.

An unclosed tag would drag every later entry into its own. So the entries are cut out of the text
first and repaired one at a time, which confines the damage to its entry.
"""

from __future__ import annotations

import html
import re
from datetime import datetime
from itertools import islice

from forest_crawler.feed.newest import newest_positions
from forest_crawler.feed.untrusted_xml import UnsafeXmlError, parse_xml
from forest_crawler.page.xpath import Element
from forest_crawler.text.dates import parse_date

_FIRST_TAG = re.compile(r"<([A-Za-z_][\w.:-]*)([^<>]*)>")
_ATTRIBUTE = re.compile(r"""\s[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<>]*"|'[^'<>]*')""")
_TAG = re.compile(r"<[A-Za-z_][^<>]*>")
_VALUE = re.compile(
    r"""(\s[A-Za-z_][\w.:-]*\s*=\s*)(?:"[^"<>]*"|'[^'<>]*'|([^\s"'<>=]+?)(?=/?>|\s))"""
)
_ENTRY_TAG = re.compile(r"<(/?)(?:[\w.-]+:)?(?:item|entry)(?=[\s/>])[^<>]*>", re.IGNORECASE)
_DATE = re.compile(
    r"<(?:\w+:)?(?:pubDate|published|updated|date|issued|modified)[^<>]*>\s*([^<>]{4,64})<",
    re.IGNORECASE,
)
# These hold an article's markup; markup that was not escaped is the usual damage.
_MARKUP_TAG = re.compile(
    r"<((?:\w+:)?(?:title|subtitle|description|summary|content|encoded))((?=[\s>])[^<>]*)>",
    re.IGNORECASE,
)
_URL_TAG = re.compile(r"<(?:[\w.-]+:)?(?:link|guid|id|origLink)(?=[\s>])[^<>]*>", re.IGNORECASE)
_NAMESPACE = re.compile(r"""\sxmlns(?::([\w.-]{1,40}))?\s*=\s*["']([^"'<>]{0,200})["']""")
_PREFIX = re.compile(r"[</\s]([A-Za-z_][\w.-]{0,39}):[\w.-]+(?=[\s=/>])")

# The namespaces of prefixes that a feed doesn't declare.
_CUSTOMARY = {
    "atom": "http://www.w3.org/2005/Atom",
    "content": "http://purl.org/rss/1.0/modules/content/",
    "dc": "http://purl.org/dc/elements/1.1/",
    "dcterms": "http://purl.org/dc/terms/",
    "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
    "itunes": "http://www.itunes.com/DTDs/PodCast-1.0.dtd",
    "media": "http://search.yahoo.com/mrss/",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "sy": "http://purl.org/rss/1.0/modules/syndication/",
}
_RESERVED_PREFIXES = frozenset(["xml", "xmlns"])
_MAX_PREFIXES = 100
_MAX_TAGS = 200_000  # a start and an end for each entry of 100 bytes


def repair_feed(text: str, *, now: datetime | None = None) -> tuple[Element, int]:
    """Make the tree of a broken feed, and count the entries left out.

    Raises `UnsafeXmlError` if not even the feed's head can be parsed.
    """
    text = _escape_sections(text)
    head, pieces = _split(text)
    if pieces:
        pieces[-1] = _drop_cut_url(pieces[-1])
    kept = newest_positions([_read_date(piece, now) for piece in pieces])
    scope = _scope(text)
    root, _ = parse_xml(_quote_values(_escape_markup(_declare(head, scope))))
    added = 0
    for position in kept:
        entry = _parse_piece(pieces[position], scope)
        if entry is not None:
            root.append(entry)
            added += 1
    return root, len(pieces) - added


def _escape_sections(text: str) -> str:
    """Escape CDATA sections, so that whatever looks like a tag is one."""
    pieces: list[str] = []
    position = 0
    while (start := text.find("<![CDATA[", position)) >= 0 and (
        end := text.find("]]>", start)
    ) >= 0:
        pieces += [text[position:start], html.escape(text[start + 9 : end], quote=False)]
        position = end + 3
    return "".join([*pieces, text[position:]])


def _split(text: str) -> tuple[str, list[str]]:
    """Split a feed into its head and entries; an unclosed one ends at the next."""
    starts: list[int] = []
    ends: list[int] = []
    for tag in islice(_ENTRY_TAG.finditer(text), _MAX_TAGS):
        if len(starts) > len(ends):
            ends.append(tag.end() if tag[1] else tag.start())
        if not tag[1]:
            starts.append(tag.start())
    ends += [len(text)] * (len(starts) - len(ends))
    head = text[: starts[0]] if starts else text
    return head, [text[start:end] for start, end in zip(starts, ends, strict=True)]


def _drop_cut_url(piece: str) -> str:
    """Drop the URL that a document breaks off in: the rest of it may be missing.

    >>> _drop_cut_url("<item><title>Rain</title><link>http://gazette.exa")
    '<item><title>Rain</title>'
    """
    last = piece.rfind("<")
    return piece[:last] if _URL_TAG.match(piece, last) else piece


def _read_date(piece: str, now: datetime | None) -> datetime | None:
    found = _DATE.search(piece)
    return parse_date(found[1].strip(), now=now) if found else None


def _scope(text: str) -> dict[str, str]:
    """Map every prefix to the feed's, the customary, or an invented namespace."""
    declared = {prefix: uri for prefix, uri in _NAMESPACE.findall(text) if uri}
    used = dict.fromkeys(_PREFIX.findall(text))
    names = [prefix for prefix in used if prefix not in _RESERVED_PREFIXES][:_MAX_PREFIXES]
    scope = {name: declared.get(name) or _CUSTOMARY.get(name, f"urn:x:{name}") for name in names}
    return {"": declared[""], **scope} if "" in declared else scope


def _declare(text: str, scope: dict[str, str]) -> str:
    """Declare missing namespaces in the first tag, and drop invalid attributes."""
    tag = _FIRST_TAG.match(text)
    if tag is None:
        return text
    name, rest = tag.groups()
    attributes = _ATTRIBUTE.findall(rest)
    own = {prefix for prefix, _ in _NAMESPACE.findall(rest)}
    attributes += [
        f' xmlns:{prefix}="{uri}"' if prefix else f' xmlns="{uri}"'
        for prefix, uri in scope.items()
        if prefix not in own
    ]
    end = "/>" if rest.endswith("/") else ">"
    return f"<{name}{''.join(attributes)}{end}{text[tag.end() :]}"


def _parse_piece(piece: str, scope: dict[str, str]) -> Element | None:
    try:
        entry, _ = parse_xml(_quote_values(_escape_markup(_declare(piece, scope))))
    except UnsafeXmlError:
        return None
    return entry


def _escape_markup(piece: str) -> str:
    """Escape markup inside the elements that should hold text."""
    pieces: list[str] = []
    position = 0
    while tag := _MARKUP_TAG.search(piece, position):
        end = piece.find(f"</{tag[1]}>", tag.end())
        if end < 0:
            break
        inner = piece[tag.end() : end]
        if "<" in inner:
            kind = ' type="html"' if "type" in tag[2] else ""
            pieces += [
                piece[position : tag.start()],
                f"<{tag[1]}{kind}>",
                html.escape(inner, quote=False),
            ]
        else:
            pieces.append(piece[position:end])
        position = end
    return "".join([*pieces, piece[position:]])


def _quote_values(piece: str) -> str:
    """Put quotes around the values of attributes that have none."""

    def quote(value: re.Match[str]) -> str:
        return f'{value[1]}"{value[2]}"' if value[2] else value[0]

    return _TAG.sub(lambda tag: _VALUE.sub(quote, tag[0]) if "=" in tag[0] else tag[0], piece)
