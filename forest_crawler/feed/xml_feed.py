"""RSS and Atom → `Feed`, in one walk over the tree of `feed_trees`.

One of the two parsers that `forest_crawler.feed.reader.read_feed` chooses from. It finds fields by
namespace and name among the children of channel and entry, whatever the dialect. feedparser isn't
used because its time grows with the square of an element's attributes, among other things: hostile
feeds within our size limit take it minutes. The tests compare this parser with it.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from urllib.parse import urljoin

from lxml import etree

from forest_crawler.feed.feed_trees import is_entry, parse_feed
from forest_crawler.feed.records import MAX_TITLE_LENGTH, Feed, FeedEntry
from forest_crawler.feed.untrusted_xml import local_name
from forest_crawler.page.plain_text import plain_text
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date

MAX_INTERVAL = timedelta(days=90)
"""Max update interval that is believed; a longer one is a mistake."""

MAX_NAMES = 100
"""Max authors, and max tags, of an entry."""

_MODULES = {
    "http://purl.org/dc/elements/1.1/": "dc:",
    "http://purl.org/dc/terms/": "dc:",
    "http://purl.org/rss/1.0/modules/content/": "content:",
    "http://purl.org/rss/1.0/modules/syndication/": "sy:",
    "http://www.w3.org/1999/xhtml": "xhtml:",
}
_CORE = frozenset(
    [
        "http://www.w3.org/2005/atom",
        "http://purl.org/atom/ns#",
        "http://purl.org/rss/1.0/",
        "http://my.netscape.com/rdf/simple/0.9/",
        "http://channel.netscape.com/rdf/simple/0.9/",
        "http://backend.userland.com/rss2",
    ]
)
_FOREIGN = "?:"
_ABOUT = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}about"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_DESCRIPTIONS = ("description", "summary", "abstract", "dc:description", "dc:abstract")
_CONTENTS = ("content:encoded", "content", "xhtml:body", "fullitem")
_PUBLISHED = ("pubdate", "published", "issued", "dc:date", "dc:issued", "dc:created", "created")
_UPDATED = ("updated", "modified", "dc:modified", "lastbuilddate")
_PERIODS = {
    "hourly": timedelta(hours=1),
    "daily": timedelta(days=1),
    "weekly": timedelta(weeks=1),
    "monthly": timedelta(days=30),
    "yearly": timedelta(days=365),
}
_NAMESPACE_NOISE = re.compile(r'\sxmlns(?::[\w.-]+)?="[^"]*"')
_PREFIX_NOISE = re.compile(r"(</?)[\w.-]+:(?=[\w.-]+[\s/>])")
_WEB_URL = re.compile(r"https?://", re.IGNORECASE)

Fields = Mapping[str, Sequence[Element]]


def read_xml(text: str, *, url: str, now: datetime | None) -> Feed:
    """Read RSS (0.9x, 1.0, 2.0) or Atom (0.3, 1.0)."""
    tree = parse_feed(text, url=url, now=now)
    root = tree.root
    channels = [child for child in root if local_name(child) == "channel"]
    head = _fields(root, *channels)
    entries = [e for parent in (root, *channels) for e in parent if is_entry(e)]
    return Feed(
        url=url,
        title=_plain(head, "title")[:MAX_TITLE_LENGTH] or None,
        link=_link(head, url),
        language=_text(head, "language", "dc:language") or _stated_language(root, *channels),
        entries=tuple(_read_entry(entry, url, now) for entry in entries),
        next_page=_related(head, "next", url),
        hub=_related(head, "hub", url),
        update_interval=_update_interval(head),
        left_out=tree.left_out,
        repaired=tree.repaired,
    )


def _read_entry(element: Element, url: str, now: datetime | None) -> FeedEntry:
    fields = _fields(element)
    published, updated = _text(fields, *_PUBLISHED), _text(fields, *_UPDATED)
    content = max((_markup(e) for name in _CONTENTS for e in fields[name]), key=len, default="")
    guid = _text(fields, "guid", "id", "dc:identifier") or _clean(element.get(_ABOUT))
    return FeedEntry(
        title=_plain(fields, "title", "dc:title")[:MAX_TITLE_LENGTH],
        description=_plain(fields, *_DESCRIPTIONS) or plain_text(content),
        link=_link(fields, url) or _permanent_link(fields, guid),
        guid=guid,
        published=parse_date(published, now=now),
        published_text=published,
        updated=parse_date(updated, now=now),
        updated_text=updated,
        authors=tuple(dict.fromkeys(islice(_authors(fields), MAX_NAMES))),
        tags=tuple(dict.fromkeys(islice(_tags(fields), MAX_NAMES))),
        content=clean_text(content).strip() or None,
    )


def _fields(*parents: Element) -> defaultdict[str, list[Element]]:
    """Group children by name; names from a module's vocabulary have a prefix."""
    found: defaultdict[str, list[Element]] = defaultdict(list)
    own = {_namespace(parent) for parent in parents}
    for parent in parents:
        for child in parent:
            namespace = _namespace(child)
            is_core = not namespace or namespace in own or namespace.lower() in _CORE
            prefix = "" if is_core else _MODULES.get(namespace, _FOREIGN)
            found[prefix + local_name(child)].append(child)
    return found


