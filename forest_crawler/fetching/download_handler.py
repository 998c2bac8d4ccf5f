"""`DownloadHandler`: what DOWNLOAD_HANDLERS names for http and https."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_crawler.fetching.bounded_handler import BoundedHandler
from forest_crawler.fetching.rendering.middleware import sites_to_render

if TYPE_CHECKING:
    from scrapy.crawler import Crawler


class DownloadHandler:
    """Makes the handler of a crawl: with a browser only if FOREST_RENDER names something."""

    lazy = False

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> BoundedHandler:
        if not sites_to_render(crawler.settings):
            return BoundedHandler.from_crawler(crawler)
        from forest_crawler.fetching.rendering.handler import RenderHandler  # Playwright

        return RenderHandler.from_crawler(crawler)
