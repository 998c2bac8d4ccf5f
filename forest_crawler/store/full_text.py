"""A full-text index over the archived articles, by the database: FTS5 or tsvector.

It is made on demand and can be deleted at any time. For a SQLite store it is a file of its own
beside the store (`forest.db.search`), so that it can be written while a crawl writes the store; in
PostgreSQL it is a table of its own. Texts are indexed as the project's tokens, so scripts without
blanks between words are found too.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, pool, text
from sqlalchemy.exc import SQLAlchemyError

from forest_crawler.errors import StoreError
from forest_crawler.store.article_lines import read_article
from forest_crawler.store.schema import clean_text
from forest_crawler.store.studio_store import StudioStore
from forest_crawler.text.terms import tokenize

INDEX_SUFFIX = ".search"
BATCH = 200
"""Articles per transaction: a few hundredths of a second."""

MAX_HITS = 1000
MAX_QUERY_WORDS = 20


@dataclass(frozen=True, slots=True)
class Found:
    """The numbers of matching articles, the best first, and up to which article was searched."""

    numbers: tuple[int, ...]
    indexed: int


class FullText:
    """The index of one store; used by one thread at a time."""

    def __init__(self, url: str, file: Path | None) -> None:
        """Open the index; `file` is the SQLite store's, `None` means memory."""
        self._lock = threading.Lock()
        self._is_sqlite = url.startswith("sqlite")
        self.name = str(file) + INDEX_SUFFIX if file else "the search index"
        self._engine = self._sqlite_engine(file) if self._is_sqlite else _server_engine(url)
        self._statements = _SQLITE if self._is_sqlite else _POSTGRESQL
        self._is_ready = False

    def close(self) -> None:
        """Close the index."""
        self._engine.dispose()

    def extend(self, store: StudioStore, limit: int) -> int:
        """Index up to `limit` more articles; return how many are still missing."""
        with self._lock, self._errors():
            self._prepare()
            done = 0
            while done < limit:
                rows = store.lines_after(self._last(), min(BATCH, limit - done))
                if not rows:
                    return 0
                added = [_row(number, line, store.name) for number, line in rows]
                with self._engine.begin() as connection:
                    connection.execute(text(self._statements["add"]), added)
                done += len(rows)
            return max(store.last_article() - self._last(), 0)

    def search(self, query: str, limit: int = MAX_HITS) -> Found:
        """Find articles with all words of a query; `"…"` around words keeps them together."""
        phrases = read_query(query)
        with self._lock, self._errors():
            self._prepare()
            last = self._last()
            if not phrases:
                return Found((), last)
            values = {"query": self._match(phrases), "limit": limit}
            with self._engine.connect() as connection:
                found = connection.scalars(text(self._statements["search"]), values).all()
        return Found(tuple(found), last)

    def repeats_of(self, article_id: str) -> tuple[int, ...]:
        """Return the numbers of articles that name this one as their near-duplicate."""
        with self._lock, self._errors():
            self._prepare()
            values = {"of": "".join(tokenize(article_id))}
            with self._engine.connect() as connection:
                return tuple(connection.scalars(text(self._statements["repeats"]), values))

    def _match(self, phrases: Sequence[Sequence[str]]) -> str:
        if self._is_sqlite:
            quoted = ('"' + " ".join(words).replace('"', "") + '"' for words in phrases)
            return "{title body} : " + " AND ".join(quoted)
        return " & ".join(" <-> ".join(f"'{word}'" for word in words) for words in phrases)

    def _last(self) -> int:
        with self._engine.connect() as connection:
            return connection.scalar(text(self._statements["last"])) or 0

    def _prepare(self) -> None:
        if self._is_ready:
            return
        with self._engine.begin() as connection:
            for statement in self._statements["make"].split(";"):
                connection.execute(text(statement))
        self._is_ready = True

    def _sqlite_engine(self, file: Path | None) -> Engine:
        where = f"sqlite:///{file}{INDEX_SUFFIX}" if file else "sqlite://"
        options: dict[str, Any] = {"check_same_thread": False, "timeout": 10}
        return create_engine(where, poolclass=pool.StaticPool, connect_args=options)

    def _errors(self) -> _NamedErrors:
        return _NamedErrors(self.name)


