"""RSS and Atom → `Feed`, in one walk over the tree of `forest_crawler.feed.feed_trees`.

One of the two readers behind `forest_crawler.feed.reader.read_feed`. It takes a field by its
namespace and name from the children of channel and entry, whatever dialect they are of. Why not
feedparser: its time grows with the square of an element's attributes and of other things that are
ill meant, to minutes within the size we read. The tests hold this reader against it.
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
"""What a feed may ask for between two readings; more is a slip."""

MAX_NAMES = 100
"""Authors, or tags, of an entry."""

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
_WEB_ADDRESS = re.compile(r"https?://", re.IGNORECASE)

FieldLocators = Mapping[str, Sequence[Element]]


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
        language=_text(head, "language", "dc:language") or _spoken(root, *channels),
        entries=tuple(_entry(entry, url, now) for entry in entries),
        next_page=_related(head, "next", url),
        hub=_related(head, "hub", url),
        update_interval=_update_interval(head),
        left_out=tree.left_out,
        repaired=tree.repaired,
    )


def _entry(element: Element, url: str, now: datetime | None) -> FeedEntry:
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
    """The children by name: bare in the feed's own vocabulary, with prefix in a module's."""
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


def _text(fields: FieldLocators, *names: str) -> str | None:
    """The first of the named fields that says something."""
    texts = (_clean(element.text) for name in names for element in fields.get(name, ()))
    return next(filter(None, texts), None)


def _plain(fields: FieldLocators, *names: str) -> str:
    texts = (plain_text(_markup(element)) for name in names for element in fields.get(name, ()))
    return next(filter(None, texts), "")


def _clean(text: str | None) -> str | None:
    return clean_text(text).strip() or None if text else None


def _markup(element: Element) -> str:
    """What an element holds, as HTML: escaped in it, or its own children."""
    text = element.text or ""
    if len(element):
        inner = "".join(etree.tostring(child, encoding="unicode") for child in element)
        return html.escape(text, quote=False) + _PREFIX_NOISE.sub(
            r"\1", _NAMESPACE_NOISE.sub("", inner)
        )
    # Only Atom has texts in which what looks like a tag is none.
    is_plain = "atom" in _namespace(element).lower() and "html" not in element.get("type", "text")
    return html.escape(text, quote=False) if is_plain else text


def _link(fields: FieldLocators, url: str) -> str | None:
    """The article's own address: before a feed service's redirect, as page, as text."""
    original = _text(fields, f"{_FOREIGN}origlink")
    if original:
        return _address(original, url)
    links = fields.get("link", ())
    alternates = [e for e in links if e.get("href") and e.get("rel", "alternate") == "alternate"]
    pages = [e for e in alternates if "html" in e.get("type", "html")]
    for element in [*pages, *alternates]:
        return _address(element.get("href"), _base(element, url))
    for element in links:
        if element.text and element.text.strip():
            return _address(element.text, _base(element, url))
    return None


def _permanent_link(fields: FieldLocators, guid: str | None) -> str | None:
    is_link = all(e.get("isPermaLink", "true").lower() == "true" for e in fields.get("guid", ()))
    return guid if guid and is_link and _WEB_ADDRESS.match(guid) else None


def _related(fields: FieldLocators, relation: str, url: str) -> str | None:
    for element in fields.get("link", ()):
        if relation in element.get("rel", "").split() and element.get("href"):
            return _address(element.get("href"), _base(element, url))
    return None


def _base(element: Element, url: str) -> str:
    return _address(element.base, url) or url


def _address(link: str | None, base: str) -> str | None:
    link = _clean(link)
    try:
        return urljoin(base, link) if link else None
    except ValueError:
        return link


def _spoken(*elements: Element) -> str | None:
    return next((lang for e in elements if (lang := _clean(e.get(_LANG)))), None)


def _authors(fields: FieldLocators) -> Iterator[str]:
    for name in ("author", "dc:creator", f"{_FOREIGN}author"):
        for element in fields.get(name, ()):
            inner = next((child for child in element if local_name(child) == "name"), element)
            if said := plain_text(inner.text or "", MAX_TITLE_LENGTH):
                # RSS wants a mail address here; the name is what stands around it.
                words = re.split(r"[\s()<>]+", said) if "@" in said else [said]
                if author := " ".join(word for word in words if "@" not in word).strip():
                    yield author


def _tags(fields: FieldLocators) -> Iterator[str]:
    for name in ("category", "dc:subject"):
        for element in fields.get(name, ()):
            said = element.get("label") or element.get("term") or element.text or ""
            if tag := plain_text(said, MAX_TITLE_LENGTH):
                yield tag


def _update_interval(head: FieldLocators) -> timedelta | None:
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
