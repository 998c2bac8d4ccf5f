"""The spider of single pages."""

from __future__ import annotations

import asyncio

from scrapy import Request

from forest_crawler.fetching.crawl_delay import RETURNABLE
from forest_crawler.fetching.page_fetch_process import PagesSpider


def test_a_page_waits_for_its_turn_however_late_it_is() -> None:
    async def first() -> Request:
        spider = PagesSpider(urls=["http://gazette.example/rain"])
        async for request in spider.start():
            assert isinstance(request, Request)
            return request
        raise AssertionError

    assert not asyncio.run(first()).meta[RETURNABLE]
