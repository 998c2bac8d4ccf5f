"""Killed workers cost a crawl nothing, unless they are killed again and again.

It then ends with an exit code of its own, and loses nothing.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.crawl.workers import MAX_LOSSES
from forest_crawler.store import open_store
from tests.support.crawl_process import NO_TIMEOUT, QUICK, Crawl, ids, read_to_end
from tests.support.doomed_workers import doom_workers
from tests.support.fault_process import FaultServer, running_server
from tests.support.waiting import wait_until

PAGES = 12
STALLED = "127.63.0.9"
STALLS = {f"/article/{n}": "/fault/stall" for n in range(1, PAGES + 1)}
LOST = "worker processes cannot be started or are killed"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}, STALLED: {"routes": STALLS}})
        yield running


def children(process: int) -> list[int]:
    try:
        return list(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    except OSError:  # gone meanwhile
        return []


def worker_processes(crawl: int) -> list[int]:
    """Return the workers of a crawl: the children of its fork server."""
    found = []
    for child in children(crawl):
        with suppress(OSError):
            if b"forkserver" in Path(f"/proc/{child}/cmdline").read_bytes():
                found += children(child)
    return found


def kill_workers(crawl: int) -> int:
    found = worker_processes(crawl)
    for worker in found:
        with suppress(ProcessLookupError):
            os.kill(worker, signal.SIGKILL)
    return len(found)


@contextmanager
def killed_workers(crawl: int, sign: Path) -> Iterator[None]:
    """Kill every worker, and each new one before its first job (see `doom_workers`)."""
    sign.touch()
    end = Event()

    def kill() -> None:
        while not end.wait(0.001):
            kill_workers(crawl)

    killer = Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        end.set()
        killer.join()
        sign.unlink()


def check_second_run(crawl: Crawl, articles: int) -> None:
    """Check that nothing is lost, no source has failed, and none needs `--now`."""
    with open_store(crawl.store) as store:
        assert store.account()["failed"] == {}
        assert [source.url for source in store.sources() if source.is_failing] == []
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len(set(ids(crawl.articles()))) == articles, again.stderr


def check_all_killed(crawl: Crawl) -> None:
    """Run a crawl whose workers are all killed: it reports that once, and ends."""
    sign = crawl.directory / "killed"
    sign.touch()  # before the first worker
    process = crawl.start(prelude=doom_workers(sign))
    with killed_workers(process.pid, sign):
        stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert stderr.count(LOST) == 1
    assert "Traceback" not in stderr


def test_crawl_whose_workers_are_all_killed_reports_that_and_blames_no_feed(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.63.1.{n}" for n in range(1, 4)]
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in sites))
    check_all_killed(crawl)
    check_second_run(crawl, 3 * PAGES)


def test_crawl_whose_workers_are_killed_in_the_middle_ends_though_a_site_stalls_and_loses_nothing(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.63.2.{n}" for n in range(1, 4)]
    feeds = [server.url(site, "/feed.xml") for site in (STALLED, *sites)]
    crawl = Crawl(tmp_path, tuple(feeds))
    sign = tmp_path / "killed"
    process = crawl.start(*NO_TIMEOUT, prelude=doom_workers(sign))
    for site in (STALLED, *sites):
        server.wait_for(site, "/article/")
    with killed_workers(process.pid, sign):
        stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert stderr.count(LOST) == 1
    assert "Traceback" not in stderr
    server.plan({STALLED: {"routes": {}}})
    check_second_run(crawl, 4 * PAGES)


def test_workers_that_are_killed_now_and_then_cost_no_article(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.63.3.{n}" for n in range(1, 6)]
    server.plan({site: {"delay": 0.2, "pages": 4 * PAGES} for site in sites})
    server.clear()
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in sites), (*QUICK, "-q"))
    process = crawl.start()
    for site in sites:  # its feed is read: one whose worker is killed twice would be to blame
        server.wait_for(site, "/article/")
    for kill in range(1, MAX_LOSSES + 1):  # as many as a crawl survives in a row
        server.wait_for_requests((kill + 1) * 2 * PAGES, "/article/")
        wait_until(lambda: kill_workers(process.pid), "there is a worker to be killed")
    stderr = read_to_end(process)
    assert (process.returncode, stderr) == (0, "")
    assert len(crawl.articles()) == len(set(ids(crawl.articles()))) == 5 * 4 * PAGES


def test_warc_whose_feed_no_worker_could_read_is_read_by_the_next_run(
    server: FaultServer, tmp_path: Path
) -> None:
    kept = Crawl(tmp_path, (server.url("127.63.4.1", "/feed.xml"),))
    assert kept.run("--warc", str(tmp_path / "warc")).returncode == 0
    (file,) = (tmp_path / "warc").iterdir()
    (tmp_path / "again").mkdir()
    crawl = Crawl(tmp_path / "again", ("--from-warc", str(file)), ("--workers", "1"))
    check_all_killed(crawl)
    check_second_run(crawl, PAGES)


@pytest.mark.parametrize("command", [["crawl"], []], ids=["crawl", "all commands"])
def test_help_lists_lost_workers_under_the_exit_code(command: list[str]) -> None:
    shown = CliRunner().invoke(main, [*command, "--help"]).output
    assert "4 store or disk trouble or lost workers, 130" in " ".join(shown.split())
