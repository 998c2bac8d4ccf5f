"""The wrappers that a crawl's store has of the site of a page, for `forest page --store`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from forest_crawler.cli._messages import count, say
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.extraction.extraction import BY_WRAPPER, Extraction, extract
from forest_crawler.page.tree import PageTree
from forest_crawler.urls.hosts import site_of

if TYPE_CHECKING:
    from forest_crawler.store import Store


class PageWrappers(ExitStack):
    """An open store, or none."""

    def __init__(self, url: str | None) -> None:
        super().__init__()
        self._url = url
        self._store: Store | None = None

    def __enter__(self) -> Self:
        if self._url is not None:
            from forest_crawler.cli._store import open_existing_store  # SQLAlchemy: 0.2 s

            self._store = self.enter_context(open_existing_store(self._url))
        return self

    def extract(self, page: LabelledPage, tree: PageTree, method: str) -> Extraction | None:
        """Apply the wrappers of the page's site, and report it; `None` if there are none."""
        if self._store is None:
            return None
        site = (site_of(page.url) if page.url else None) or page.site
        wrappers = [stored.wrapper for stored in self._store.wrappers(site)]
        if not wrappers:
            say(f"{page.id}: the store has no wrappers of {site}")
            return None
        found = extract(tree, wrappers, method)
        result = "fits" if found.extractor == BY_WRAPPER else "do not fit"
        if found.extractor == BY_WRAPPER:
            say(f"{page.id}: a wrapper of {site} {result}")
        else:
            say(f"{page.id}: {count(len(wrappers), 'wrapper')} of {site} {result}")
        return found
