"""The benchmark of leases measures stores as `Store.schedule` fills them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select

from benchmarks.leases import fill
from forest_crawler.store import Store, open_store
from forest_crawler.store.schema import frontier, sites
from tests.support.store_builders import FakeClock, schedule


def content(store: Store) -> list[list[tuple[Any, ...]]]:
    with store._database.reading() as connection:
        return [
            sorted((tuple(row[1:]) for row in connection.execute(select(table))), key=str)
            for table in (frontier, sites)
        ]


def test_filled_rows_are_those_that_are_scheduled(
    store_url: str, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("benchmarks.leases.time.time", clock)
    with open_store(store_url, now=clock) as filled, open_store("sqlite://", now=clock) as other:
        fill(filled, 2)
        for site in ("site-0.example", "site-1.example"):
            schedule(other, "12", site)
        assert content(filled) == content(other)
