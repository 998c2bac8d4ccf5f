"""What goes into the store and comes out of it: plain frozen values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from forest_crawler.wrapper.wrapper import Wrapper

State = Literal["new", "claimed", "held", "waiting", "part", "done", "skipped", "failed"]

Entry: TypeAlias = Mapping[str, Any]
"""What a feed said of a page: title, description, published, authors, tags; values of JSON."""


@dataclass(frozen=True, slots=True)
class Source:
    """An address of a feed list, and what is known of its feed."""

    id: int
    url: str
    feed_url: str | None = None
    site: str | None = None
    title: str | None = None
    etag: str | None = None
    modified: str | None = None
    status: str | None = None  # how the last poll ended, a short label
    interval: float | None = None  # seconds between polls
    failures: int = 0  # in a row
    next_poll: float = 0.0
    disabled: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that a source names; `key` is what makes two addresses the same page."""

    key: str
    url: str
    site: str
    source_id: int | None = None
    guid: str | None = None
    entry: Entry | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A page to fetch now."""

    key: str
    url: str
    site: str
    source_id: int | None
    guid: str | None
    entry: Entry | None
    attempts: int  # leases so far, this one included: what kills the process shows here
    is_part: bool = False  # of the article of another page


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A claimed page as it came."""

    key: str
    body: bytes
    status: int = 200
    content_type: str | None = None
    url: str | None = None  # where redirects led to
    fetched_at: float | None = None  # None: now
    truncated: bool = False  # its end may be missing


@dataclass(frozen=True, slots=True)
class HeldPage:
    """A fetched page with its raw body."""

    key: str
    url: str
    site: str
    status: int
    content_type: str | None
    body: bytes
    fetched_at: float
    entry: Entry | None
    feed_url: str | None
    guid: str | None
    parts: tuple[HeldPage, ...] = ()  # the pages on which its article goes on, in order
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class StoredWrapper:
    """A wrapper of a site, how often it fitted, and when and why it was replaced."""

    id: int
    wrapper: Wrapper
    created: float
    hits: int
    misses: int
    last_hit: float | None
    pinned: bool
    retired: float | None = None
    reason: str | None = None  # why it came, or, once retired, why it went


@dataclass(frozen=True, slots=True)
class NewArticle:
    """An article to archive: `line` is its JSON, ASCII without a line break."""

    id: str
    key: str
    site: str
    url: str
    extractor: str
    wrapper_id: int | None
    content_hash: str
    line: str
    sketch: tuple[int, ...] = ()  # of its text (`near_duplicates`); a short text has none


@dataclass(frozen=True, slots=True)
class ExportState:
    """How far a file has the articles: the last one's number, and the file's length after it."""

    seq: int
    offset: int
    crc: int  # of the file's last bytes before `offset`
