"""`RenderHandler`: runs a fetched page's scripts in a browser, and returns what they leave.

The page itself has been fetched before, as every other page: robots.txt, delays, redirects and
limits hold for it. The browser gets these bytes; only what its scripts load comes from the network.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from playwright.async_api import Error as BrowserError
from playwright.async_api import Page, Route
from playwright.async_api import Request as BrowserRequest
from scrapy.http import HtmlResponse
from scrapy_playwright.handler import ScrapyPlaywrightDownloadHandler
from scrapy_playwright.page import PageMethod

from forest_crawler.crawl.limits import MAX_BYTES
from forest_crawler.crawl.outcomes import ERROR, TIMEOUT, TOO_LARGE
from forest_crawler.fetching.bounded_handler import BoundedHandler
from forest_crawler.fetching.rendering.browser import GuardedBrowser
from forest_crawler.fetching.rendering.guard_proxy import GuardProxy
from forest_crawler.fetching.rendering.middleware import DOCUMENT
from forest_crawler.fetching.url_check import read_policy

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

MAX_PAGES = 4
"""Pages that are rendered at a time; each is a process of the browser's."""
SETTLE_MILLISECONDS = 5000
"""How long to wait for scripts that go on loading."""
CLOSE_SECONDS = 5.0

_UNWANTED = frozenset({"image", "media", "font", "eventsource", "ping", "manifest"})
"""What no article's text depends on."""

_log = logging.getLogger(__name__)
_handlers: WeakKeyDictionary[Crawler, RenderHandler] = WeakKeyDictionary()


class RenderHandler(ScrapyPlaywrightDownloadHandler, BoundedHandler):  # type: ignore[misc]
    """Renders requests with a `DOCUMENT`; sends all others as `BoundedHandler` does."""

    lazy = False  # scrapy-playwright starts with the engine

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        # It logs a traceback for each page that cannot be rendered; we count and name them.
        logging.getLogger("scrapy-playwright").setLevel(logging.ERROR)
        settings = crawler.settings
        self._seconds = settings.getfloat("DOWNLOAD_TIMEOUT")
        self._agent = settings["USER_AGENT"]
        self._names = count()
        self._slots = asyncio.Semaphore(MAX_PAGES)
        self._is_closed = False
        self.guard = GuardProxy(read_policy(crawler))
        self.process_request_headers = self._headers
        program = settings.get("FOREST_BROWSER")
        self.browser_provider_cls = partial(GuardedBrowser, guard=self.guard, program=program)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the handler of a crawl: one for both schemes, as it has a browser."""
        if crawler not in _handlers:
            _handlers[crawler] = cls(crawler)
        return _handlers[crawler]

    async def download_request(self, request: Request) -> Response:
        """Render a page that was fetched; it stays as it was if that fails."""
        document: HtmlResponse | None = request.meta.get(DOCUMENT)
        if document is None:
            found: Response = await super().download_request(request)
            return found
        async with self._slots:
            body = await self._render(request, document)
        if body is None:
            return document.replace(flags=[*document.flags, "not-rendered"])
        self.stats.inc_value("forest/rendered")
        headers = document.headers | {"Content-Type": "text/html; charset=utf-8"}
        return document.replace(
            body=body, headers=headers, encoding="utf-8", flags=["rendered"], request=request
        )

    async def close(self) -> None:
        """End the browser, once."""
        if not self._is_closed:
            self._is_closed = True
            await super().close()

    async def _render(self, request: Request, document: Response) -> bytes | None:
        name = f"page-{next(self._names)}"  # a context per page: no cookies, no storage of others
        request.meta.update(
            playwright=True,
            playwright_context=name,
            playwright_context_kwargs=self._context_options(),
            playwright_page_init_callback=partial(_route_page, document=document),
            playwright_page_methods=[PageMethod(_settle)],
            playwright_page_goto_kwargs={"wait_until": "domcontentloaded"},
        )
        try:
            async with asyncio.timeout(self._seconds):
                rendered = await super().download_request(request)
        except TimeoutError:
            self._count_failure(document, TIMEOUT, "its scripts take too long")
        except (BrowserError, OSError) as err:
            self._count_failure(document, ERROR, str(err).partition("\n")[0])
        else:
            body: bytes = rendered.body
            if len(body) <= MAX_BYTES["page"]:
                return body
            self._count_failure(document, TOO_LARGE, f"{len(body)} bytes")
        finally:
            await self._close_context(name)
        return None

    def _count_failure(self, document: Response, label: str, why: str) -> None:
        self.stats.inc_value(f"forest/not_rendered/{label}")
        _log.warning("%s: not rendered, used as fetched: %s", document.url, why)

    def _context_options(self) -> dict[str, Any]:
        return {
            "user_agent": self._agent,
            "service_workers": "block",
            "accept_downloads": False,
            "ignore_https_errors": False,
        }

    async def _headers(self, *, playwright_request: BrowserRequest, **_: Any) -> dict[str, str]:
        """Send a browser's headers, with those that the user gives for a site."""
        headers: dict[str, str] = await playwright_request.all_headers()
        return headers | {
            name.lower(): value
            for name, value in self._site_headers.find(playwright_request.url).items()
        }

    async def _close_context(self, name: str) -> None:
        wrapper = self.context_wrappers.get(name)
        if wrapper is not None:
            with suppress(BrowserError, TimeoutError):
                async with asyncio.timeout(CLOSE_SECONDS):
                    await wrapper.context.close()


async def _route_page(page: Page, request: Request, document: Response) -> None:
    """Give the page its document, keep it where it is, and leave out what isn't text."""
    is_given = False

    async def choose(route: Route, asked: BrowserRequest) -> None:
        nonlocal is_given
        if asked.is_navigation_request() and asked.frame == page.main_frame:
            if is_given:  # a script that goes elsewhere
                await route.abort()
                return
            is_given = True
            kind = document.headers.get("Content-Type") or b"text/html"
            await route.fulfill(status=200, body=document.body, content_type=kind.decode("latin-1"))
        elif asked.resource_type in _UNWANTED:
            await route.abort()
        else:
            await route.fallback()

    await page.route("**", choose)


async def _settle(page: Page) -> None:
    """Wait until scripts have loaded what they show, but not for those that never end."""
    with suppress(BrowserError):
        await page.wait_for_load_state("networkidle", timeout=SETTLE_MILLISECONDS)
