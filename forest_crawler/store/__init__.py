"""The store: frontier, leases, raw pages, wrappers and outbox in one database.

Scrapy moves bytes; what is due, fetched, wrapped and archived is recorded here, so a kill at any
moment loses nothing. Names load on first use: workers need the records, and not SQLAlchemy.
"""

from typing import TYPE_CHECKING

from forest_crawler.late_names import load_late

if TYPE_CHECKING:
    from forest_crawler.store.archive_file import ArchiveFile
    from forest_crawler.store.records import (
        ArchivedPage,
        Candidate,
        ExportState,
        FeedArticle,
        FetchedPage,
        HeldPage,
        Lease,
        NewArticle,
        Source,
        StoredWrapper,
    )
    from forest_crawler.store.reopening import MOVED
    from forest_crawler.store.store import Store, open_store, read_store
    from forest_crawler.store.store_url import DEFAULT_STORE_URL, store_file, store_name

__all__ = [
    "DEFAULT_STORE_URL",
    "MOVED",
    "ArchiveFile",
    "ArchivedPage",
    "Candidate",
    "ExportState",
    "FeedArticle",
    "FetchedPage",
    "HeldPage",
    "Lease",
    "NewArticle",
    "Source",
    "Store",
    "StoredWrapper",
    "open_store",
    "read_store",
    "store_file",
    "store_name",
]

_HOMES = {
    "archive_file": "ArchiveFile",
    "records": "ArchivedPage Candidate ExportState FeedArticle FetchedPage HeldPage Lease "
    "NewArticle Source StoredWrapper",
    "reopening": "MOVED",
    "store": "Store open_store read_store",
    "store_url": "DEFAULT_STORE_URL store_file store_name",
}
"""Modules and their public names."""

if not TYPE_CHECKING:  # for type checkers, every name would exist
    __getattr__ = load_late(__name__, _HOMES)
