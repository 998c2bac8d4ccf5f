"""What the spiders share: the engine, and releasing a page once it is stored."""

from __future__ import annotations

from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler
from scrapy.settings import BaseSettings

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.fetching.feed_exports import keep_pages_out
from forest_crawler.pipelines.forest import ForestPipeline
from forest_crawler.pipelines.items import PageItem


class ArchivingSpider(Spider):
    """A spider whose pages become articles."""

    # A response gives one item; Scrapy would start a hundred tasks for it each time.
    custom_settings = {"CONCURRENT_ITEMS": 1}  # noqa: RUF012  as Scrapy has it

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Make a spider, as Scrapy does."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider._release_item, signal)
        return spider

    @classmethod
    def update_settings(cls, settings: BaseSettings) -> None:
        """Let `scrapy crawl feeds -O articles.jsonl` write articles, and no pages."""
        super().update_settings(settings)
        keep_pages_out(settings)

    def find_engine(self) -> CrawlEngine:
        """Return the engine of this crawl."""
        pipeline = self.crawler.get_item_pipeline(ForestPipeline)
        if pipeline is None:
            raise RuntimeError("ForestPipeline is not among ITEM_PIPELINES")
        return pipeline.engine

    def release_page(self, item: PageItem) -> None:
        """Make room for another page: this one is in the store, or never will be."""
        raise NotImplementedError

    def _release_item(self, item: Any) -> None:
        if isinstance(item, PageItem):
            self.release_page(item)
