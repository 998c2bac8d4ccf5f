"""Errors of databases as errors of the store: with its name, and with what to do."""

from __future__ import annotations

from sqlalchemy.exc import DBAPIError, NoSuchModuleError, SQLAlchemyError

from forest_crawler.errors import ConflictError, InputError, LostConnectionError, StoreError

_CONFLICTS = ("40001", "40P01")  # PostgreSQL: serialization failure, deadlock

_ADVICE = {
    "canceling statement": "another program uses the same rows: wait for it, or end it",
    "locked": "another program uses it: wait for it, or end it",
    "not a database": "name another file, or restore a copy of it",
    "malformed": "the file is damaged: restore a copy of it",
    "unable to open": "check that its directory exists, and that you may read and write both",
    "readonly": "make the file and its directory writable, which reading needs as well; or copy it",
    "disk is full": "free some space and run again; nothing committed is lost",
    "disk I/O error": "check the disk and its free space, and run again; nothing committed is lost",
}


class OutdatedStoreError(StoreError):
    """A store that must be opened for writing once, which upgrades it."""


def store_error(err: SQLAlchemyError, name: str) -> StoreError:
    """Return an error of the database as one of the store with this name."""
    return _kind(err)(explain(err), name)


def no_such_store(name: str) -> InputError:
    """Return the error of a store that doesn't exist."""
    return InputError("no such store; `forest crawl` makes one, --store names another", name)


def advise(message: str) -> str:
    """Add to a database's message what to do, where that is known."""
    for words, advice in _ADVICE.items():
        if words in message:
            return f"{message}; {advice}"
    return message


def explain(err: SQLAlchemyError) -> str:
    """Return the words of the database itself, with advice."""
    if isinstance(err, NoSuchModuleError):
        return f"cannot be opened: {err}"
    if not isinstance(err, DBAPIError) or err.orig is None:
        return str(err)
    message = str(err.orig).partition("\nCONTEXT:")[0]
    return advise(" ".join(message.split()))  # messages of a server have several lines


def _kind(err: SQLAlchemyError) -> type[StoreError]:
    if isinstance(err, DBAPIError) and err.connection_invalidated:
        return LostConnectionError
    state = getattr(getattr(err, "orig", None), "sqlstate", None)
    return ConflictError if state in _CONFLICTS else StoreError
