"""Several processes crawl into one store: they share the work, also through kills and stops."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.cli import main
from forest_crawler.store import read_store
from tests.support.fault_process import FaultServer, running_server
from tests.support.joined_crawls import (
    agent,
    gap_between_processes,
    joined_crawls,
    mean_gap,
    shares,
    wanted_urls,
)
from tests.support.waiting import wait_until

SITES = [f"127.95.0.{n}" for n in range(1, 21)]
PAGES, DELAY, LEASE = 3, 0.1, 3.0
OPTIONS = (
    *("--delay", str(DELAY), "-s", "CONCURRENT_REQUESTS=4"),
    *("-s", f"FOREST_LEASE_SECONDS={LEASE}"),
)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}})
        yield running


def children(pid: int) -> set[int]:
    """Return the processes that a process has started, and those that they have."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except (FileNotFoundError, ProcessLookupError):  # gone, perhaps while it is read
        return set()
    direct = {int(child) for child in found}
    return direct.union(*(children(child) for child in direct))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_processes_share_the_work_though_one_is_killed_and_one_is_stopped(
    server: FaultServer, postgres_schema: str, tmp_path: Path
) -> None:
    feeds = [server.url(site, "/feed.xml") for site in SITES]
    with joined_crawls(tmp_path, postgres_schema, feeds, OPTIONS) as crawls:
        killed, stopped, other = (crawls.start() for _ in range(3))

        def fetched(name: str) -> int:
            return shares(server.log()).get(name, 0)

        wait_until(lambda: min(map(fetched, crawls.processes)) > 1, "all take part")
        workers = children(crawls.processes[killed].pid)
        assert workers
        crawls.kill(killed)
        crawls.send(stopped, signal.SIGSTOP)
        before = {agent(hit) for hit in server.log()}
        assert before == {killed, stopped, other}
        assert crawls.processes[other].wait(180) == 0  # it waits for what the others had
        crawls.send(stopped, signal.SIGCONT)
        assert crawls.wait() == {stopped: 0, other: 0}
        assert "others have taken its sites over" in crawls.log(stopped)
        assert crawls.archived() == wanted_urls(server, SITES, PAGES)
        pages = [hit for hit in server.log() if hit.path != "/robots.txt"]
        assert gap_between_processes(pages) > DELAY
        assert mean_gap(pages) > DELAY / 2
        repeated = sum(shares(pages).values()) - len(SITES) * PAGES
        assert repeated <= 2 * 4  # what two processes had in flight
        wait_until(lambda: not any(map(is_running, workers)), "the workers end, too")
    with read_store(postgres_schema) as store:
        assert (store.count_leased(), store.live_runs()) == ((0, 0), [])
        assert store.account()["pending"] == 0


def test_joining_needs_a_server(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = f"sqlite:///{tmp_path}/forest.db"
    arguments = ["crawl", "https://gazette.example/feed", "--join", "--store", store]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert "only a store in PostgreSQL" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
