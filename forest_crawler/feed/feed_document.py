"""A feed's tree → a small, plain document that feedparser reads fast and right.

Between `forest_crawler.feed.feed_trees` and `forest_crawler.feed.xml_feed`. feedparser's time grows
with the square of an element's attributes, of an entry's categories and of an author's length. What
it finds depends on the order of elements (a caption of Media RSS replaces the summary before it),
and mail addresses under a long top-level domain become parts of names. So its input is written
anew, from the fields that are read later:

- Of fields that an entry has once, the most telling element is kept; of others the first ones.
  Elements that say nothing are dropped.
- Markup between tags becomes escaped HTML, so that the depth of the document is fixed.
- An entry's identifier is never resolved as a URL, and `dc:date` is the date of publication.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from forest_crawler.feed.feed_fields import (
    FOREIGN,
    Fields,
    group_fields,
    read_attributes,
    read_markup,
    read_text,
)
from forest_crawler.feed.feed_trees import FeedTree
from forest_crawler.feed.records import MAX_TITLE_LENGTH
from forest_crawler.feed.untrusted_xml import local_name
from forest_crawler.page.plain_text import MAX_MARKUP_LENGTH
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import FORBIDDEN, clean_text

MAX_ELEMENTS = 100_000
"""Max elements of the document; feedparser reads about as many per second."""

MAX_NAMES = 100
"""Max authors, tags, links and enclosures of an entry, each."""

_DECLARATIONS = "".join(
    f' xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "content": "http://purl.org/rss/1.0/modules/content/",
        "feedburner": "http://rssnamespace.org/feedburner/ext/1.0",
        "media": "http://search.yahoo.com/mrss/",
        "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
        "sy": "http://purl.org/rss/1.0/modules/syndication/",
    }.items()
)

# As what feedparser is to read an element, and the elements in order of trust.
_ENTRY_SINGLE: Mapping[str, Sequence[str]] = {
    "title": ("title", "dc:title", "itunes:title", "media:title"),
    "description": (
        "description", "summary", "abstract", "dc:description", "dcterms:abstract",
        "itunes:summary", "media:description", "itunes:subtitle",
    ),
    "guid": ("guid", "id", "dc:identifier"),
    "published": (
        "pubdate", "published", "issued", "dc:date", "dcterms:issued", "dcterms:date",
        "dcterms:created", "created", "prism:publicationdate",
    ),
    "updated": ("updated", "modified", "dcterms:modified", "lastbuilddate"),
    "feedburner:origlink": ("feedburner:origlink", f"{FOREIGN}origlink"),
}  # fmt: skip
_ENTRY_MANY: Mapping[str, Sequence[str]] = {
    "link": ("link",),
    "author": ("author", "dc:creator", "dcterms:creator", "itunes:author", f"{FOREIGN}author"),
    "category": ("category", "dc:subject", "media:category"),
    "keywords": ("keywords", "itunes:keywords", "media:keywords"),
    "enclosure": ("enclosure",),
    "media:content": ("media:content",),
    "content": ("content",),
    "content:encoded": ("content:encoded", "fullitem", "xhtml:body", "body"),
}
_HEAD_SINGLE: Mapping[str, Sequence[str]] = {
    "title": ("title", "dc:title"),
    "language": ("language", "dc:language"),
    "ttl": ("ttl",),
    "sy:updateperiod": ("sy:updateperiod",),
    "sy:updatefrequency": ("sy:updatefrequency",),
}
_LINKS: Mapping[str, Sequence[str]] = {"link": ("link",)}
_AUTHORS: Mapping[str, Sequence[str]] = {"author": ("author",)}

_TEXT_ATTRIBUTES = ("type", "mode", "xml:base")
_ATTRIBUTES: Mapping[str, Sequence[str]] = {
    "link": ("href", "rel", "type", "length", "xml:base"),
    "category": ("term", "label"),
    "enclosure": ("url", "type", "length"),
    "media:content": ("url", "type", "filesize"),
    "content": ("src", *_TEXT_ATTRIBUTES),
    "title": _TEXT_ATTRIBUTES,
    "description": _TEXT_ATTRIBUTES,
}
_CONTAINER_ATTRIBUTES = ("xml:base", "base", "href", "lastmod", "rdf:about")
_SHORT_MARKUP = frozenset(["title", "description"])
_LONG_MARKUP = frozenset(["content", "content:encoded"])
_NAME_BREAK = re.compile(r"[\s()<>]+")
_WEB_URL = re.compile(r"https?://", re.IGNORECASE)


def write_document(tree: FeedTree) -> tuple[bytes, int]:
    """Write what is read of a feed; also count the entries beyond `MAX_ELEMENTS`."""
    is_atom = local_name(tree.root) == "feed"
    pieces = list(_write_head(tree, is_atom))
    room = MAX_ELEMENTS - len(pieces)
    written = 0
    for entry in tree.entries:
        fields = list(_write_entry(group_fields(entry)))
        room -= len(fields) + 1
        if room < 0:
            break
        written += 1
        name = "entry" if is_atom else "item"
        pieces.append(
            _element(name, "".join(fields), read_attributes(entry), _CONTAINER_ATTRIBUTES)
        )
    document = _wrap("".join(pieces), tree, is_atom)
    return FORBIDDEN.sub("", document).encode(), len(tree.entries) - written


def _wrap(inner: str, tree: FeedTree, is_atom: bool) -> str:
    """Put head and entries into the root, and the channel of RSS and CDF."""
    outer = read_attributes(tree.root)
    if is_atom:
        start = f'xmlns="http://www.w3.org/2005/Atom"{_DECLARATIONS}'
        return _element(f"feed {start}", inner, outer, ("xml:base", "xml:lang"))
    channel = read_attributes(tree.channels[0]) if tree.channels else {}
    outer.setdefault("xml:lang", channel.get("xml:lang", ""))
    if tree.root in tree.channels:
        outer.pop("xml:base", None)  # or a relative base would count twice
    inner = _element("channel", inner, channel, _CONTAINER_ATTRIBUTES)
    return _element(f'rss version="2.0"{_DECLARATIONS}', inner, outer, ("xml:base", "xml:lang"))


def _write_head(tree: FeedTree, is_atom: bool) -> Iterator[str]:
    fields = group_fields(*dict.fromkeys([tree.root, *tree.channels]))
    yield from _write_single(fields, _HEAD_SINGLE)
    yield from _write_many(fields, _LINKS)
    if is_atom:  # the author of entries that name none; the editor of RSS is somebody else
        yield from _write_many(fields, _AUTHORS)


def _write_entry(fields: Fields) -> Iterator[str]:
    yield from _write_single(fields, _ENTRY_SINGLE)
    yield from _write_many(fields, _ENTRY_MANY)
    if link := _permanent_link(fields):
        yield _element("link", html.escape(link))
    for source in fields.get("source", ())[:1]:
        if authors := "".join(_write_many(group_fields(source), _AUTHORS)):
            yield _element("source", authors)


def _write_single(fields: Fields, rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for target, names in rows.items():
        written = (_write(target, element) for name in names for element in fields.get(name, ()))
        if first := next(filter(None, written), None):
            yield first


def _write_many(fields: Fields, rows: Mapping[str, Sequence[str]]) -> Iterator[str]:
    for target, names in rows.items():
        elements = (element for name in names for element in fields.get(name, ()))
        written = (_write(target, element) for element in elements)
        yield from islice(filter(None, written), MAX_NAMES)


def _write(target: str, element: Element) -> str:
    """Write an element as what feedparser is to read it as; "" if it says nothing."""
    match target:
        case "author":
            return _write_author(element)
        case "guid":
            text = _escape(read_text(element), MAX_MARKUP_LENGTH)
            return text and _element("guid", text, {"isPermaLink": "false"}, ["isPermaLink"])
        case "keywords":
            words = (_escape(word) for word in read_text(element).split(","))
            return "".join(_element("category", word) for word in islice(words, MAX_NAMES) if word)
    attributes, kept = read_attributes(element), _ATTRIBUTES.get(target, ())
    text = _read_inner(target, element, attributes)
    if not text and not any(attributes.get(name) for name in kept):
        return ""
    if target == "description" and local_name(element) == "summary":
        target = "summary"  # plain text in Atom, unless it says otherwise
    return _element(target, text, attributes, kept)


def _read_inner(target: str, element: Element, attributes: dict[str, str]) -> str:
    if target in _SHORT_MARKUP or target in _LONG_MARKUP:
        if len(element) or attributes.get("type", "").lower().endswith(("xhtml", "xml")):
            attributes["type"] = "html"
            attributes.pop("mode", None)
        limit = MAX_MARKUP_LENGTH if target in _SHORT_MARKUP else None
        return _escape(read_markup(element), limit)
    if target == "category":
        is_named = bool(attributes.get("term") or attributes.get("label"))
        return "" if is_named else _escape(read_text(element))
    return _escape(read_text(element), MAX_MARKUP_LENGTH)


def _write_author(element: Element) -> str:
    """Write an author's name. RSS wants a mail address there; the rest is the name."""
    name = next((child for child in element if local_name(child) == "name"), element)
    text = read_text(name)[:MAX_TITLE_LENGTH]
    words = _NAME_BREAK.split(text) if "@" in text else text.split()
    written = _escape(" ".join(word for word in words if "@" not in word))
    return written and _element("author", _element("name", written))


