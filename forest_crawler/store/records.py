"""The records that go into the store and come out of it: plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from forest_crawler.feed.entry_codec import EntryValues
from forest_crawler.wrapper.wrapper import Wrapper

# "claimed": leased. The stored value predates the word; changing it would change the schema.
State = Literal["new", "claimed", "held", "waiting", "part", "done", "skipped", "failed"]

REMOVED = "removed"
"""The status of a source that a person removed, but that pages were found by."""

MAX_DOUBTS = 6
"""Answers after which a doubtful page is no longer put off: almost eight hours."""

MIN_REFUSED = 300
"""The least status of HTTP of a page that is held without a body, since its site refuses it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A URL of a feed list, and what is known about its feed."""

    id: int
    url: str
    feed_url: str | None = None
    site: str | None = None
    title: str | None = None
    etag: str | None = None
    modified: str | None = None
    status: str | None = None  # outcome of the last poll, a short label
    interval: float | None = None  # seconds between polls
    failures: int = 0  # in a row
    next_poll: float = 0.0
    disabled: bool = False
    last_poll: float | None = None  # seconds since the epoch
    entries: int | None = None  # that the last poll with a document read
    new: int | None = None  # pages that were new at the last poll
    hub: str | None = None  # WebSub: reports news of the feed,
    topic: str | None = None  # which it knows by this URL

    @property
    def is_failing(self) -> bool:
        """Whether the last poll failed, or the source is gone for good.

        >>> Source(1, "https://a.example/", status="gone", disabled=True).is_failing
        True
        >>> Source(1, "https://a.example/", status=REMOVED, disabled=True).is_failing
        False
        """
        return self.status != REMOVED and (self.disabled or self.failures > 0)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A page that a source names; two URLs with the same `key` are the same page."""

    key: str
    url: str
    site: str
    source_id: int | None = None
    guid: str | None = None
    entry: EntryValues | None = None


@dataclass(frozen=True, slots=True)
class Lease:
    """A page to fetch now."""

    key: str
    url: str
    site: str
    source_id: int | None
    guid: str | None
    entry: EntryValues | None
    attempts: int  # answers so far that brought no page; a lease that a kill ends isn't one
    is_part: bool = False  # whether it continues another page's article


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A leased page as it was fetched."""

    key: str
    body: bytes
    status: int = 200
    content_type: str | None = None
    url: str | None = None  # after redirects
    fetched_at: float | None = None  # None: now
    truncated: bool = False  # its end may be missing
    body_at: str | None = None  # the file that has the body; `body` is empty then


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
    entry: EntryValues | None
    feed_url: str | None
    guid: str | None
    parts: tuple[HeldPage, ...] = ()  # the pages that continue its article, in order
    truncated: bool = False
    doubts: int = 0  # times that it was fetched before and put back
    body_at: str | None = None  # the file that has the body, if that isn't read yet
    packed: bytes | None = field(default=None, repr=False)  # the body, if it isn't unpacked yet


@dataclass(frozen=True, slots=True)
class ClosedPage:
    """A page that was skipped or failed, with the reason."""

    url: str
    site: str
    state: State
    reason: str | None
    feed_url: str | None
    guid: str | None
    entry: EntryValues | None


@dataclass(frozen=True, slots=True)
class ArchivedPage:
    """A page whose body is kept, with the JSON line of its article."""

    page: HeldPage
    line: str
    has_parts: bool  # the article also has the text of further pages


@dataclass(frozen=True, slots=True)
class FeedArticle:
    """The JSON line of an article, with the link and the guid that its feed gives it."""

    line: str
    link: str
    guid: str | None


@dataclass(frozen=True, slots=True)
class StoredWrapper:
    """A wrapper of a site, how often it fitted, and when and why it was retired."""

    id: int
    wrapper: Wrapper
    created: float
    hits: int
    misses: int
    last_hit: float | None
    pinned: bool
    retired: float | None = None
    reason: str | None = None  # why it was added, or, once retired, why it was retired


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
    sketch: tuple[int, ...] = ()  # of its text (`near_duplicates`); empty for a short text


@dataclass(frozen=True, slots=True)
class ExportState:
    """Up to where a file is written: last article's number, file length after it."""

    seq: int
    offset: int
    crc: int  # of the file's last bytes before `offset`
