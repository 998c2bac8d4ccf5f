"""`Watch`: what goes on beside a crawl with `--watch`.

Metrics are served, hubs may report news, outputs are written as articles come, the log says what is
new, and SIGHUP reads the lists again.
"""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import click
from scrapy import signals
from scrapy.crawler import Crawler

from forest_crawler.cli._live_writer import LiveWriter
from forest_crawler.cli._messages import MAX_NAMES, count
from forest_crawler.cli._outputs import Output

HOST = "127.0.0.1"

NEWS_INTERVAL = 60.0
"""Seconds between two log lines on new articles: one per article would be too many to read."""

_log = logging.getLogger(__name__)

SiteCounts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class WatchOptions:
    """The options of a crawl that goes on."""

    metrics_port: int | None = None
    websub_port: int | None = None
    outputs: Sequence[Output] = ()


class Watch:
    """Starts everything when the spider opens; `stop` ends it."""

    def __init__(self, crawler: Crawler, store: str, options: WatchOptions) -> None:
        self._crawler = crawler
        self._store = store
        self._listening = _listen("--metrics-port", options.metrics_port)
        self._for_hubs = _listen("--websub-port", options.websub_port)
        self._writer = LiveWriter(store, options.outputs)
        self._news = ArticleNews()
        self._task: asyncio.Task[None] | None = None
        crawler.signals.connect(self._start, signals.spider_opened)
        crawler.signals.connect(self._log_end, signals.spider_closed)

    def stop(self) -> None:
        """End what is left; outputs are written once more by the command."""
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._writer.stop()

    def _start(self, spider: Any) -> None:
        _reload_on_hangup(spider.reload_list)
        sources = count(len(spider.list.entries), "source")
        _log.info("watching %s", sources)
        self._serve_metrics()
        self._serve_hubs(spider)
        self._writer.start()
        self._task = asyncio.ensure_future(self._log_news())

    def _serve_metrics(self) -> None:
        if self._listening is None:
            return
        from forest_crawler.cli._metrics_server import serve_metrics  # needs Scrapy's reactor

        serve_metrics(self._store, self._listening)
        _log.info("metrics at http://%s:%d/metrics", *self._listening.getsockname())
        self._listening.close()  # the reactor has its own descriptor

    def _serve_hubs(self, spider: Any) -> None:
        if self._for_hubs is None:
            return
        from forest_crawler.cli._websub_server import serve_callbacks  # needs Scrapy's reactor

        serve_callbacks(spider.hubs, self._for_hubs)
        self._for_hubs.close()

    async def _log_news(self) -> None:
        while True:
            await asyncio.sleep(NEWS_INTERVAL)
            self._log_articles()

    def _log_articles(self) -> None:
        from forest_crawler.pipelines.forest import ForestPipeline

        pipeline = self._crawler.get_item_pipeline(ForestPipeline)
        if pipeline is not None and (news := self._news.read(pipeline.engine.session.sites)):
            _log.info("%s", news)

    def _log_end(self) -> None:
        self._log_articles()
        _log.info("the crawl ends")


class ArticleNews:
    """Counts the articles of each site since the last time."""

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def read(self, sites: SiteCounts) -> str:
        """Describe what is new, the sites with most of it first; "" if nothing is.

        >>> news = ArticleNews()
        >>> news.read({"a.example": {"articles": 2}, "b.example": {"articles": 5}})
        '7 new articles: b.example 5, a.example 2'
        >>> news.read({"a.example": {"articles": 3}, "b.example": {"articles": 5}})
        '1 new article: a.example 1'
        """
        present = {site: counts.get("articles", 0) for site, counts in sites.items()}
        new = {site: n - self._known.get(site, 0) for site, n in present.items()}
        self._known = present
        listed = sorted(((n, site) for site, n in new.items() if n), key=lambda it: (-it[0], it[1]))
        if not listed:
            return ""
        named = ", ".join(f"{site} {number}" for number, site in listed[:MAX_NAMES])
        more = f" and {len(listed) - MAX_NAMES} more sites" if len(listed) > MAX_NAMES else ""
        return f"{count(sum(new.values()), 'new article')}: {named}{more}"


def _listen(option: str, port: int | None) -> socket.socket | None:
    """Listen on a port of loopback, before anything starts."""
    if port is None:
        return None
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((HOST, port))
        listening.listen()
    except OSError as err:
        listening.close()
        message = f"{option} {port} cannot be used: {err.strerror}; give another"
        raise click.UsageError(message) from err
    listening.setblocking(False)
    return listening


def _reload_on_hangup(reload: Callable[[], None]) -> None:
    from twisted.internet import reactor  # deferred: importing it installs a reactor

    loop: Any = reactor
    signal.signal(signal.SIGHUP, lambda *_: loop.callFromThread(reload))
