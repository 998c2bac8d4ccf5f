"""Builders for tests of the crawl's engine, which needs no Scrapy."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.session import CrawlSession, SessionOptions

_T = TypeVar("_T")


def run_engine(
    directory: Path,
    use: Callable[[CrawlEngine], Awaitable[_T]],
    stats: Counter[str] | None = None,
) -> _T:
    """Open an engine over a store in a directory, use it, and close it."""
    counts = Counter[str]() if stats is None else stats
    options = SessionOptions(f"sqlite:///{directory}/s.db", str(directory / "a.jsonl"), workers=1)

    def add(name: str, number: int) -> None:
        counts[name] += number

    async def run() -> _T:
        engine = CrawlEngine(CrawlSession(options, add, print), write_batch=1)
        try:
            return await use(engine)
        finally:
            await engine.close()

    return asyncio.run(run())
