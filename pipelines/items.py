"""The items of a crawl: `PageItem` goes into `ForestPipeline`, `ArticleItem` comes out of it."""

from __future__ import annotations

from typing import Any, Self

from scrapy.extensions.feedexport import ItemFilter
from scrapy.http import Response

from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.fetching.content import may_be_truncated


class PageItem(IncomingPage):
    """A fetched page, with what the spider knows about it."""

    __slots__ = ()

    @classmethod
    def from_response(cls, response: Response, **known: Any) -> Self:
        """Make the item of a response; `known` are further fields."""
        kind = response.headers.get("Content-Type")
        content_type = kind.decode("latin-1") if kind else None
        known = {"truncated": may_be_truncated(response), **known}
        return cls(response.url, response.body, response.status, content_type, **known)


class ArticleItem(dict[str, Any]):
    """An article that has just been archived: the fields of its JSON line, by name."""


class NoPages(ItemFilter):
    """Keep the bytes of pages out of Scrapy's feed exports; `item_classes` still choose."""

    def accepts(self, item: Any) -> bool:
        return not isinstance(item, PageItem) and super().accepts(item)
