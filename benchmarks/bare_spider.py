"""Fetch URLs and yield their HTML: the bare spider that a crawl is compared with.

`python -m benchmarks.bare_spider FILE` reads a URL per line, and prints seconds and pages.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response

SETTINGS = {
    "CONCURRENT_REQUESTS": 64,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "LOG_LEVEL": "ERROR",
    "TELNETCONSOLE_ENABLED": False,
    "REMOTE_CONTROL_ENABLED": False,
}


class BareSpider(Spider):
    """Fetches the URLs of a file."""

    name = "bare"

    async def start(self) -> AsyncIterator[Any]:
        """Yield requests for all URLs."""
        for url in Path(self.file).read_text().splitlines():  # type: ignore[attr-defined]
            yield Request(url, dont_filter=True)

    def parse(self, response: Response) -> Iterator[dict[str, str]]:
        """Yield the page's HTML."""
        yield {"url": response.url, "html": response.text}


if __name__ == "__main__":
    process = CrawlerProcess(SETTINGS)
    crawler = process.create_crawler(BareSpider)
    process.crawl(crawler, file=sys.argv[1])
    process.start()
    assert crawler.stats is not None
    stats = crawler.stats.get_stats()
    print(stats["elapsed_time_seconds"], stats.get("item_scraped_count", 0))
