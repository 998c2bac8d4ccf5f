"""Feed lists: a text file, OPML, standard input or addresses themselves → `FeedList`.

Where a crawl starts. A list is a person's, but OPML is passed around: it is read as carefully as
any feed. What cannot be used is not an error but comes back with its reason; a file that is no
list at all is.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from forest_crawler.errors import InputError
from forest_crawler.feed.untrusted_xml import (
    MAX_DOCUMENT,
    UnsafeXmlError,
    local_name,
    parse_xml,
    safe_xml,
)
from forest_crawler.page.encoding import decode_xml
from forest_crawler.page.xpath import Element
from forest_crawler.urls.canonical import canonical_url
from forest_crawler.urls.policy import ANYWHERE, refuse_url

MAX_OUTLINES = 10_000
"""Feeds that are taken from one OPML file; nobody subscribes to more by hand."""

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|feed:", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?://)|feed(?=://)", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WRONG_ROOTS = {
    "rss": "this is a feed, not a list of feeds; give its address instead",
    "feed": "this is a feed, not a list of feeds; give its address instead",
    "rdf": "this is a feed, not a list of feeds; give its address instead",
    "html": "this is a web page, not a list of feeds; give its address instead",
}


@dataclass(frozen=True, slots=True)
class ListEntry:
    """A feed or page address of a list."""

    url: str
    title: str | None = None
    categories: tuple[str, ...] = ()  # folders it lies in: "News/Local"
    home: str | None = None  # the site's page, where OPML names it


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """Something in a list that cannot be fetched, and why."""

    text: str
    reason: str
    place: str


@dataclass(frozen=True, slots=True)
class FeedList:
    """What a list gives: each address once, in order."""

    entries: tuple[ListEntry, ...]
    refused: tuple[RefusedEntry, ...] = ()
    duplicates: int = 0
    left_out: int = 0  # feeds beyond `MAX_OUTLINES` of a file


def read_feed_list(source: str | Iterable[str], *, stdin: BinaryIO | None = None) -> FeedList:
    """Read list files, `-` and addresses, one or several.

    A text file has an address a line, blank lines and `#` comments aside. Raises `InputError` for
    a file that is missing or no list, and where nothing at all can be used.

    >>> read_feed_list(["http://gazette.example/feed", "feed://b.example/"]).entries[1].url
    'http://b.example/'
    """
    sources = [source] if isinstance(source, str) else list(source)
    found = [_read_source(name, stdin) for name in sources]
    refused = [row for one in found for row in one.refused]
    entries = [entry for one in found for entry in one.entries]
    if not entries:
        why = f"; {refused[0].place}: {refused[0].reason}" if refused else ""
        raise InputError(f"no feed or page address in it{why}", ", ".join(sources) or "the list")
    kept = _merged(entries)
    left_out = sum(one.left_out for one in found)
    return FeedList(tuple(kept), tuple(refused), len(entries) - len(kept), left_out)


def _read_source(name: str, stdin: BinaryIO | None) -> FeedList:
    if _ADDRESS.match(name):
        return _sorted_out([(ListEntry(name), name)])
    text = decode_xml(_read_bytes(name, stdin)).lstrip("\ufeff")
    if "\0" in text:
        raise InputError("neither OPML nor a text file with an address a line", name)
    if text.lstrip().startswith("<"):
        return _read_outlines(text, name)
    return _sorted_out(_lines(text, name))


def _read_bytes(name: str, stdin: BinaryIO | None) -> bytes:
    try:
        if name == "-":
            data = (stdin or sys.stdin.buffer).read(MAX_DOCUMENT + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_DOCUMENT + 1)
    except FileNotFoundError as err:
        message = "no such file; an address starts with http:// or https://"
        raise InputError(message, name) from err
    except (OSError, ValueError) as err:  # ValueError: a NUL in the name
        raise InputError(f"cannot be read: {getattr(err, 'strerror', err)}", name) from err
    if len(data) > MAX_DOCUMENT:
        raise InputError(f"longer than {MAX_DOCUMENT:,} bytes; split the list", name)
    return data


def _lines(text: str, name: str) -> Iterator[tuple[ListEntry, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if address := _COMMENT.sub("", line).strip():
            yield ListEntry(address), f"{name}:{number}"


def _read_outlines(text: str, name: str) -> FeedList:
    try:
        root, is_sound = parse_xml(safe_xml(text))
    except UnsafeXmlError as err:
        raise InputError(f"no OPML that can be used: {err.reason}", name) from err
    kind = local_name(root)
    if kind != "opml":
        raise InputError(_WRONG_ROOTS.get(kind, f"no OPML, but <{kind}>"), name)
    rows = [row for outline in root.iter("{*}outline") if (row := _row(outline, name))]
    found = _sorted_out(rows[:MAX_OUTLINES])
    refused = found.refused
    if not is_sound:
        warning = "broken XML: what stands behind the damage may be missing"
        refused += (RefusedEntry(name, warning, name),)
    return replace(found, refused=refused, left_out=max(len(rows) - MAX_OUTLINES, 0))


def _row(outline: Element, name: str) -> tuple[ListEntry, str] | None:
    said = {str(key).lower(): str(value).strip() for key, value in outline.attrib.items()}
    address = said.get("xmlurl") or (said.get("url") if said.get("type") == "rss" else None)
    if not address:
        return None
    folders = [_label(parent) for parent in outline.iterancestors("{*}outline")]
    path = "/".join(label for label in reversed(folders) if label)
    named = (part.strip().strip("/") for part in said.get("category", "").split(","))
    categories = dict.fromkeys(part for part in (path, *named) if part)
    home = said.get("htmlurl") or None
    entry = ListEntry(address, _label(outline) or None, tuple(categories), home)
    return entry, f"{name}:{outline.sourceline}"


def _label(outline: Element) -> str:
    return " ".join((outline.get("title") or outline.get("text") or "").split())


def _sorted_out(rows: Iterable[tuple[ListEntry, str]]) -> FeedList:
    entries: list[ListEntry] = []
    refused: list[RefusedEntry] = []
    for entry, place in rows:
        url = _FEED_SCHEME.sub(lambda said: "" if ":" in said[0] else "http", entry.url, count=1)
        reason = _reason(url)
        if reason:
            refused.append(RefusedEntry(entry.url[:200], reason, place))
        else:
            entries.append(replace(entry, url=url))
    return FeedList(tuple(entries), tuple(refused))


def _reason(url: str) -> str | None:
    if re.search(r"\s", url):
        return "blank inside the address"
    reason = refuse_url(url, ANYWHERE)
    return "no http:// or https:// address" if reason == "scheme" else reason


def _merged(entries: Iterable[ListEntry]) -> list[ListEntry]:
    """Each address once, with the categories of all its entries."""
    found: dict[str, ListEntry] = {}
    for entry in entries:
        key = canonical_url(entry.url) or entry.url
        first = found.setdefault(key, entry)
        if first is not entry:
            categories = dict.fromkeys((*first.categories, *entry.categories))
            found[key] = replace(first, categories=tuple(categories))
    return list(found.values())
