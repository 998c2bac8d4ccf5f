"""While `forest crawl --watch` runs, commands that only read a store work beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.errors import InputError, StoreError
from forest_crawler.store import locks, open_store, read_store, upgrades
from tests.support.crawl_process import Crawl, stop
from tests.support.fault_process import running_server
from tests.support.store_builders import schedule
from tests.support.waiting import wait_until

SITE = "127.62.0.1"
READING = {
    "check": ["check"],
    "duplicates": ["duplicates"],
    "feed": ["feed", SITE],
    "sources": ["sources"],
    "status": ["status"],
    "tree": ["tree"],
    "wrappers-export": ["wrappers", "export"],
    "wrappers-list": ["wrappers", "list", "--json"],
    "wrappers-show": ["wrappers", "show", SITE],
}
WRITING = {
    "import": ["wrappers", "import", "rules.json"],
    "pin": ["wrappers", "pin", SITE, "--number", "1"],
    "rm": ["wrappers", "rm", SITE],
}


@pytest.fixture(scope="module")
def postgres_store(postgres_server: str) -> Iterator[str]:
    from tests.support.postgres_server import new_schema

    with new_schema(postgres_server) as url:
        yield url


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def watched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, str]]:
    """Run a crawl that keeps watching; the URLs of its store and of a page."""
    directory: Path = tmp_path_factory.mktemp("watched")
    url = f"sqlite:///{directory}/forest.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_store")
    with running_server() as server:
        server.plan({SITE: {"pages": 5}})
        crawl = Crawl(directory, (server.url(SITE, "/feed.xml"),))
        process = crawl.start("--watch", "--store", url)
        try:
            wait_until(lambda: len(crawl.articles()) == 5, "five articles")
            yield url, server.url(SITE, "/article/3")
        finally:
            stderr = stop(process)
    assert process.returncode == 130, stderr


def invoke(arguments: list[str], url: str) -> Result:
    return CliRunner().invoke(main, [*arguments, "--store", url])


@pytest.mark.parametrize("name", READING)
def test_store_can_be_read_while_a_crawl_watches(watched: tuple[str, str], name: str) -> None:
    url, page = watched
    result = invoke([*READING[name], *([page] if name == "tree" else [])], url)
    assert result.exit_code == 0, result.output
    assert SITE in result.output or name in ("duplicates", "status", "tree")


@pytest.mark.parametrize("name", WRITING)
def test_change_of_a_store_that_a_crawl_uses_is_refused_and_told_why(
    watched: tuple[str, str], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_SERVER_GRACE", 0.1)
    result = invoke(WRITING[name], watched[0])
    assert result.exit_code == 4, result.output
    (line,) = result.stderr.splitlines()
    assert "in use by " in line
    assert "; wait until it ends, or use another store" in line


def test_reader_sees_what_is_written_meanwhile_and_writes_nothing(store_url: str) -> None:
    with open_store(store_url) as writer, read_store(store_url) as reader:
        assert reader.account()["scheduled"] == 0
        schedule(writer, "ab")
        assert reader.account()["scheduled"] == 2
        for _ in range(2):
            with pytest.raises(StoreError, match=r"(?i)read-?only"):
                schedule(reader, "c")
        schedule(writer, "c")
        assert reader.account()["scheduled"] == 3


def test_reader_does_not_wait_for_a_writer(store_url: str) -> None:
    with open_store(store_url) as writer, read_store(store_url) as reader, writer.batch():
        schedule(writer, "ab")
        assert reader.account()["scheduled"] == 0


def test_database_without_tables_is_not_a_store(postgres_schema: str) -> None:
    with pytest.raises(InputError, match="no such store; `forest crawl` makes one"):
        read_store(postgres_schema)


def test_older_store_is_upgraded_before_it_is_read_unless_a_crawl_uses_it(
    store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locks, "_SERVER_GRACE", 0.1)
    with open_store(store_url) as store:
        schedule(store, "ab")
        raise_version(monkeypatch)
        with pytest.raises(StoreError, match="in use by"):
            read_store(store_url)
    with read_store(store_url) as reader:
        assert reader.account()["scheduled"] == 2


def raise_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise this program's version of the tables, by an upgrade that changes nothing."""
    monkeypatch.setattr(upgrades, "UPGRADES", (*upgrades.UPGRADES, lambda connection: None))
    monkeypatch.setattr(upgrades, "VERSION", upgrades.VERSION + 1)
