"""Fetch a few pages now, as politely and safely as a crawl does.

`forest page URL` and `fetch_article` use it. Scrapy runs in a process of its own
(`forest_crawler.fetching.page_fetch_process`): its event loop can start only once in a process, and
whoever calls us may run another one.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from forest_crawler.article.article import Article, ArticleSource, make_article
from forest_crawler.errors import FetchError
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.extraction.stated_text import prefer_stated
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.tree import parse_page
from forest_crawler.urls.hosts import site_of
from forest_crawler.wrapper.wrapper import Wrapper

_MODULE = "forest_crawler.fetching.page_fetch_process"


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The result of one URL: a body, or the reason why there is none."""

    requested: str
    url: str = ""  # after redirects
    status: int | None = None
    content_type: str | None = None
    body: bytes = b""
    reason: str | None = None

    @property
    def charset(self) -> str | None:
        """The charset that the HTTP header names."""
        return header_charset(self.content_type)


class PageFetch:
    """A running fetch. It starts at once, so that the caller can import or read meanwhile."""

    def __init__(
        self,
        urls: Sequence[str],
        settings: Mapping[str, Any] | None = None,
        kind: Literal["page", "feed"] = "page",
    ) -> None:
        self._urls = list(dict.fromkeys(urls))
        merged = {**self._delay(), **(settings or {})}
        plan = json.dumps({"urls": self._urls, "kind": kind, "settings": merged})
        self._process = subprocess.Popen(  # noqa: S603 (our own module)
            [sys.executable, "-m", _MODULE], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        if self._process.stdin is None:
            raise RuntimeError("a process without the stdin that was asked for")
        self._process.stdin.write(plan.encode())
        self._process.stdin.close()
        self._process.stdin = None  # or `communicate` would flush it

    def _delay(self) -> dict[str, float]:
        """Wait between two pages of a site, but not between its robots.txt and a single page."""
        sites = Counter(map(site_of, self._urls))
        if max(sites.values(), default=0) > 1:
            return {}
        return {"DOWNLOAD_DELAY": 0.0, "AUTOTHROTTLE_START_DELAY": 0.0}

    def finish(self, timeout: float | None = None) -> dict[str, FetchedPage]:
        """Wait for the results; every URL has one.

        After `timeout` seconds the process is killed, and `subprocess.TimeoutExpired` raised.
        """
        try:
            output, _ = self._process.communicate(timeout=timeout)
        except BaseException:
            self._process.kill()
            self._process.wait()
            raise
        found = {page.requested: page for page in map(_read_result, output.splitlines())}
        return {url: found.get(url) or FetchedPage(url, reason="error") for url in self._urls}

    def results(self, timeout: float) -> Iterator[FetchedPage]:
        """Yield each result as it comes; what is missing after `timeout` seconds is a timeout."""
        output = self._process.stdout
        if output is None:
            raise RuntimeError("a process without the stdout that was asked for")
        waiting = dict.fromkeys(self._urls)
        killer = threading.Timer(timeout, self._process.kill)
        killer.start()
        try:
            for line in output:
                page = _read_result(line)
                waiting.pop(page.requested, None)
                yield page
        finally:
            killer.cancel()
            self._process.kill()
            self._process.wait()
            output.close()
        reason = "timeout" if killer.finished.is_set() and waiting else "error"
        yield from (FetchedPage(url, reason=reason) for url in waiting)


def fetch_article(
    url: str,
    wrappers: Sequence[Wrapper] | None = None,
    *,
    method: str = FALLBACK,
    allow_networks: Iterable[str] = (),
    allow_ports: Iterable[str] = (),
) -> Article:
    """Fetch a page, and extract its article as `extract_article` does.

    robots.txt is obeyed; only public addresses and the usual ports of web servers are fetched from,
    unless others are allowed. Raises `FetchError` with the reason if there is no page.
    """
    settings = {
        "FOREST_ALLOW_NETWORKS": list(allow_networks),
        "FOREST_ALLOW_PORTS": list(allow_ports),
    }
    page = PageFetch([url], settings).finish()[url]
    if page.reason is not None:
        raise FetchError(page.reason, url)
    tree = parse_page(page.body, url=page.url, charset=page.charset)
    source = ArticleSource(
        url=page.url, site=site_of(page.url), http_status=page.status, fetched_at=time.time()
    )
    found = extract(tree, wrappers or (), method)
    return make_article(tree, prefer_stated(found, tree) or found, source)


def _read_result(line: bytes) -> FetchedPage:
    row = json.loads(line)
    return FetchedPage(**{**row, "body": base64.b64decode(row.get("body", ""))})
