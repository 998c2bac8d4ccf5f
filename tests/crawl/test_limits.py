"""A crawl that lacks disk or descriptors says so and loses nothing.

With just enough of both it works.
"""

from __future__ import annotations

import ctypes
import os
import resource
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.support.crawl_process import NO_TIMEOUT, QUICK, Crawl, read_to_end
from tests.support.fault_process import FaultServer, running_server

STALLED = "127.61.1.9"
PAGES = 12
STALLS = {f"/article/{n}": "/fault/stall" for n in range(1, PAGES + 1)}
DROP_RIGHT, WRITE_ANYWHERE = 24, 1
"""PR_CAPBSET_DROP and CAP_DAC_OVERRIDE, as Linux numbers them."""
MAX_FILE = 200_000
"""Max bytes of a file on a disk that counts as full: the store fits, its pages don't."""


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}, STALLED: {"routes": STALLS}})
        yield running


def fill_disk() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE, MAX_FILE))


def test_full_disk_ends_a_crawl_with_its_own_code_and_the_next_run_has_everything(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.61.0.{n}" for n in range(1, 6)]
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in sites))
    process = crawl.start(set_up=fill_disk)
    stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert str(tmp_path) in stderr
    assert "Traceback" not in stderr
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == 5 * PAGES


def test_full_disk_ends_a_crawl_though_its_sites_stall(server: FaultServer, tmp_path: Path) -> None:
    others = [f"127.61.1.{n}" for n in range(1, 6)]
    server.plan({site: {"holds_articles": True} for site in others})
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in (STALLED, *others)))
    # Room for all pages of the others in flight, and for one of the stalled site.
    process = crawl.start(*NO_TIMEOUT, "-s", "CONCURRENT_REQUESTS=128")
    server.wait_for(STALLED, "/article/")
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (0, 0))  # no file may grow any more
    server.plan({site: {"holds_articles": False} for site in others})
    stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert str(tmp_path) in stderr
    assert "Traceback" not in stderr
    server.plan({STALLED: {"routes": {}}})
    again = crawl.run("--now")
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == len({a["id"] for a in crawl.articles()}) == 6 * PAGES


def limit_descriptors(number: int, hard: int | None = None) -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (number, hard or number))


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
    process = crawl.start(set_up=partial(limit_descriptors, 80))
    stderr = read_to_end(process)
    assert (process.returncode, stderr) == (0, "")
    assert len(crawl.articles()) == len(sites)


def test_crawl_that_may_open_too_few_files_reports_that_before_it_begins(
    server: FaultServer, tmp_path: Path
) -> None:
    crawl = Crawl(tmp_path, (server.url("127.61.2.1", "/feed.xml"),))
    process = crawl.start(set_up=partial(limit_descriptors, 100))
    stderr = read_to_end(process)
    assert process.returncode == 4
    assert "100 files may be open at a time, and 192 are needed" in stderr
    assert "CONCURRENT_REQUESTS to 18 at most" in stderr  # 2 * 18 + 64 = 100
    assert "Traceback" not in stderr
    assert server.paths("127.61.2.1") == []
    raised = crawl.start(set_up=partial(limit_descriptors, 100, 400))  # by the crawl itself
    stderr = read_to_end(raised)
    assert raised.returncode == 0, stderr
    assert len(crawl.articles()) == PAGES


def obey_permissions() -> None:
    """Give up root's right to write to any directory."""
    if os.geteuid() == 0 and ctypes.CDLL(None).prctl(DROP_RIGHT, WRITE_ANYWHERE, 0, 0, 0):
        raise OSError("root does not give up its rights")


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--store", "sqlite:///{}/forest.db"),
        ("--output", "{}/articles.jsonl"),
        ("--warc", "{}"),
    ],
    ids=["store", "output", "WARC"],
)
def test_unwritable_directory_is_reported_before_anything_is_fetched(
    server: FaultServer, tmp_path: Path, option: str, value: str
) -> None:
    site = "127.61.4.1"
    server.clear()
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o555)
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),))
    process = crawl.start(option, value.format(closed), set_up=obey_permissions)
    stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert stderr.count("\n") == 1
    assert f"forest: {closed}" in stderr
    assert "Permission denied" in stderr
    assert "make it" in stderr
    assert server.paths(site) == []
    assert list(closed.iterdir()) == []
    again = crawl.run()
    assert again.returncode == 0, again.stderr
    assert len(crawl.articles()) == PAGES


def test_archive_in_a_directory_that_became_unwritable_is_left_as_it_is(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.61.4.2"
    server.plan({site: {"pages": 5}})
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),))
    assert crawl.run().returncode == 0
    files = [tmp_path / "forest.db", crawl.output]
    before = [path.read_bytes() for path in files]
    server.plan({site: {"pages": PAGES}})
    tmp_path.chmod(0o555)
    process = crawl.start("--now", set_up=obey_permissions)
    stderr = read_to_end(process)
    tmp_path.chmod(0o755)
    assert process.returncode == 4, stderr
    assert "make the file and its directory writable, which reading needs as well" in stderr
    assert "Traceback" not in stderr
    assert [path.read_bytes() for path in files] == before
    assert crawl.run("--now").returncode == 0
    assert len(crawl.articles()) == PAGES


@pytest.mark.parametrize("whole", [False, True], ids=["store", "directory"])
def test_store_that_is_removed_during_a_crawl_is_reported_and_not_made_again(
    server: FaultServer, tmp_path: Path, whole: bool
) -> None:
    site = "127.61.5.1"
    server.clear()
    server.plan({site: {"holds_articles": True}})
    directory = tmp_path / "crawl"
    directory.mkdir()
    crawl = Crawl(directory, (server.url(site, "/feed.xml"),))
    process = crawl.start()
    server.wait_for(site, "/article/")
    for path in directory.glob("*" if whole else "forest.db*"):
        path.unlink()
    if whole:
        directory.rmdir()
    server.plan({site: {"holds_articles": False}})
    stderr = read_to_end(process)
    assert process.returncode == 4, stderr
    assert "forest.db: was removed or replaced during this run" in stderr
    assert "Traceback" not in stderr
    assert stderr.count("\n") == 1
    assert not directory.exists() if whole else not (directory / "forest.db").exists()


def test_output_that_is_a_full_device_is_refused(server: FaultServer, tmp_path: Path) -> None:
    site = "127.61.5.2"
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),))
    crawl.output.symlink_to("/dev/full")
    result = crawl.run()
    assert result.returncode == 4, result.stderr
    assert f"forest: {crawl.output}: isn't a regular file" in result.stderr
    assert server.paths(site) == []
