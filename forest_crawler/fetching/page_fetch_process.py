"""The process of a `PageFetch`: reads a plan from stdin, writes a JSON line per URL to stdout."""

from __future__ import annotations

import asyncio
import base64
import json
import sys
from collections.abc import AsyncIterator, Iterable
from typing import Any

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.settings import Settings
from twisted.python.failure import Failure

from forest_crawler.crawl.limits import RequestKind
from forest_crawler.fetching.content import request_meta
from forest_crawler.fetching.crawl_delay import RETURNABLE
from forest_crawler.fetching.request_outcomes import outcome_of


class PagesSpider(Spider):
    """Fetches the given URLs, each once."""

    name = "pages"

    def __init__(self, urls: Iterable[str] = (), kind: RequestKind = "page", **kw: Any) -> None:
        super().__init__(**kw)
        self.kind: RequestKind = kind
        self.waiting = set(urls)
        self.urls = list(urls)
        self.all_done = asyncio.Event()

    async def start(self) -> AsyncIterator[Any]:
        """Yield a request per URL, and close the spider once all have a result."""
        for url in self.urls:
            try:
                request = Request(url, meta=_meta(self.kind), dont_filter=True)
            except ValueError:
                self.conclude(url, reason="malformed")
                continue
            yield request.replace(
                callback=self.receive, errback=self.fail, cb_kwargs={"requested": url}
            )
        await self.all_done.wait()
        raise CloseSpider("finished")  # Scrapy itself would look for its end after five seconds

    async def receive(self, response: Response, requested: str) -> None:
        """Write the page."""
        label = (response.headers.get("Content-Type") or b"").decode("latin-1")
        body = base64.b64encode(response.body).decode()
        self.conclude(
            requested,
            url=response.url,
            status=response.status,
            content_type=label or None,
            body=body,
        )

    async def fail(self, failure: Failure) -> None:
        """Write why there is no page."""
        reason = outcome_of(failure.value or RuntimeError("no error")).source_status
        self.conclude(failure.request.cb_kwargs["requested"], reason=reason)  # type: ignore[attr-defined]

    def conclude(self, requested: str, **values: Any) -> None:
        """Write the result of a URL at once."""
        sys.stdout.write(json.dumps({"requested": requested, **values}) + "\n")
        sys.stdout.flush()
        self.waiting.discard(requested)
        if not self.waiting:
            self.all_done.set()


def _meta(kind: RequestKind) -> dict[str, Any]:
    """Let a page wait for its turn, however late: no later run would fetch it."""
    return {**request_meta(kind), RETURNABLE: False}


def main() -> None:
    """Run the plan."""
    plan = json.load(sys.stdin)
    settings = Settings()
    settings.setmodule("forest_crawler.settings", priority="project")
    # Our spiders and the pipeline would load the engine and the store.
    ours: dict[str, Any] = {"SPIDER_MODULES": [], "ITEM_PIPELINES": {}, "LOG_LEVEL": "ERROR"}
    settings.setdict(ours, priority="cmdline")
    settings.setdict(plan["settings"], priority="cmdline")
    process = CrawlerProcess(settings)
    process.crawl(PagesSpider, urls=plan["urls"], kind=plan["kind"])
    process.start()


if __name__ == "__main__":
    main()
