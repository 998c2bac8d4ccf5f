"""The store's tables; `upgrades` brings those of older stores up to date."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
)

MAX_KEY_LENGTH = 2000
"""Bytes; PostgreSQL indexes allow 2,700."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """Replace characters that no database stores: NUL and lone surrogates.

    >>> clean_text("a\\x00b")
    'a\\ufffdb'
    """
    return _UNSTORABLE.sub("\ufffd", text)


def clean_key(text: str) -> str:
    """Return the text as a key: clean, and a digest instead of an overlong rest."""
    text = clean_text(text)
    encoded = text.encode()
    if len(encoded) <= MAX_KEY_LENGTH:
        return text
    return f"{text[:100]}#{hashlib.sha256(encoded).hexdigest()}"


class _Cleaned(TypeDecorator[str]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else clean_text(value)


class _Key(TypeDecorator[str]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Any) -> str | None:
        return None if value is None else clean_key(value)


# SQLite assigns row ids only to a column of the type INTEGER.
_Number = BigInteger().with_variant(Integer, "sqlite")

tables = MetaData()

store_version = Table(
    "store_version",
    tables,
    Column("version", Integer, nullable=False),
    Column("store_id", Text),  # random; names the store's own folder of bodies
)

runs = Table(
    "runs",
    tables,
    Column("id", Text, primary_key=True),
    Column("started", Double, nullable=False),
    Column("ended", Double),
    Column("machine", _Cleaned),  # on which it runs
    Column("pid", Integer),
    Column("expires", Double),  # when others take its leases over; NULL: it has the store alone
)

# A site without pages to fetch has no `due`. Otherwise `due` is that of its first page, or earlier.
sites = Table(
    "sites",
    tables,
    Column("site", _Key, primary_key=True),
    Column("due", Double),
    Column("run", Text),  # that leases it
    Column("fence", _Number, nullable=False),  # how often it was leased
    Column("rest", Double),  # until when no other run leases it: its delay between two requests
    Column("delay", Double),  # that its hosts want (Crawl-delay), if longer than the crawl's own
    Index("sites_by_due", "run", "due", "site"),
)

# PostgreSQL does not read `sites_by_due` in the order of `due` for sites without a run.
_is_free = sites.c.run.is_(None)
free_sites = Index(
    "free_sites", sites.c.due, sites.c.site, sqlite_where=_is_free, postgresql_where=_is_free
)

pauses = Table(
    "pauses",
    tables,
    Column("host", _Key, primary_key=True),
    Column("until", Double, nullable=False),
    Column("reason", _Cleaned, nullable=False),
)

sources = Table(
    "sources",
    tables,
    Column("id", _Number, primary_key=True),
    Column("key", _Key, nullable=False, unique=True),
    Column("url", _Cleaned, nullable=False),
    Column("feed_url", _Cleaned),
    Column("site", _Key),
    Column("title", _Cleaned),
    Column("etag", _Cleaned),
    Column("modified", _Cleaned),
    Column("status", _Cleaned),
    Column("interval", Double),
    Column("failures", Integer, nullable=False, default=0),
    Column("next_poll", Double, nullable=False, default=0.0),
    Column("disabled", Boolean, nullable=False, default=False),
    Column("last_poll", Double),
    Column("entries", Integer),  # that the last poll with a document read
    Column("new", Integer),  # pages that were new at the last poll
    Column("hub", _Cleaned),  # WebSub
    Column("topic", _Cleaned),
    Index("sources_by_poll", "disabled", "next_poll"),
)

frontier = Table(
    "frontier",
    tables,
    Column("id", _Number, primary_key=True),  # ascending by age
    Column("key", _Key, nullable=False, unique=True),
    Column("url", _Cleaned, nullable=False),
    Column("site", _Key, nullable=False),
    Column("state", Text, nullable=False),  # records.State; a leased page is "claimed"
    Column("reason", _Cleaned),
    Column("source_id", _Number, ForeignKey("sources.id")),  # the first source that named it
    Column("guid", _Cleaned),
    Column("entry", Text),  # JSON, ASCII
    Column("due", Double, nullable=False),
    Column("attempts", Integer, nullable=False),  # answers that brought no page
    Column("doubts", Integer, nullable=False, server_default="0"),  # times that it was put back
    Column("closes", Integer, nullable=False, server_default="0"),  # times that it was closed
    Column("run", Text, ForeignKey("runs.id")),  # that leased it or, if new, left it to the next
    Column("lease", Double),  # when the lease expires
    Column("scheduled", Double, nullable=False),
    Column("part_of", _Number),  # the first page of its article
    Column("moved_to", _Number),  # the page that its URL redirects to
    Index("frontier_by_site", "state", "site", "id"),
    sqlite_autoincrement=True,
)

_has_run = frontier.c.run.is_not(None)
frontier_by_run = Index(
    "frontier_by_run", frontier.c.run, sqlite_where=_has_run, postgresql_where=_has_run
)

_is_part = frontier.c.part_of.is_not(None)
frontier_by_first = Index(
    "frontier_by_first", frontier.c.part_of, sqlite_where=_is_part, postgresql_where=_is_part
)

_is_moved = frontier.c.moved_to.is_not(None)
frontier_by_target = Index(
    "frontier_by_target", frontier.c.moved_to, sqlite_where=_is_moved, postgresql_where=_is_moved
)

mentions = Table(
    "mentions",
    tables,
    Column("page_id", _Number, ForeignKey("frontier.id"), primary_key=True),
    Column("source_id", _Number, ForeignKey("sources.id"), primary_key=True),
    Column("guid", _Cleaned),
)

pages = Table(
    "pages",
    tables,
    Column("page_id", _Number, ForeignKey("frontier.id"), primary_key=True, autoincrement=False),
    Column("site", _Key, nullable=False),
    Column("url", _Cleaned),
    Column("status", Integer, nullable=False),
    Column("content_type", _Cleaned),
    Column("body", LargeBinary, nullable=False),  # zlib; empty if it is elsewhere
    Column("fetched_at", Double, nullable=False),
    Column("article", _Number),  # articles.seq, once it is archived
    Column("truncated", Boolean),  # whether its end may be missing; NULL: no
    Column("body_at", _Cleaned),  # the file that has the body
    Index("pages_by_article", "site", "article"),
)

wrappers = Table(
    "wrappers",
    tables,
    Column("id", _Number, primary_key=True),
    Column("site", _Key, nullable=False),
    Column("position", Integer, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("document", Text, nullable=False),  # JSON of a list with this wrapper
    Column("created", Double, nullable=False),
    Column("hits", Integer, nullable=False, default=0),
    Column("misses", Integer, nullable=False, default=0),
    Column("last_hit", Double),
    Column("retired", Double),
    Column("reason", _Cleaned),
    Index("wrappers_by_site", "site", "retired"),
    sqlite_autoincrement=True,
)

fits = Table(
    "fits",
    tables,
    Column("site", _Key, primary_key=True),
    Column("recent", Text, nullable=False),  # 1 or 0 per page, the latest last
)

articles = Table(
    "articles",
    tables,
    Column("seq", _Number, primary_key=True),  # files have them in this order
    Column("id", _Key, nullable=False, unique=True),
    Column("page_id", _Number, ForeignKey("frontier.id"), nullable=False, unique=True),
    Column("site", _Key, nullable=False),
    Column("url", _Cleaned, nullable=False),
    Column("extractor", _Cleaned, nullable=False),
    Column("wrapper_id", _Number),
    Column("content_hash", _Cleaned, nullable=False),
    Column("archived", Double, nullable=False),
    Column("line", LargeBinary, nullable=False),  # zlib
    Index("articles_by_site", "site", "seq"),
    sqlite_autoincrement=True,
)

sketches = Table(
    "sketches",
    tables,
    Column("page_id", _Number, ForeignKey("frontier.id"), primary_key=True, autoincrement=False),
    Column("sketch", Text, nullable=False),  # of the article's text
)

sketch_bands = Table(
    "sketch_bands",
    tables,
    Column("band", BigInteger, primary_key=True, autoincrement=False),
    Column("page_id", _Number, ForeignKey("frontier.id"), primary_key=True, autoincrement=False),
)

exports = Table(
    "exports",
    tables,
    Column("file", _Key, primary_key=True),
    Column("seq", _Number, nullable=False),
    Column("offset", _Number, nullable=False),
    Column("crc", _Number, nullable=False),
)

# Pages that gave no article, and of which nothing else is kept.
settled = Table(
    "settled",
    tables,
    Column("hash", LargeBinary, primary_key=True),  # of the key
)