def _namespace(element: Element) -> str:
    tag = element.tag
    return tag[1:].partition("}")[0] if isinstance(tag, str) and tag[:1] == "{" else ""


def _text(fields: Fields, *names: str) -> str | None:
    """Read the first of the named fields that isn't empty."""
    texts = (_clean(element.text) for name in names for element in fields.get(name, ()))
    return next(filter(None, texts), None)


def _plain(fields: Fields, *names: str) -> str:
    texts = (plain_text(_markup(element)) for name in names for element in fields.get(name, ()))
    return next(filter(None, texts), "")


def _clean(text: str | None) -> str | None:
    return clean_text(text).strip() or None if text else None


def _markup(element: Element) -> str:
    """Read an element's content as HTML: its escaped text, or its children."""
    text = element.text or ""
    if len(element):
        inner = "".join(etree.tostring(child, encoding="unicode") for child in element)
        return html.escape(text, quote=False) + _PREFIX_NOISE.sub(
            r"\1", _NAMESPACE_NOISE.sub("", inner)
        )
    # Only Atom has plain texts, in which what looks like a tag isn't one.
    is_plain = "atom" in _namespace(element).lower() and "html" not in element.get("type", "text")
    return html.escape(text, quote=False) if is_plain else text


def _link(fields: Fields, url: str) -> str | None:
    """Read the article's URL: before a feed service's redirect, of a page, as text."""
    original = _text(fields, f"{_FOREIGN}origlink")
    if original:
        return _absolute(original, url)
    links = fields.get("link", ())
    alternates = [e for e in links if e.get("href") and e.get("rel", "alternate") == "alternate"]
    pages = [e for e in alternates if "html" in e.get("type", "html")]
    for element in [*pages, *alternates]:
        return _absolute(element.get("href"), _base(element, url))
    for element in links:
        if element.text and element.text.strip():
            return _absolute(element.text, _base(element, url))
    return None


def _permanent_link(fields: Fields, guid: str | None) -> str | None:
    is_link = all(e.get("isPermaLink", "true").lower() == "true" for e in fields.get("guid", ()))
    return guid if guid and is_link and _WEB_URL.match(guid) else None


def _related(fields: Fields, relation: str, url: str) -> str | None:
    for element in fields.get("link", ()):
        if relation in element.get("rel", "").split() and element.get("href"):
            return _absolute(element.get("href"), _base(element, url))
    return None


def _base(element: Element, url: str) -> str:
    return _absolute(element.base, url) or url


def _absolute(link: str | None, base: str) -> str | None:
    link = _clean(link)
    try:
        return urljoin(base, link) if link else None
    except ValueError:
        return link


def _stated_language(*elements: Element) -> str | None:
    return next((lang for e in elements if (lang := _clean(e.get(_LANG)))), None)


def _authors(fields: Fields) -> Iterator[str]:
    for name in ("author", "dc:creator", f"{_FOREIGN}author"):
        for element in fields.get(name, ()):
            inner = next((child for child in element if local_name(child) == "name"), element)
            if text := plain_text(inner.text or "", MAX_TITLE_LENGTH):
                # RSS wants a mail address here; the rest of the text is the name.
                words = re.split(r"[\s()<>]+", text) if "@" in text else [text]
                if author := " ".join(word for word in words if "@" not in word).strip():
                    yield author


def _tags(fields: Fields) -> Iterator[str]:
    for name in ("category", "dc:subject"):
        for element in fields.get(name, ()):
            label = element.get("label") or element.get("term") or element.text or ""
            if tag := plain_text(label, MAX_TITLE_LENGTH):
                yield tag


def _update_interval(head: Fields) -> timedelta | None:
    minutes = _number(_text(head, "ttl"))
    period = _PERIODS.get((_text(head, "sy:updateperiod") or "").lower())
    if minutes:
        found = timedelta(minutes=minutes)
    elif period:
        found = period / (_number(_text(head, "sy:updatefrequency")) or 1)
    else:
        return None
    return found if timedelta(minutes=1) <= found <= MAX_INTERVAL else None


def _number(text: str | None) -> int | None:
    return int(text) if text and re.fullmatch(r"[0-9]{1,8}", text) else None
