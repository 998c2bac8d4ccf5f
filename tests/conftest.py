"""Settings of all tests, and the databases that the store's tests run on."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from forest_crawler.store import Store, open_store
from tests.support.store_builders import FakeClock

# A busy machine must not fail a property: how long things take is tested by growth, not by clock.
settings.register_profile("forest", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("forest")

SLOWEST = (
    *(
        "crawl/test_kills.py",
        "crawl/test_stops.py",
        "crawl/test_limits.py",
        "extraction/test_methods.py",
    ),
    *(
        "crawl/test_crawl_workers.py",
        "crawl/test_crawl.py",
        "test_linear_growth.py",
        "crawl/test_parts.py",
        "fetching/test_foreign_project.py",
    ),
)
"""Files that are begun with, so that no worker has one of them left when the others are done."""


def _short_name(path: Path) -> str:
    return path.relative_to(Path(__file__).parent).as_posix() if "tests" in path.parts else ""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files; within one, everything stays as it is."""
    ranks = {name: number for number, name in enumerate(SLOWEST)}
    items.sort(key=lambda item: ranks.get(_short_name(item.path), len(SLOWEST)))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a running PostgreSQL server; skips where none is installed."""
    from tests.support import postgres_server as postgres

    programs = postgres.find_server_programs()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        pytest.skip("no PostgreSQL server or psycopg here: apt-get install postgresql")
    with postgres.run_server(programs) as url:
        yield url


@pytest.fixture
def postgres_schema(postgres_server: str) -> Iterator[str]:
    """The address of an empty store on a PostgreSQL server."""
    from tests.support import postgres_server as postgres

    with postgres.new_schema(postgres_server) as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store, once on each kind of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    url: str = request.getfixturevalue("postgres_schema")
    return url


@pytest.fixture
def clock() -> FakeClock:
    """The time as a test says it is."""
    return FakeClock()


@pytest.fixture
def store(store_url: str, clock: FakeClock) -> Iterator[Store]:
    """An empty store whose clock stands still."""
    with open_store(store_url, now=clock) as opened:
        yield opened
