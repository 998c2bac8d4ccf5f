"""A step costs what it touches, not what the store holds: counted, not timed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event

from forest_crawler.store import FetchedPage, Store, open_store
from tests.support.store_builders import article, candidate

SMALL, LARGE = 500, 8_000


def fill(path: Path, pages: int) -> Store:
    """Fill a store with pages of twenty sites: most archived or new, a few held."""
    store = open_store(f"sqlite:///{path}/{pages}.db")
    names = [(f"{i % 20}.example", str(i)) for i in range(pages)]
    with store.batch():
        store.begin_run()
        store.schedule([candidate(name, site) for site, name in names])
        keys = [lease.key for lease in store.lease(pages // 2)]
        store.hold([FetchedPage(key, b"<p>Rain</p>") for key in keys])
        store.archive([article(key) for key in keys[:-20]])
    return store


@pytest.fixture(scope="module")
def stores(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Store]]:
    path = tmp_path_factory.mktemp("growth")
    with fill(path, SMALL) as small, fill(path, LARGE) as large:
        yield {SMALL: small, LARGE: large}


def lease_and_retry(store: Store) -> None:
    with store.batch():
        for lease in store.lease(16, per_site=2):
            store.retry(lease.key, "again", 0.0)


# With this many keys SQLite used to scan all pages in the requested states.
CLOSED = [candidate(str(i), f"{i % 20}.example").key for i in range(100)]

STEPS: dict[str, Callable[[Store], object]] = {
    "lease": lease_and_retry,
    "schedule known pages": lambda s: s.schedule([candidate(str(i)) for i in range(50)]),
    "hold closed pages": lambda s: s.hold([FetchedPage(key, b"") for key in CLOSED]),
    "archive closed pages": lambda s: s.archive([article(key) for key in CLOSED]),
    "held pages": lambda s: s.held_pages("3.example", 10),
    "recent pages": lambda s: s.recent_pages("3.example", 10),
    "archived pages": lambda s: s.archived_pages("3.example", 10),
    "kept page": lambda s: s.kept_page(candidate("3", "3.example").key),
    "unexported": lambda s: s.unexported("f", 50),
    "newest articles": lambda s: s.articles(site="3.example", limit=10),
    "fit": lambda s: s.record_fits({"3.example": [True]}),
}


@pytest.mark.parametrize("step", STEPS.values(), ids=STEPS)
def test_a_step_costs_the_same_in_a_store_sixteen_times_as_large(
    stores: dict[int, Store], step: Callable[[Store], object]
) -> None:
    small, large = (count_work(step, stores[pages]) for pages in (SMALL, LARGE))
    assert 0 < large < 1.5 * small  # a scan of all pages would cost sixteen times as much


def test_a_batch_commits_once(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/s.db") as store:
        assert count_commits(record_one_by_one, store) == 20
        assert count_commits(record_in_batch, store) == 1


def record_one_by_one(store: Store) -> None:
    for _ in range(20):
        store.record_fits({"a": [True]})


def record_in_batch(store: Store) -> None:
    with store.batch():
        record_one_by_one(store)


def count_work(step: Callable[[Store], object], store: Store) -> int:
    """Count SQLite's instructions, in tens: the same on every machine."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0  # go on

    def watch(connection: Connection, *_: object) -> None:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.set_progress_handler(count, 10)

    event.listen(Engine, "before_cursor_execute", watch)
    try:
        step(store)
    finally:
        event.remove(Engine, "before_cursor_execute", watch)
    return counted


def count_commits(step: Callable[[Store], object], store: Store) -> int:
    commits: list[Connection] = []
    append = commits.append  # one object: `remove` compares identity
    event.listen(Engine, "commit", append)
    try:
        step(store)
    finally:
        event.remove(Engine, "commit", append)
    return len(commits)
