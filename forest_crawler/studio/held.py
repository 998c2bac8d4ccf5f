"""The pages of a site whose bodies the store keeps, as the studio's jobs take them."""

from __future__ import annotations

from collections.abc import Sequence

from starlette.exceptions import HTTPException

from forest_crawler.datasets.package_writer import file_source
from forest_crawler.page.encoding import header_charset
from forest_crawler.store import HeldPage
from forest_crawler.store.studio_store import StudioStore
from forest_crawler.studio.effects import PageSource

MAX_PAGES = 20
"""Pages of a site that are shown and edited; a store keeps about a dozen."""


def read_held(store: StudioStore, site: str) -> list[HeldPage]:
    """Return the latest archived pages of a site, then pages that wait for their article."""
    with store.view():
        recent = store.recent_pages(site, MAX_PAGES)
        more = store.held_pages(site, MAX_PAGES - len(recent), newest=True)
    return [*recent, *more]


def to_source(page: HeldPage) -> PageSource:
    """Make a page readable without its HTTP header."""
    source = file_source(page.body, header_charset(page.content_type))
    return PageSource(page.key, page.url, source)


def find_page(pages: Sequence[HeldPage], key: str | None) -> HeldPage:
    """Return the page with a key, or the first one; raises a 404 if there is none."""
    for page in pages:
        if key is None or page.key == key:
            return page
    raise HTTPException(404, "the store keeps no such page any more; it keeps the latest ones only")
