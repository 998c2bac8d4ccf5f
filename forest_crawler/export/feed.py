"""Write archived articles as a full-text feed: RSS 2.0 or Atom, well-formed.

A truncated feed goes in, a full one comes out; feed readers need no rules for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any, Literal, get_args
from urllib.parse import quote

from lxml import etree
from lxml import html as lxml_html

from forest_crawler.export.html_text import to_html_text
from forest_crawler.export.shown_title import drop_title
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.dates import parse_date
from forest_crawler.urls.policy import UrlPolicy, refuse_url

FeedFormat = Literal["rss", "atom"]
FEED_FORMATS: tuple[FeedFormat, ...] = get_args(FeedFormat)

MAX_ITEMS = 50
"""Default max number of articles per feed: readers fetch it every hour, so it stays small."""

ATOM = "http://www.w3.org/2005/Atom"
CONTENT = "http://purl.org/rss/1.0/modules/content/"
DC = "http://purl.org/dc/elements/1.1/"
XML = "http://www.w3.org/XML/1998/namespace"

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:\S+$")
_EPOCH = datetime(1990, 1, 1, tzinfo=UTC)  # for articles without a date, as Atom requires one
_FETCHED_TAGS = ("img", "video", "audio")
# Feed readers fetch images on their own, so only URLs of the public web may stay.
_ANY_PORT = UrlPolicy(ports=None)
_DANGEROUS = frozenset({"private address", "scheme", "credentials", "malformed", "no host"})


@dataclass(frozen=True, slots=True)
class FeedHead:
    """What a feed says about itself."""

    title: str
    link: str  # the site's home page
    feed_url: str | None = None  # of the feed itself
    language: str | None = None  # a code, such as `de`


def write_feed(
    head: FeedHead,
    articles: Iterable[Mapping[str, Any]],
    form: FeedFormat = "rss",
    *,
    images: bool = True,
) -> bytes:
    """Write articles, given as the objects of their JSON lines, as a feed.

    An item has the `link` and the `guid` of the original feed where a row has them (`feed_rows`),
    so that readers recognise what they know.
    """
    items = [_make_item(article, images=images) for article in articles]
    root = _write_rss(head, items) if form == "rss" else _write_atom(head, items)
    made: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return made


def safe_content(markup: str, *, images: bool = True) -> str:
    """Remove images and media that a feed reader must not fetch from an article's HTML.

    Without `images`, videos and sounds stay: readers fetch them only to play them.

    >>> safe_content('<p>Rain <img src="http://169.254.169.254/x"></p>')
    '<p>Rain </p>'
    """
    if not any(f"<{tag}" in markup for tag in _FETCHED_TAGS):
        return markup
    root = lxml_html.fragment_fromstring(clean_text(markup), create_parent="div")
    for element in list(root.iter(*_FETCHED_TAGS)):
        is_unwanted = element.tag == "img" and not images
        if is_unwanted or refuse_url(element.get("src", ""), _ANY_PORT) in _DANGEROUS:
            element.drop_tree()
    made: str = lxml_html.tostring(root, encoding="unicode")
    return made.removeprefix("<div>").removesuffix("</div>")


@dataclass(frozen=True, slots=True)
class _Item:
    """An article as an item of a feed; XML can hold all its texts."""

    id: str
    url: str
    title: str
    content: str
    summary: str
    authors: Sequence[str]
    tags: Sequence[str]
    published: datetime | None
    updated: datetime | None


def _make_item(article: Mapping[str, Any], *, images: bool) -> _Item:
    names = ("link", "canonical_url", "url")
    url = next((url for name in names if (url := _web_url(article.get(name)))), "")
    title = _text(article.get("title"))
    content = drop_title(str(article.get("html") or ""), title)
    return _Item(
        id=_text(article.get("guid")) or url or _text(article.get("id")),
        url=url,
        title=title or url,
        content=clean_text(safe_content(content, images=images)),
        summary=_text(article.get("description")),
        authors=_texts(article.get("authors")),
        tags=_texts(article.get("tags")),
        published=_moment(article.get("date_publish")),
        updated=_moment(article.get("date_modify")),
    )


def _write_rss(head: FeedHead, items: Sequence[_Item]) -> etree._Element:
    root = etree.Element("rss", {"version": "2.0"}, {"content": CONTENT, "dc": DC, "atom": ATOM})
    channel = etree.SubElement(root, "channel")
    _add_text(channel, "title", head.title)
    _add(channel, "link", head.link)
    _add_text(channel, "description", f"{head.title}: articles in full")
    if head.language:
        _add_text(channel, "language", head.language)
    if head.feed_url:
        link = etree.SubElement(channel, f"{{{ATOM}}}link", {"rel": "self"})
        link.set("type", "application/rss+xml")
        link.set("href", _text(head.feed_url))
    _add(channel, "generator", "forest-crawler")
    for item in items:
        node = etree.SubElement(channel, "item")
        _add_text(node, "title", item.title)
        if item.url:
            _add(node, "link", item.url)
        _add(node, "guid", item.id).set("isPermaLink", "true" if item.id == item.url else "false")
        if moment := item.published or item.updated:
            _add(node, "pubDate", format_datetime(moment))
        for author in item.authors:
            _add_text(node, f"{{{DC}}}creator", author)
        for tag in item.tags:
            _add_text(node, "category", tag)
        if item.summary and item.summary != item.title:
            _add_text(node, "description", item.summary)
        if item.content:  # an empty one hides the description in some readers
            _add(node, f"{{{CONTENT}}}encoded", item.content)
    return root


def _write_atom(head: FeedHead, items: Sequence[_Item]) -> etree._Element:
    root = etree.Element(f"{{{ATOM}}}feed", nsmap={None: ATOM})  # type: ignore[dict-item]
    if head.language:
        root.set(f"{{{XML}}}lang", _text(head.language))
    _add_atom(root, "id", head.feed_url or head.link)
    _add_atom_text(root, "title", head.title)
    moments = [item.updated or item.published or _EPOCH for item in items]
    _add_atom(root, "updated", max(moments, default=_EPOCH).isoformat())
    _add_atom(root, "link", "").set("href", _text(head.link))
    if head.feed_url:
        own = _add_atom(root, "link", "")
        own.set("rel", "self")
        own.set("href", _text(head.feed_url))
    _add_text(_add_atom(root, "author", ""), f"{{{ATOM}}}name", head.title)
    for item, moment in zip(items, moments, strict=True):
        node = _add_atom(root, "entry", "")
        _add_atom(node, "id", _atom_id(item.id))
        _add_atom_text(node, "title", item.title)
        _add_atom(node, "updated", moment.isoformat())
        if item.published:
            _add_atom(node, "published", item.published.isoformat())
        # Without a URL too: some readers would take the id for one.
        _add_atom(node, "link", "").set("href", item.url)
        for author in item.authors:
            _add_text(_add_atom(node, "author", ""), f"{{{ATOM}}}name", author)
        for tag in item.tags:
            _add_atom(node, "category", "").set("term", to_html_text(tag))
        if item.summary and item.summary != item.title:
            _add_atom_text(node, "summary", item.summary)
        if item.content:
            _add_atom(node, "content", item.content).set("type", "html")
    return root


def _add(parent: etree._Element, name: str, text: str) -> etree._Element:
    node = etree.SubElement(parent, name)
    node.text = clean_text(text) or None
    return node


def _add_text(parent: etree._Element, name: str, text: str) -> etree._Element:
    """Add plain text, for readers that expect HTML, too."""
    return _add(parent, name, to_html_text(clean_text(text)))


def _add_atom(parent: etree._Element, name: str, text: str) -> etree._Element:
    return _add(parent, f"{{{ATOM}}}{name}", text)


def _add_atom_text(parent: etree._Element, name: str, text: str) -> None:
    """Add plain text; as HTML if it is different there, for readers that don't look."""
    node = _add_text(parent, f"{{{ATOM}}}{name}", text)
    if node.text and node.text != clean_text(text):
        node.set("type", "html")


def _text(value: object) -> str:
    return " ".join(clean_text(value).split()) if isinstance(value, str) else ""


def _web_url(value: object) -> str:
    """Return a URL that a reader may follow; "" for scripts and the like."""
    url = _text(value)
    return "" if refuse_url(url, _ANY_PORT) in _DANGEROUS - {"private address"} else url


def _texts(value: object) -> list[str]:
    return [text for it in value if (text := _text(it))] if isinstance(value, list) else []


def _moment(value: object) -> datetime | None:
    return parse_date(value) if isinstance(value, str) else None


def _atom_id(guid: str) -> str:
    """Return a guid as an IRI, which Atom requires; one that is an IRI stays as it is.

    >>> _atom_id("http://gazette.example/?p=7"), _atom_id("4711")
    ('http://gazette.example/?p=7', 'urn:guid:4711')
    """
    if _SCHEME.match(guid):
        return guid
    is_digest = len(guid) == 64 and all(char in "0123456789abcdef" for char in guid)
    return f"urn:{'sha256' if is_digest else 'guid'}:{quote(guid, safe=':/')}"
