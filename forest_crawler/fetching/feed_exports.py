"""Scrapy's feed exports write articles and a project's own items, but not the bytes of pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

_FILTER = "forest_crawler.pipelines.items.NoPages"


def keep_pages_out(settings: BaseSettings) -> None:
    """Give every entry of FEEDS our filter, unless it names one."""
    feeds = settings.getdict("FEEDS")
    if feeds:
        filtered = {uri: {"item_filter": _FILTER, **options} for uri, options in feeds.items()}
        # Above its own priority: `scrapy crawl` applies the command line's settings once more.
        settings.set("FEEDS", filtered, priority=(settings.getpriority("FEEDS") or 0) + 1)
