"""A crawl that is stopped, or whose store is in use, ends soon and loses nothing.

Its exit code says why.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from forest_crawler.crawl.pool_start import MAX_STOP
from forest_crawler.crawl.session import LOCK_GRACE
from forest_crawler.pipelines.forest import STOP_CHECK, STOP_GRACE
from tests.support.crawl_process import NO_TIMEOUT, QUICK, Crawl, read_to_end, read_until, stop
from tests.support.fault_process import FaultServer, running_server
from tests.support.waiting import HANG

STALLED = "127.60.0.1"
HEALTHY = "127.60.0.2"
PAGES = 12
STALLS = {f"/article/{n}": "/fault/stall" for n in range(1, PAGES + 1)}


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}, STALLED: {"routes": STALLS}})
        yield running


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["SIGTERM", "Ctrl-C"])
def test_signal_ends_a_crawl_though_its_sites_stall(
    server: FaultServer, tmp_path: Path, number: signal.Signals
) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"), server.url(HEALTHY, "/feed.xml")))
    process = crawl.start(*NO_TIMEOUT)
    server.wait_for(STALLED, "/article/")
    stderr = stop(process, number)
    assert process.returncode == 130, stderr
    assert "the next run continues from here" in stderr
    assert "Traceback" not in stderr
    crawl.articles()  # whole lines


def test_second_ctrl_c_ends_a_crawl_at_once(server: FaultServer, tmp_path: Path) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),))
    grace = "from forest_crawler.pipelines import forest\nforest.STOP_GRACE = 3600"
    process = crawl.start(*NO_TIMEOUT, "-v", prelude=grace)
    server.wait_for(STALLED, "/article/")
    process.send_signal(signal.SIGINT)
    read_until(process, "Received SIGINT")
    stderr = stop(process, signal.SIGINT)
    assert process.returncode == 130, stderr
    assert "in use" not in stderr
    assert stderr.endswith("forest: interrupted; the next run continues from here\n")


def test_second_ctrl_c_during_a_slow_close_is_an_interruption(
    server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    slow = (
        "import time\nfrom forest_crawler.crawl.session import CrawlSession\n"
        "end = CrawlSession._end_run\n"
        "def end_slowly(self, store):\n    print('closing', flush=True)\n    time.sleep(2)\n"
        "    end(self, store)\n"
        "CrawlSession._end_run = end_slowly"
    )
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),))
    prelude = f"import sys\nsys.stdout = sys.stderr\n{slow}"
    process = crawl.start(*NO_TIMEOUT, prelude=prelude)
    server.wait_for(STALLED, "/article/")
    process.send_signal(signal.SIGINT)
    read_until(process, "closing")
    stderr = stop(process, signal.SIGINT)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert "in use" not in stderr


def test_sigterm_to_the_whole_process_group_is_an_interruption(
    server: FaultServer, tmp_path: Path
) -> None:
    # As systemd sends it; without their fork server, the workers would count as lost.
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),))
    process = crawl.start(*NO_TIMEOUT)
    server.wait_for(STALLED, "/article/")
    os.killpg(process.pid, signal.SIGTERM)
    stderr = read_to_end(process)
    assert process.returncode == 130, stderr
    assert "Traceback" not in stderr
    assert stderr.endswith("forest: interrupted; the next run continues from here\n")


INTERRUPT = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {!r}:
            os.killpg(0, signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize("module", ["click", "lxml", "forest_crawler.cli._crawl_run"])
def test_ctrl_c_while_modules_are_imported_is_one_line(tmp_path: Path, module: str) -> None:
    # The whole process group gets it, as from a terminal: the fork server imports, too.
    crawl = Crawl(tmp_path, ("http://127.0.0.1:1/",))
    process = crawl.start(prelude=INTERRUPT.format(module))
    stderr = read_to_end(process)
    assert (process.returncode, stderr) == (130, "forest: interrupted\n")


def test_crawl_has_less_than_ten_seconds_between_a_signal_and_its_end() -> None:
    assert STOP_CHECK + max(STOP_GRACE, LOCK_GRACE) + MAX_STOP < 10


def test_store_in_use_is_refused_by_name_and_left_alone(
    server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),), (*QUICK, "-q"))
    process = crawl.start()
    try:
        server.wait_for(STALLED, "/article/")
        second = crawl.run()
    finally:
        process.kill()
        process.communicate()
    assert second.returncode == 4
    assert "forest.db" in second.stderr
    assert "Traceback" not in second.stderr


def test_output_of_a_running_crawl_is_refused_to_one_with_another_store(
    server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    crawl = Crawl(tmp_path, (server.url(STALLED, "/feed.xml"),), (*QUICK, "-q"))
    process = crawl.start()
    try:
        server.wait_for(STALLED, "/article/")
        second = crawl.run("--store", f"sqlite:///{tmp_path}/second.db")
    finally:
        process.kill()
        process.communicate()
    assert second.returncode == 4
    assert second.stderr.splitlines() == [
        f"forest: {crawl.output}: in use by another crawl; wait until it ends, or choose another -o"
    ]


def check_locked_out(crawl: Crawl, stderr: str) -> None:
    """Check that the lock is reported once, and the next run archives everything."""
    assert stderr.count("forest.db: database is locked") == 1
    assert "Traceback" not in stderr
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == PAGES


def test_store_that_another_program_has_locked_for_too_long_ends_a_crawl_and_loses_nothing(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = held_crawl(server, tmp_path, "127.61.3.1")
    process = crawl.start("--store", f"{crawl.store}?timeout=0.5")
    with locked_store(server, crawl, "127.61.3.1"):
        stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    check_locked_out(crawl, stderr)


def test_signal_ends_a_crawl_though_another_program_has_locked_its_store(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = held_crawl(server, tmp_path, "127.61.3.3")
    process = crawl.start("--store", f"{crawl.store}?timeout=3600")
    with locked_store(server, crawl, "127.61.3.3"):
        time.sleep(1)  # pages arrive that must be written
        stderr = stop(process)
    assert process.returncode == 4, stderr
    check_locked_out(crawl, stderr)


def test_store_that_another_program_has_locked_for_a_while_is_waited_for(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = held_crawl(server, tmp_path, "127.61.3.2")
    process = crawl.start("-q")
    with locked_store(server, crawl, "127.61.3.2"):
        time.sleep(1)
        assert process.poll() is None
        assert len(crawl.articles()) < PAGES
    stderr = read_to_end(process)
    assert (process.returncode, stderr) == (0, "")
    assert len(crawl.articles()) == PAGES


def test_directory_that_is_removed_during_a_crawl_ends_it_with_one_line(
    server: FaultServer, tmp_path: Path
) -> None:
    (tmp_path / "crawl").mkdir()
    crawl = held_crawl(server, tmp_path / "crawl", "127.61.3.4")
    process = crawl.start("-q")
    server.wait_for("127.61.3.4", "/article/")
    shutil.rmtree(crawl.directory)
    server.plan({"127.61.3.4": {"holds_articles": False}})
    stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    (line,) = stderr.splitlines()
    assert "was removed or replaced during this run" in line
    assert not crawl.directory.exists()


def held_crawl(server: FaultServer, directory: Path, site: str) -> Crawl:
    """Return a crawl of a site that holds its article pages back."""
    server.plan({site: {"holds_articles": True}})
    return Crawl(directory, (server.url(site, "/feed.xml"),))


@contextmanager
def locked_store(server: FaultServer, crawl: Crawl, site: str) -> Iterator[None]:
    """Lock the store, as another program may, between a page's request and its arrival."""
    server.wait_for(site, "/article/")
    with closing(sqlite3.connect(crawl.directory / "forest.db", timeout=HANG)) as other:
        other.execute("BEGIN IMMEDIATE")
        server.plan({site: {"holds_articles": False}})
        yield
        other.rollback()
