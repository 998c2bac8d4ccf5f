"""A crawl that is stopped, or whose store fails it, ends soon, says so by its exit code, and loses
nothing."""

from __future__ import annotations

import resource
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.crawl_process import QUICK, Crawl
from tests.fault_process import FaultServer, running_server

STALLED = "127.60.0.1"
HEALTHY = "127.60.0.2"
PAGES = 12
STALLS = {f"/article/{n}": "/fault/stall" for n in range(1, PAGES + 1)}
LARGEST_FILE = 200_000
"""Bytes a file may have where the disk is said to be full: the store fits, its pages do not."""


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}, STALLED: {"routes": STALLS}})
        yield running


def start(crawl: Crawl, set_up: Callable[[], None] | None = None) -> subprocess.Popen[str]:
    return subprocess.Popen(
        crawl.command(),
        cwd=Path(__file__).parent.parent,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=set_up,
    )


def wait_for(server: FaultServer, site: str, part: str) -> None:
    end = time.monotonic() + 60
    while not any(part in path for path in server.paths(site)):
        assert time.monotonic() < end, "the crawl asks for nothing"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_signal_ends_a_crawl_within_ten_seconds_though_its_sites_stall(
    server: FaultServer, tmp_path: Path, number: signal.Signals
) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"), server.url(HEALTHY, "/feed.xml")))
    process = start(crawl)
    wait_for(server, STALLED, "/article/")
    began = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - began < 10
    assert process.returncode == 130, said
    assert "the next run goes on from here" in said
    assert "Traceback" not in said
    crawl.articles()  # whole lines


def test_second_ctrl_c_ends_a_crawl_at_once(server: FaultServer, tmp_path: Path) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),))
    process = start(crawl)
    wait_for(server, STALLED, "/article/")
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert time.monotonic() - began < 4
    assert process.returncode == 130, said


def fill_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))


def test_full_disk_ends_a_crawl_with_its_own_code_and_the_next_run_has_everything(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.61.0.{n}" for n in range(1, 6)]
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in sites))
    process = start(crawl, fill_disk)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 4, said
    assert str(tmp_path) in said
    assert "Traceback" not in said
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == 5 * PAGES


def test_full_disk_ends_a_crawl_within_ten_seconds_though_its_sites_stall(
    server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    slow = [f"127.61.1.{n}" for n in range(1, 6)]
    server.plan({site: {"delay": 0.2} for site in slow})  # the others are asked for meanwhile
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in (STALLED, *slow)))
    process = start(crawl, fill_disk)
    assert process.stderr is not None
    said = process.stderr.readline()
    began = time.monotonic()
    said += process.communicate(timeout=60)[1]
    assert time.monotonic() - began < 10
    assert process.returncode == 4, said
    assert str(tmp_path) in said
    assert "Traceback" not in said
    assert any("/article/" in path for path in server.paths(STALLED))
    server.plan({STALLED: {"routes": {}}})
    try:
        again = crawl.run("--now")
    finally:
        server.plan({STALLED: {"routes": STALLS}})
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == 6 * PAGES


def test_store_in_use_is_refused_by_name_and_left_alone(
    server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),), (*QUICK, "-q"))
    process = start(crawl)
    try:
        wait_for(server, STALLED, "/article/")
        second = crawl.run()
    finally:
        process.kill()
        process.communicate()
    assert second.returncode == 4
    assert "forest.db" in second.stderr
    assert "Traceback" not in second.stderr


def limit_descriptors(number: int, most: int | None = None) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, most or number))


def test_crawl_of_more_sites_than_files_may_be_open_archives_them_all(
    server: FaultServer, tmp_path: Path
) -> None:
    # Each site leaves a connection open; the crawl needs 2 * 4 for its requests, 64 for the rest.
    sites = [f"127.62.{n}.1" for n in range(1, 151)]
    links = "".join(f"<item><link>{server.url(site, '/article/1')}</link></item>" for site in sites)
    feed = quote(f"<rss><channel><title>All</title>{links}</channel></rss>")
    server.plan({sites[0]: {"routes": {"/feed.xml": f"/fault/text?body={feed}"}}})
    crawl = Crawl(
        tmp_path,
        (server.url(sites[0], "/feed.xml"),),
        (*QUICK, "-q", "-s", "CONCURRENT_REQUESTS=4"),
    )
    process = start(crawl, partial(limit_descriptors, 80))
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said) == (0, "")
    assert len(crawl.articles()) == len(sites)


def test_crawl_that_may_open_too_few_files_says_so_before_it_begins(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = Crawl(tmp_path, (server.url("127.61.2.1", "/feed.xml"),))
    process = start(crawl, partial(limit_descriptors, 100))
    _, said = process.communicate(timeout=60)
    assert process.returncode == 4
    assert "100 files may be open at a time, and 192 are needed" in said
    assert "Traceback" not in said
    assert server.paths("127.61.2.1") == []
    raised = start(crawl, partial(limit_descriptors, 100, 400))  # by the crawl itself
    _, said = raised.communicate(timeout=60)
    assert raised.returncode == 0, said
    assert len(crawl.articles()) == PAGES


def test_store_that_another_program_has_locked_for_too_long_ends_a_crawl_and_loses_nothing(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = slow_crawl(server, tmp_path, "127.61.3.1")
    process = crawl.start("--store", f"{crawl.store}?timeout=0.5")
    with locked_store(server, crawl, "127.61.3.1"):
        _, said = process.communicate(timeout=20)
    assert process.returncode == 4, said
    assert "forest.db: database is locked" in said
    assert "Traceback" not in said
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == PAGES


def test_store_that_another_program_has_locked_for_a_while_is_waited_for(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = slow_crawl(server, tmp_path, "127.61.3.2")
    process = crawl.start("-q")
    with locked_store(server, crawl, "127.61.3.2"):
        time.sleep(1)
        assert process.poll() is None
        assert len(crawl.articles()) < PAGES
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (0, "")
    assert len(crawl.articles()) == PAGES


def slow_crawl(server: FaultServer, directory: Path, site: str) -> Crawl:
    """A crawl that asks for its pages two at a time, so that it can be met in the middle."""
    server.plan({site: {"delay": 0.2}})
    options = (*QUICK, "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=2")
    return Crawl(directory, (server.url(site, "/feed.xml"),), options)


@contextmanager
def locked_store(server: FaultServer, crawl: Crawl, site: str) -> Iterator[None]:
    """Another program writes to the store, from when the crawl has asked for a page."""
    wait_for(server, site, "/article/")
    with closing(sqlite3.connect(crawl.directory / "forest.db", timeout=30)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.rollback()
