"""Feed lists: a text file, OPML, standard input or URLs themselves → `FeedList`.

A crawl starts here. OPML files are passed around, so they are read as carefully as feeds. An
unusable entry is returned with its reason; a file that isn't a list raises an error.
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
from forest_crawler.urls.bare_domains import complete_argument, complete_url
from forest_crawler.urls.canonical import canonical_url
from forest_crawler.urls.policy import ANYWHERE, refuse_url

MAX_OUTLINES = 10_000
"""Max feeds taken from one OPML file; nobody subscribes to more by hand."""

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|feed:", re.IGNORECASE)
_FEED_SCHEME = re.compile(r"feed:(?://)?(?=https?://)|feed(?=://)", re.IGNORECASE)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_WRONG_ROOTS = {
    "rss": "this is a feed, not a list of feeds; give its URL instead",
    "feed": "this is a feed, not a list of feeds; give its URL instead",
    "rdf": "this is a feed, not a list of feeds; give its URL instead",
    "html": "this is a web page, not a list of feeds; give its URL instead",
}


@dataclass(frozen=True, slots=True)
class ListEntry:
    """The URL of a feed or page in a list."""

    url: str
    title: str | None = None
    categories: tuple[str, ...] = ()  # the folders around it: "News/Local"
    home: str | None = None  # the site's home page, where OPML names it


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    """Something in a list that cannot be fetched, and why."""

    text: str
    reason: str
    location: str  # file and line, or the URL itself


@dataclass(frozen=True, slots=True)
class FeedList:
    """The usable entries of a list, each URL once, in order."""

    entries: tuple[ListEntry, ...]
    refused: tuple[RefusedEntry, ...] = ()
    duplicates: int = 0
    left_out: int = 0  # feeds beyond `MAX_OUTLINES` of a file


def read_feed_list(source: str | Iterable[str], *, stdin: BinaryIO | None = None) -> FeedList:
    """Read one or several sources: list files, `-` for standard input, URLs.

    A text file has one URL or bare domain per line, besides blank lines and `#` comments. Raises
    `InputError` for a file that is missing or isn't a list, and if no entry at all can be used.

    >>> read_feed_list(["http://gazette.example/feed", "feed://b.example/"]).entries[1].url
    'http://b.example/'
    """
    sources = [source] if isinstance(source, str) else list(source)
    found = [_read_source(name, stdin) for name in sources]
    refused = [row for one in found for row in one.refused]
    entries = [entry for one in found for entry in one.entries]
    if len(sources) == 1 and not entries and refused and refused[0].location == sources[0]:
        raise InputError(refused[0].reason, sources[0])
    if not entries:
        why = f"; {refused[0].location}: {refused[0].reason}" if refused else ""
        raise InputError(f"no feed or page URL in it{why}", ", ".join(sources) or "the list")
    kept = _merge_duplicates(entries)
    left_out = sum(one.left_out for one in found)
    return FeedList(tuple(kept), tuple(refused), len(entries) - len(kept), left_out)


def _read_source(name: str, stdin: BinaryIO | None) -> FeedList:
    if url := name if _URL.match(name) else complete_argument(name):
        return _refuse_unusable([(ListEntry(url), name)])
    if not name.strip():
        raise InputError("an empty name instead of a file or a URL", "the list")
    text = decode_xml(_read_bytes(name, stdin)).lstrip("\ufeff")
    if "\0" in text:
        raise InputError("neither OPML nor a text file with one URL per line", name)
    if text.lstrip().startswith("<"):
        return _read_outlines(text, name)
    return _refuse_unusable(_read_lines(text, name))


def _read_bytes(name: str, stdin: BinaryIO | None) -> bytes:
    try:
        if name == "-":
            data = (stdin or sys.stdin.buffer).read(MAX_DOCUMENT + 1)
        else:
            with Path(name).open("rb") as file:
                data = file.read(MAX_DOCUMENT + 1)
    except FileNotFoundError as err:
        message = "no such file, nor a domain; a URL starts with http:// or https://"
        raise InputError(message, name) from err
    except (OSError, ValueError) as err:  # ValueError: a NUL in the name
        raise InputError(f"cannot be read: {getattr(err, 'strerror', err)}", name) from err
    if len(data) > MAX_DOCUMENT:
        raise InputError(f"longer than {MAX_DOCUMENT:,} bytes; split the list", name)
    return data


def _read_lines(text: str, name: str) -> Iterator[tuple[ListEntry, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if url := _COMMENT.sub("", line).strip():
            yield ListEntry(url), f"{name}:{number}"


def _read_outlines(text: str, name: str) -> FeedList:
    try:
        root, is_sound = parse_xml(safe_xml(text))
    except UnsafeXmlError as err:
        raise InputError(f"unusable OPML: {err.reason}", name) from err
    kind = local_name(root)
    if kind != "opml":
        raise InputError(_WRONG_ROOTS.get(kind, f"not OPML: the root element is <{kind}>"), name)
    rows = [row for outline in root.iter("{*}outline") if (row := _read_outline(outline, name))]
    found = _refuse_unusable(rows[:MAX_OUTLINES])
    refused = found.refused
    if not is_sound:
        warning = "broken XML: entries after the damage may be missing"
        refused += (RefusedEntry(name, warning, name),)
    return replace(found, refused=refused, left_out=max(len(rows) - MAX_OUTLINES, 0))


def _read_outline(outline: Element, name: str) -> tuple[ListEntry, str] | None:
    values = {str(key).lower(): str(value).strip() for key, value in outline.attrib.items()}
    url = values.get("xmlurl") or (values.get("url") if values.get("type") == "rss" else None)
    if not url:
        return None
    folders = [_label(parent) for parent in outline.iterancestors("{*}outline")]
    path = "/".join(label for label in reversed(folders) if label)
    named = (part.strip().strip("/") for part in values.get("category", "").split(","))
    categories = dict.fromkeys(part for part in (path, *named) if part)
    home = values.get("htmlurl") or None
    entry = ListEntry(url, _label(outline) or None, tuple(categories), home)
    return entry, f"{name}:{outline.sourceline}"


def _label(outline: Element) -> str:
    return " ".join((outline.get("title") or outline.get("text") or "").split())


def _refuse_unusable(rows: Iterable[tuple[ListEntry, str]]) -> FeedList:
    entries: list[ListEntry] = []
    refused: list[RefusedEntry] = []
    for entry, location in rows:
        url = complete_url(entry.url) or _FEED_SCHEME.sub(
            lambda scheme: "" if ":" in scheme[0] else "http", entry.url, count=1
        )
        reason = _refuse(url)
        if reason:
            refused.append(RefusedEntry(entry.url[:200], reason, location))
        else:
            entries.append(replace(entry, url=url))
    return FeedList(tuple(entries), tuple(refused))


_WORDS: dict[str, str] = {
    "scheme": "not an http:// or https:// URL",
    "malformed": "not a valid URL",
    "no host": "a URL without a host",
    "credentials": "a user name or password in the URL; give a login with --site-headers",
}


def _refuse(url: str) -> str | None:
    if re.search(r"\s", url):
        return "blank inside the URL"
    reason = refuse_url(url, ANYWHERE)
    return _WORDS.get(reason, reason) if reason else None


def _merge_duplicates(entries: Iterable[ListEntry]) -> list[ListEntry]:
    """Keep each URL once, with the categories of all its entries."""
    found: dict[str, ListEntry] = {}
    for entry in entries:
        key = canonical_url(entry.url) or entry.url
        first = found.setdefault(key, entry)
        if first is not entry:
            categories = dict.fromkeys((*first.categories, *entry.categories))
            found[key] = replace(first, categories=tuple(categories))
    return list(found.values())
