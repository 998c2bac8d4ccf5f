"""Settings of all tests, and the databases of the store's tests."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from forest_crawler.store import Store, open_store
from tests.support.store_builders import FakeClock

# A busy machine must not fail a property; tests/support/growth.py tests how time grows.
settings.register_profile("forest", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("forest")

TESTS = Path(__file__).parent

SLOWEST = (
    "spark/test_spark.py",
    "crawl/test_stops.py",
    "crawl/test_kills.py",
    "crawl/test_limits.py",
    "store/test_crashes.py",
    "studio/test_studio_browser.py",
    "crawl/test_postgres.py",
    "batch/test_batch.py",
    "crawl/test_crawl_workers.py",
    "crawl/test_source_polls.py",
    "crawl/test_parts.py",
    "crawl/test_workers.py",
    "evaluation/test_runner.py",
    "test_documents.py",
    "fetching/test_foreign_project.py",
    "crawl/test_join.py",
    "test_wheel.py",
    "crawl/test_crawl.py",
)
"""Files that run first, so that no worker starts one of them when the others are done."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Move the slowest files to the front; keep the order within a file."""
    ranks = {TESTS / name: number for number, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: ranks.get(item.path, len(SLOWEST)))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Start a PostgreSQL server, or skip if none is installed; its URL."""
    from tests.support import postgres_server as postgres

    programs = postgres.find_server_programs()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("no PostgreSQL server or psycopg here: apt-get install postgresql")
    with postgres.run_server(programs) as url:
        yield url


@pytest.fixture
def postgres_schema(postgres_server: str) -> Iterator[str]:
    """Make an empty store on a PostgreSQL server; its URL."""
    from tests.support import postgres_server as postgres

    with postgres.new_schema(postgres_server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Make an empty store on each kind of database; its URL."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    url: str = request.getfixturevalue("postgres_schema")
    return url


@pytest.fixture
def clock() -> FakeClock:
    """A clock that shows the time that a test sets."""
    return FakeClock()


@pytest.fixture
def store(store_url: str, clock: FakeClock) -> Iterator[Store]:
    """An empty store whose clock only moves when a test moves it."""
    with open_store(store_url, now=clock) as opened:
        yield opened