class _NamedErrors:
    """Turns the database's errors into ours, which name the index."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, SQLAlchemyError):
            raise StoreError(
                f"the search index cannot be used ({error}); delete it, it is made again",
                self._name,
            ) from error


def read_query(query: str) -> list[list[str]]:
    """Split a query into phrases of tokens; words outside quotes are phrases of their own.

    >>> read_query('Ferry "new harbour"')
    [['ferry'], ['new', 'harbour']]
    """
    phrases: list[list[str]] = []
    for number, piece in enumerate(query[:500].split('"')):
        if number % 2:
            phrases.append(tokenize(piece))
        else:
            phrases += [tokenize(word) for word in piece.split()]
    return [phrase for phrase in phrases if phrase][:MAX_QUERY_WORDS]


def _row(seq: int, line: str, store: str) -> dict[str, object]:
    article = read_article(line, seq, store)
    return {
        "seq": seq,
        "title": _tokens([str(article.get("title") or "")]),
        "body": _tokens([str(article.get("text") or "")]),
        "repeat": "".join(tokenize(str(article.get("near_duplicate_of") or ""))),
    }


def _tokens(texts: Iterable[str]) -> str:
    return clean_text(" ".join(token for it in texts for token in tokenize(it)))


def _server_engine(url: str) -> Engine:
    name = url.replace("postgresql://", "postgresql+psycopg://", 1)
    engine = create_engine(name, poolclass=pool.StaticPool)
    event.listen(engine, "begin", _bound_wait)
    return engine


def _bound_wait(connection: Connection) -> None:
    connection.exec_driver_sql("SET LOCAL lock_timeout = '10s'")


_SQLITE = {
    "make": "CREATE VIRTUAL TABLE IF NOT EXISTS article_search USING fts5("
    "title, body, repeat, content='', tokenize='unicode61 remove_diacritics 2')",
    "add": "INSERT INTO article_search (rowid, title, body, repeat) "
    "VALUES (:seq, :title, :body, :repeat)",
    "last": "SELECT max(rowid) FROM article_search",
    # A word of the title counts for five of the text.
    "search": "SELECT rowid FROM article_search WHERE article_search MATCH :query "
    "ORDER BY bm25(article_search, 5.0, 1.0, 0.0), rowid DESC LIMIT :limit",
    "repeats": "SELECT rowid FROM article_search "
    "WHERE article_search MATCH '{repeat} : \"' || :of || '\"' ORDER BY rowid LIMIT 50",
}
_POSTGRESQL = {
    "make": "CREATE TABLE IF NOT EXISTS article_search (seq bigint PRIMARY KEY, "
    "words tsvector NOT NULL, repeat text);"
    "CREATE INDEX IF NOT EXISTS article_search_words ON article_search USING gin (words);"
    "CREATE INDEX IF NOT EXISTS article_search_repeat ON article_search (repeat) "
    "WHERE repeat <> ''",
    "add": "INSERT INTO article_search (seq, words, repeat) VALUES (:seq, "
    "setweight(to_tsvector('simple', left(:title, 10000)), 'A') || "
    "setweight(to_tsvector('simple', left(:body, 300000)), 'D'), :repeat)",
    "last": "SELECT max(seq) FROM article_search",
    "search": "SELECT seq FROM article_search, to_tsquery('simple', :query) query "
    "WHERE words @@ query ORDER BY ts_rank(words, query) DESC, seq DESC LIMIT :limit",
    "repeats": "SELECT seq FROM article_search WHERE repeat = :of AND repeat <> '' "
    "ORDER BY seq LIMIT 50",
}
