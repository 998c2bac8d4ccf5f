"""What the spiders share: pages go to the pipeline, and its answer for each comes back to them."""

from __future__ import annotations

from typing import Any, Self

from scrapy import Spider, signals
from scrapy.crawler import Crawler

from forest_crawler.pipelines.forest import ForestPipeline
from forest_crawler.pipelines.items import PageItem


class ArchivingSpider(Spider):
    """A spider whose pages become articles."""

    # A response gives one item; Scrapy would start a hundred tasks for it each time.
    custom_settings = {"CONCURRENT_ITEMS": 1}  # noqa: RUF012  as Scrapy has it

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Scrapy's way to make one."""
        spider = super().from_crawler(crawler, *args, **kwargs)
        for signal in (signals.item_scraped, signals.item_dropped, signals.item_error):
            crawler.signals.connect(spider._hear, signal)
        return spider

    def find_pipeline(self) -> ForestPipeline:
        """The pipeline of this crawl."""
        pipeline = self.crawler.get_item_pipeline(ForestPipeline)
        if pipeline is None:
            raise RuntimeError("ForestPipeline is not among ITEM_PIPELINES")
        return pipeline

    def settle_page(self, item: PageItem) -> None:
        """A page is in the store, or will never be."""
        raise NotImplementedError

    def _hear(self, item: Any) -> None:
        if isinstance(item, PageItem):
            self.settle_page(item)
