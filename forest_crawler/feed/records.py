"""`Feed` and `FeedEntry`: what a feed says about its articles.

Feeds give Forest two things: sibling pages, and (in its feeds variant) their signifiers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from forest_crawler.urls.canonical import url_key

MAX_TITLE_LENGTH = 1000


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file that belongs to an entry: the sound of a podcast, a picture, a video."""

    url: str
    type: str | None = None  # the media type, as the feed states it
    length: int | None = None  # bytes, as the feed states them


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed. Texts are plain; only `content` keeps the feed's markup.

    An impossible date is `None`; `published_text` and `updated_text` keep what the feed wrote.
    """

    title: str
    description: str = ""
    link: str | None = None
    guid: str | None = None  # also None if several articles of the feed share it
    published: datetime | None = None
    published_text: str | None = None
    updated: datetime | None = None
    updated_text: str | None = None
    authors: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    content: str | None = None  # the article in full, as HTML that nobody has sanitised
    enclosures: tuple[Enclosure, ...] = ()

    @property
    def identity(self) -> str | None:
        """What identifies this entry within its feed: its guid, else its URL key."""
        return self.guid or (url_key(self.link) if self.link else None)


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed and its entries; absent is `None`."""

    url: str
    title: str | None = None
    link: str | None = None  # the site's home page
    language: str | None = None
    entries: tuple[FeedEntry, ...] = ()
    next_page: str | None = None  # RFC 5005, JSON Feed
    hub: str | None = None  # WebSub: reports news of the feed,
    self_url: str | None = None  # which it knows by this URL
    update_interval: timedelta | None = None  # the polling interval that the feed asks for
    left_out: int = 0  # entries beyond `MAX_ENTRIES`
    repaired: bool = False  # the document was not well-formed
