"""Former path of `forest_crawler.pipelines.items`."""

from forest_crawler.pipelines.items import PageItem

__all__ = ["PageItem"]
