"""The store's tables, their version, and the upgrades of older stores."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    insert,
    inspect,
    literal,
    select,
    text,
    update,
)

Upgrade: TypeAlias = Callable[[Connection], None]

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

store_version = Table("store_version", tables, Column("version", Integer, nullable=False))

runs = Table(
    "runs",
    tables,
    Column("id", Text, primary_key=True),
    Column("started", Double, nullable=False),
    Column("ended", Double),
)

# A site without pages to fetch has no `due`. Otherwise `due` is that of its first page, or earlier.
sites = Table(
    "sites",
    tables,
    Column("site", _Key, primary_key=True),
    Column("due", Double),
    Column("run", Text),  # that leases it
    Column("fence", _Number, nullable=False),  # how often it was leased
    Index("sites_by_due", "run", "due", "site"),
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
    Column("body", LargeBinary, nullable=False),  # zlib
    Column("fetched_at", Double, nullable=False),
    Column("article", _Number),  # articles.seq, once it is archived
    Column("truncated", Boolean),  # whether its end may be missing; NULL: no
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


def _add_sketches(connection: Connection) -> None:
    """Add sketches of articles; earlier articles have none."""
    sketches.create(connection)
    sketch_bands.create(connection)


def _add_parts(connection: Connection) -> None:
    """Let pages be parts of another page's article."""
    connection.execute(text("ALTER TABLE frontier ADD COLUMN part_of BIGINT"))
    frontier_by_first.create(connection)


def _forget_sketches(connection: Connection) -> None:
    """Delete all sketches: their algorithm changed, and old ones match no new ones."""
    connection.execute(sketch_bands.delete())
    connection.execute(sketches.delete())


def _add_truncated(connection: Connection) -> None:
    """Let pages record that their end may be missing."""
    connection.execute(text("ALTER TABLE pages ADD COLUMN truncated BOOLEAN"))


def _add_moves(connection: Connection) -> None:
    """Let pages record which page they redirect to; earlier ones don't."""
    connection.execute(text("ALTER TABLE frontier ADD COLUMN moved_to BIGINT"))
    frontier_by_target.create(connection)


def _add_polls(connection: Connection) -> None:
    """Let sources record their last poll; earlier polls are not known."""
    for column in ("last_poll DOUBLE PRECISION", "entries INTEGER", "new INTEGER"):
        connection.execute(text(f"ALTER TABLE sources ADD COLUMN {column}"))


def _add_counters(connection: Connection) -> None:
    """Count doubts and closes by themselves; earlier ones were counted as attempts."""
    for column in ("doubts", "closes"):
        connection.execute(
            text(f"ALTER TABLE frontier ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0")
        )


def _add_sites(connection: Connection) -> None:
    """Let sites be leased: each site with open pages is due at once."""
    sites.create(connection)
    pauses.create(connection)
    is_open = frontier.c.state.in_(("new", "claimed", "held", "waiting", "part"))
    found = select(frontier.c.site, literal(0.0), literal(0)).where(is_open)
    names = ("site", "due", "fence")
    connection.execute(insert(sites).from_select(names, found.distinct()))


UPGRADES: Sequence[Upgrade] = (
    _add_sketches,
    _add_parts,
    _forget_sketches,
    _add_truncated,
    _add_moves,
    _add_polls,
    _add_counters,
    _add_sites,
)
"""The first upgrades version 1 to 2, and so on."""

VERSION = len(UPGRADES) + 1
"""Version of the tables: newer stores are refused, older ones upgraded by `UPGRADES`."""


class UnusableSchemaError(Exception):
    """Tables that this program must not touch."""


def prepare(connection: Connection, upgrades: Sequence[Upgrade] | None = None) -> None:
    """Create the tables of an empty database, or upgrade older ones.

    Runs inside the caller's transaction. Raises `UnusableSchemaError` and changes nothing if the
    database isn't a store, or is a newer one.
    """
    upgrades = UPGRADES if upgrades is None else upgrades
    newest = len(upgrades) + 1
    found = read_version(connection, newest)
    if found is None:
        tables.create_all(connection)
        connection.execute(insert(store_version).values(version=newest))
        return
    for upgrade in upgrades[found - 1 :]:
        upgrade(connection)
    if found < newest:
        connection.execute(update(store_version).values(version=newest))


def read_version(connection: Connection, newest: int | None = None) -> int | None:
    """Return the version of a store's tables; `None` for a database without tables.

    Raises `UnusableSchemaError` if it isn't a store, or is a newer one.
    """
    names = set(inspect(connection).get_table_names())
    if not names:
        return None
    if store_version.name not in names:
        raise UnusableSchemaError(
            f"holds other tables ({', '.join(sorted(names)[:3])}) and isn't a store; "
            "name another database"
        )
    newest = VERSION if newest is None else newest
    found = connection.scalar(select(store_version.c.version))
    if not isinstance(found, int) or not 1 <= found <= newest:
        raise UnusableSchemaError(
            f"is a store of version {found}, but this program supports versions 1 to {newest}; "
            "use the program that wrote it, or begin a new store"
        )
    return found


def check_columns(connection: Connection) -> None:
    """Raise `UnusableSchemaError` if a store lacks a table or a column."""
    found = {
        name: {column["name"] for column in columns}
        for (_, name), columns in inspect(connection).get_multi_columns().items()
    }
    for table in tables.sorted_tables:
        for column in table.columns:
            if column.name not in found.get(table.name, ()):
                raise UnusableSchemaError(
                    f"lacks the column {column}, so another program has changed it; "
                    "restore a copy, or begin a new store"
                )
