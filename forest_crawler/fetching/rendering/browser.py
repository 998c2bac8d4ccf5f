"""`GuardedBrowser`: a Chromium that reaches the network through a `GuardProxy` only."""

from __future__ import annotations

import logging
import os
import shutil
from typing import Any

from playwright.async_api import Browser
from scrapy_playwright.handler import Config
from scrapy_playwright.provider import PlaywrightBrowserProvider

from forest_crawler.fetching.rendering.guard_proxy import GuardProxy

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""Browsers of the system; without one, Playwright's own is used."""

_FLAGS = (
    "--proxy-bypass-list=<-loopback>",  # loopback goes through the proxy, too
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # and names are resolved there
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    *("--disable-quic", "--disable-background-networking", "--disable-component-update"),
    *("--disable-sync", "--no-first-run", "--disable-gpu", "--mute-audio"),
)

_log = logging.getLogger(__name__)


class GuardedBrowser(PlaywrightBrowserProvider):  # type: ignore[misc]
    """Starts Playwright, the proxy and the browser when the first page needs them."""

    def __init__(self, config: Config, guard: GuardProxy, program: str | None = None) -> None:
        super().__init__(config)
        self._guard = guard
        self._program = program or find_browser()

    async def start(self) -> None:
        """Start nothing yet: many crawls never need a browser."""

    async def launch_browser(self) -> Browser:
        """Start the browser; again after a crash."""
        if self.browser_type is None:
            await super().start()
            self._server = await self._guard.start()
        options = self._launch_options() | self.config.launch_options
        _log.info("starting %s", options.get("executable_path") or "Playwright's Chromium")
        browser: Browser = await self.browser_type.launch(**options)
        return browser

    async def close(self) -> None:
        """End everything that was started."""
        if self.browser_type is not None:
            await super().close()
            await self._guard.close()

    def _launch_options(self) -> dict[str, Any]:
        proxy = {"server": self._server, "username": self._guard.user}
        return {
            "executable_path": self._program,
            "args": list(_FLAGS),
            "proxy": proxy | {"password": self._guard.password},
            "chromium_sandbox": os.geteuid() != 0,  # Chromium refuses it to root
            "handle_sigint": False,  # the crawl ends it, after the pages in flight
            "handle_sigterm": False,
            "handle_sighup": False,
        }


def find_browser() -> str | None:
    """Return the path of a Chromium of the system, if there is one."""
    return next(filter(None, map(shutil.which, PROGRAMS)), None)
