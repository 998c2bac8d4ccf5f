"""Show live numbers of a crawl on a terminal, and a summary line per site."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text
from scrapy import signals
from scrapy.crawler import Crawler

from forest_crawler.cli._crawl_progress import busy_lines, read_progress
from forest_crawler.cli._messages import count, say
from forest_crawler.text.durations import write_clock

REFRESH = 0.25  # seconds

MAX_WIDTH = 100
"""Columns of the bar on wide terminals."""

_NOTHING = "0 articles"
"""The summary of a site without news, or whose feed failed: of thousands of sites, most have it."""

_COLUMNS = ("sites", "pages", "articles", "fallbacks", "errors", "waiting")


class CrawlDisplay:
    """A table of a running crawl's numbers on stderr, refreshed until the crawl ends."""

    def __init__(self, crawler: Crawler, console: Console, pending: int = 0) -> None:
        self._crawler = crawler
        self._pending = pending  # pages that earlier runs left
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._task: asyncio.Task[None] | None = None
        self._began = time.monotonic()
        crawler.signals.connect(self._start, signals.spider_opened)
        crawler.signals.connect(self.stop, signals.spider_closed)

    def stop(self) -> None:
        """Remove the table from the terminal."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
            self._live.stop()

    def _start(self) -> None:
        self._live.start()
        self._task = asyncio.ensure_future(self._refresh())

    async def _refresh(self) -> None:
        while True:
            self._live.update(Group(self._table(), *self._lines()), refresh=True)
            await asyncio.sleep(REFRESH)

    def _table(self) -> Table:
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        table = Table(box=None, pad_edge=False)
        numbers = read_numbers(stats) | {"waiting": str(self._waiting())}
        for name in _COLUMNS:
            table.add_column(name, justify="right")
        table.add_column("time", justify="right")
        seconds = time.monotonic() - self._began
        cells = [Text(str(numbers.get(name, 0))) for name in _COLUMNS]
        table.add_row(*cells, write_clock(seconds))
        return table

    def _lines(self) -> list[Text]:
        stats = self._crawler.stats.get_stats() if self._crawler.stats else {}
        polls = getattr(self._crawler.spider, "polls", None)
        found = read_progress(
            stats,
            self._pending,
            time.monotonic() - self._began,
            is_total_known=polls is not None and polls.is_done,
        )
        lines = [found.bar(min(self._console.width, MAX_WIDTH))] if found.total else []
        lines += busy_lines(self._busy(), self._sites(), self._console.height)
        return [Text(line, no_wrap=True, overflow="ellipsis") for line in lines]

    def _busy(self) -> dict[str, int]:
        """Count the requests under way per host."""
        engine = self._crawler.engine
        slots = engine.downloader.slots if engine is not None else {}
        return {host: len(slot.active) for host, slot in slots.items() if slot.active}

    def _sites(self) -> Mapping[str, Mapping[str, int]]:
        from forest_crawler.pipelines.forest import ForestPipeline

        pipeline = self._crawler.get_item_pipeline(ForestPipeline)
        return pipeline.engine.session.sites if pipeline is not None else {}

    def _waiting(self) -> int:
        """Count the requests that wait for their site's delay or for a response."""
        engine = self._crawler.engine
        return len(engine.downloader.active) if engine is not None else 0


def read_numbers(stats: Mapping[str, object]) -> dict[str, object]:
    """Pick the numbers that the table shows from a crawl's stats."""
    fallbacks = sum(
        int(str(value)) for name, value in stats.items() if name.startswith("forest/fallback/")
    )
    return {
        "sites": stats.get("forest/sites", 0),
        "pages": stats.get("forest/pages", 0),
        "articles": stats.get("forest/articles", 0),
        "fallbacks": fallbacks,
        "errors": int(str(stats.get("forest/failed", 0)))
        + int(str(stats.get("forest/feeds/failed", 0))),
    }


def say_sites(sites: Mapping[str, Counter[str]]) -> None:
    """Write a line to stderr per site of which the run has pages or articles."""
    for site, counts in sorted(sites.items()):
        if (words := describe_site(counts)) != _NOTHING:
            say(f"{site}: {words}")


def say_eating_rules(eaten_by: Mapping[str, Counter[str]]) -> None:
    """Name the strip rules that would have taken content on some pages."""
    for site, rules in sorted(eaten_by.items()):
        for rule, pages in rules.most_common():
            say(f"{site}: the strip rule {rule} would have taken content on {count(pages, 'page')}")


def describe_site(counts: Counter[str]) -> str:
    """Describe what became of a site's pages in this run.

    >>> describe_site(Counter({"articles": 12, "fallback/page": 2, "failed": 1}))
    '12 articles (2 by page), 1 failed'
    >>> describe_site(Counter({"articles": 3, "wrapper/checked": 2, "wrapper/agreement": 187}))
    '3 articles, agreement 94 % on 2 pages'
    """
    fallbacks = [
        f"{number} by {name.removeprefix('fallback/')}"
        for name, number in sorted(counts.items())
        if name.startswith("fallback/")
    ]
    parts = [
        count(counts["articles"], "article") + (f" ({', '.join(fallbacks)})" * bool(fallbacks))
    ]
    parts += [f"{counts[name]} {name}" for name in ("skipped", "failed") if counts[name]]
    if counts["retried"]:
        parts.append(f"{counts['retried']} postponed")
    if checked := counts["wrapper/checked"]:
        share = round(counts["wrapper/agreement"] / checked)
        parts.append(f"agreement {share} % on {count(checked, 'page')}")
    if counts["induction/done"]:
        parts.append("wrappers induced")
    return ", ".join(parts)
