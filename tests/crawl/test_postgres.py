"""A crawl with a store on PostgreSQL is killed, and run again."""

from __future__ import annotations

import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine, pool, text

from forest_crawler.store import open_store
from forest_crawler.store.crash_points import VARIABLE
from tests.support.crawl_process import QUICK, Crawl, ids, read_to_end, stop
from tests.support.crawl_zygote import the_zygote
from tests.support.fault_process import FaultServer, running_server
from tests.support.waiting import wait_until

KILLED = -signal.SIGKILL
SITES = 3
PAGES = 8
WINDOW = 8


@dataclass(frozen=True, slots=True)
class PostgresCrawl(Crawl):
    """A crawl whose store is a database of a server."""

    url: str = ""

    @property
    def store(self) -> str:
        return self.url


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES, "delay": 0.05}})
        yield running


def crawl_of(server: FaultServer, directory: Path, url: str, network: int) -> PostgresCrawl:
    feeds = tuple(server.url(f"127.{network}.0.{n}", "/feed.xml") for n in range(1, SITES + 1))
    options = (*QUICK, "-q", "-s", f"CONCURRENT_REQUESTS={WINDOW}")
    return PostgresCrawl(directory, feeds, options, url)


def check_archive(crawl: Crawl, network: int) -> None:
    articles = crawl.articles()
    found = Counter((row["site"], int(row["url"].rpartition("/")[2])) for row in articles)
    sites = [f"127.{network}.0.{n}" for n in range(1, SITES + 1)]
    assert found == Counter((site, n) for site in sites for n in range(1, PAGES + 1))
    assert len(set(ids(articles))) == len(articles)
    with open_store(crawl.store) as store:
        account = store.account()
    assert account["archived"] == account["scheduled"] == len(articles)


@pytest.mark.parametrize(
    "point", ["batch-after-commit:4", "export-half-appended", "record-before-commit"]
)
def test_death_at_a_step_loses_and_repeats_nothing(
    server: FaultServer, postgres_schema: str, tmp_path: Path, point: str
) -> None:
    network = 80
    server.clear()
    crawl, log = crawl_of(server, tmp_path, postgres_schema, network), tmp_path / "log"
    argv = crawl.arguments()
    assert the_zygote().run(argv, log, env={VARIABLE: point}) == KILLED, log.read_text()
    assert the_zygote().run(argv, log, env={VARIABLE: ""}) == 0, log.read_text()
    check_archive(crawl, network)
    hits = Counter((hit.site, hit.path) for hit in server.log() if "/article/" in hit.path)
    assert hits.total() - len(hits) <= WINDOW


def test_death_in_the_middle_of_the_fetching_loses_and_repeats_nothing(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    network = 81
    server.clear()
    crawl = crawl_of(server, tmp_path, postgres_schema, network)
    process = crawl.start()
    server.wait_for_requests(PAGES, "/article/")
    process.kill()
    process.communicate()
    assert process.returncode == KILLED
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    check_archive(crawl, network)
    hits = Counter((hit.site, hit.path) for hit in server.log() if "/article/" in hit.path)
    assert hits.total() - len(hits) <= WINDOW


def hold_articles(server: FaultServer, network: int, *, holds: bool) -> None:
    """Let the sites of a network hold their article pages back, or send them."""
    sites = [f"127.{network}.0.{n}" for n in range(1, SITES + 1)]
    server.plan({site: {"holds_articles": holds} for site in sites})


def start_held(
    server: FaultServer, crawl: Crawl, network: int, *more: str
) -> subprocess.Popen[str]:
    """Start a crawl, and wait until it has requested a page; none arrives yet."""
    hold_articles(server, network, holds=True)
    process = crawl.start(*more)
    server.wait_for(f"127.{network}.0.1", "/article/")
    return process


def lock_timeout(url: str, limit: str) -> tuple[str, str]:
    """Return options for a crawl that waits no longer than `limit` for locked rows."""
    return "--store", url.replace("options=", f"options=-clock_timeout%3D{limit}%20")


@contextmanager
def locked_rows(server: FaultServer, url: str, network: int) -> Iterator[Engine]:
    """Lock every page of the store, as another program may; then let the pages arrive."""
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.connect() as other:
        assert other.execute(text("SELECT id FROM frontier FOR UPDATE")).all()
        hold_articles(server, network, holds=False)
        yield engine
        other.rollback()


def wait_for_waiting_crawl(engine: Engine) -> None:
    """Wait until a connection, which can be the crawl's only, waits for locked rows."""
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")

    def is_waiting() -> bool:
        with engine.connect() as observer:
            return bool(observer.scalar(waiting))

    wait_until(is_waiting, "the crawl waits for the locked rows")


def test_signal_ends_a_crawl_though_another_program_has_locked_its_rows(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    network = 82
    crawl = crawl_of(server, tmp_path, postgres_schema, network)
    process = start_held(server, crawl, network, *lock_timeout(postgres_schema, "3600s"))
    with locked_rows(server, postgres_schema, network) as engine:
        wait_for_waiting_crawl(engine)
        stderr = stop(process)
    assert process.returncode == 4, stderr
    assert stderr.count("another program uses the same rows") == 1
    assert "Traceback" not in stderr
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    check_archive(crawl, network)


def test_rows_that_another_program_has_locked_for_a_while_are_waited_for(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    network = 83
    crawl = crawl_of(server, tmp_path, postgres_schema, network)
    process = start_held(server, crawl, network)
    with locked_rows(server, postgres_schema, network) as engine:
        wait_for_waiting_crawl(engine)
        assert process.poll() is None
    stderr = read_to_end(process)
    assert (process.returncode, stderr) == (0, "")
    check_archive(crawl, network)


def test_rows_that_another_program_has_locked_for_too_long_end_a_crawl_and_nothing_is_lost(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    network = 84
    crawl = crawl_of(server, tmp_path, postgres_schema, network)
    process = start_held(server, crawl, network, *lock_timeout(postgres_schema, "500ms"))
    with locked_rows(server, postgres_schema, network):
        stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert "due to lock timeout; another program uses the same rows" in stderr
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    check_archive(crawl, network)


def test_crawl_goes_on_after_its_connection_was_lost(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    network = 85
    crawl = crawl_of(server, tmp_path, postgres_schema, network)
    process = start_held(server, crawl, network)
    engine = create_engine(postgres_schema, poolclass=pool.NullPool)
    with engine.begin() as connection:
        found = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
        connection.execute(text(found))
    hold_articles(server, network, holds=False)
    stderr = read_to_end(process)
    assert (process.returncode, "Traceback" in stderr) == (0, False), stderr
    check_archive(crawl, network)
