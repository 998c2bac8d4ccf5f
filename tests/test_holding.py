"""Fetched pages are held together, and without waiting where there are enough of them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from forest_crawler.pipelines.holding import Holding, PageItem
from forest_crawler.pipelines.ledger import Ledger
from forest_crawler.store import open_store
from tests.store_builders import schedule

LONG, SHORT = 60.0, 10.0
"""Seconds that writes wait for company, and that a test waits for them."""


def hold(path: Path, names: str, *, enough: int) -> list[bool] | None:
    """Hold pages of a store at once; None where they are not on disk after a short time."""

    async def run() -> list[bool] | None:
        ledger = Ledger(store, on_failure=print, delay=LONG)
        holding = Holding(ledger, enough)
        items = [PageItem(f"https://a/{n}", b"x", key=f"a/{n}") for n in names]
        coming = [holding.hold(item, item.key or "", "a") for item in items]
        try:
            return await asyncio.wait_for(asyncio.gather(*coming), SHORT if enough < 9 else 0.3)
        except TimeoutError:
            return None
        finally:
            await ledger.close()

    with open_store(f"sqlite:///{path}/s.db") as store:
        store.begin_run()
        schedule(store, list("123"), site="a")
        return asyncio.run(run())


def test_enough_pages_are_written_at_once(tmp_path: Path) -> None:
    assert hold(tmp_path, "123", enough=3) == [True, True, True]


def test_fewer_pages_wait_for_company(tmp_path: Path) -> None:
    assert hold(tmp_path, "123", enough=9) is None


def test_a_page_that_nobody_scheduled_is_not_held(tmp_path: Path) -> None:
    assert hold(tmp_path, "14", enough=2) == [True, False]