def _permanent_link(fields: Fields) -> str | None:
    """Read an entry's link from its identifier, if it has no other."""
    if any(read_text(e).strip() or e.get("href") for e in fields.get("link", ())):
        return None
    for element in (*fields.get("guid", ()), *fields.get("id", ())):
        text, stated = read_text(element).strip(), read_attributes(element).get("ispermalink", "")
        is_link = _WEB_URL.match(text) or (stated and text.startswith("/"))
        if is_link and stated.lower() in ("", "true"):
            return text[:MAX_MARKUP_LENGTH]
    return None


def _escape(text: str, limit: int | None = MAX_TITLE_LENGTH) -> str:
    text = text.strip()[:limit]
    return html.escape(text if _is_encoded_twice(text) else clean_text(text), quote=False)


def _is_encoded_twice(text: str) -> bool:
    """Check for UTF-8 that was taken for ISO-8859-1, which feedparser decodes."""
    try:
        text.encode("iso-8859-1").decode("utf-8")
    except ValueError:
        return False
    return True


def _element(
    name: str, inner: str, attributes: Mapping[str, str] | None = None, kept: Iterable[str] = ()
) -> str:
    """Write an element with those of its attributes that are kept and not empty."""
    written = "".join(
        f' {key}="{html.escape(value[:MAX_MARKUP_LENGTH])}"'
        for key in kept
        if attributes and (value := attributes.get(key))
    )
    return f"<{name}{written}>{inner}</{name.partition(' ')[0]}>"
