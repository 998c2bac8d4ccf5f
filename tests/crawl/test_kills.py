"""`kill -9` at any moment, then another run: every article is archived once.

Every run in a chain has one site more than the one before, so that there is work to be killed in.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from forest_crawler.store import open_store
from forest_crawler.store.crash_points import CRASH_POINTS, VARIABLE
from tests.support.crawl_process import QUICK, Crawl, ids
from tests.support.crawl_zygote import Zygote, the_zygote
from tests.support.fault_process import FaultServer, running_server
from tests.support.waiting import wait_until

PAGES = 4
WINDOW = 8
KILLED = -signal.SIGKILL

CHAINS, KILLS = 5, 10
"""Chains of runs, and killed runs per chain: fifty in all."""

ALWAYS_BATCHED = {"schedule", "hold", "archive"}
"""Steps that a crawl takes only with others; tests/store/test_crashes.py has them alone."""

ALONE = {"source": (0, 0), "release": (1, 1), "wrappers": (3, 0)}
"""Steps that come alone in a crawl of so many pages, of which so many are missing."""

REACHED = [
    *("schema-before-commit", "schema-after-commit", "run-before-commit", "run-after-commit"),
    *("lease-before-commit", "lease-after-commit:2"),
    *(f"batch-{side}-commit:{n}" for n in (1, 2, 3, 4) for side in ("before", "after")),
    *("export-before-append", "export-half-appended", "repair-after-cut", "export-after-append"),
    *("export-after-sync", "record-before-commit", "record-after-commit"),
]
"""In this order: the next run truncates what `export-half-appended` leaves."""


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}})
        yield running


@pytest.fixture
def zygote() -> Zygote:
    return the_zygote()


def crawl_of(server: FaultServer, directory: Path, network: int, sites: int) -> Crawl:
    """Return a crawl of so many sites; each lacks its last page, and one its feed."""
    feeds = [server.url(f"127.{network}.0.{n}", "/feed.xml") for n in range(1, sites + 1)]
    missing = server.url(f"127.{network}.1.{sites}", "/no-feed")
    options = (*QUICK, "-q", "-s", f"CONCURRENT_REQUESTS={WINDOW}", "-s", "RETRY_TIMES=0")
    return Crawl(directory, (*feeds, missing), options)


def lose_pages(server: FaultServer, network: int, sites: int) -> None:
    gone = {f"/article/{PAGES}": "/fault/status?code=404"}
    server.plan({f"127.{network}.0.{n}": {"routes": gone} for n in range(1, sites + 1)})


def check_archive(crawl: Crawl, server: FaultServer, network: int, sites: int) -> None:
    """Check that every article is there once, and that the account adds up."""
    articles = crawl.articles()
    found = Counter((a["site"], int(a["url"].rpartition("/")[2])) for a in articles)
    wanted = {(f"127.{network}.0.{s}", n) for s in range(1, sites + 1) for n in range(1, PAGES)}
    assert found == Counter(wanted)
    assert len(set(ids(articles))) == len(articles)
    with open_store(crawl.store) as store:
        account = store.account()
    assert account["archived"] == len(articles)
    assert account["failed"] == {"http-404": sites}
    assert account["scheduled"] == account["archived"] + sites
    with closing(sqlite3.connect(crawl.directory / "forest.db")) as database:
        assert database.execute("pragma integrity_check").fetchone() == ("ok",)


@dataclass(slots=True)
class Requests:
    """What a chain of runs has requested, and how much it may request again."""

    server: FaultServer
    network: int
    allowed: int = 0
    requested: int = 0

    def pages(self) -> Counter[tuple[str, str]]:
        hits = [hit for hit in self.server.log() if hit.site.startswith(f"127.{self.network}.")]
        return Counter((hit.site, hit.path) for hit in hits if "/article/" in hit.path)

    def note_run(self, *, is_killed: bool) -> None:
        """Allow repeats of what a killed run had in flight: at most the window."""
        before, self.requested = self.requested, self.pages().total()
        if is_killed:
            self.allowed += min(WINDOW, self.requested - before)

    def check_repeats(self) -> None:
        pages = self.pages()
        assert pages.total() - len(pages) <= self.allowed


def test_crash_points_are_all_named_here_or_batched() -> None:
    named = {point.partition(":")[0] for point in REACHED}
    steps = (*ALWAYS_BATCHED, *ALONE)
    rest = {f"{step}-{side}-commit" for step in steps for side in ("before", "after")}
    assert named | rest == set(CRASH_POINTS)


def test_death_at_every_crash_point_loses_and_repeats_nothing(
    server: FaultServer, zygote: Zygote, tmp_path: Path
) -> None:
    network, log = 30, tmp_path / "log"
    lose_pages(server, network, len(REACHED))
    requests = Requests(server, network)
    for number, point in enumerate(REACHED, 1):
        crawl = crawl_of(server, tmp_path, network, number)
        status = zygote.run(crawl.arguments(), log, env={VARIABLE: point})
        assert status == KILLED, f"{point}: not reached\n{log.read_text()[-2000:]}"
        requests.note_run(is_killed=True)
    assert zygote.run(crawl.arguments(), log, env={VARIABLE: ""}) in (0, 1), log.read_text()
    check_archive(crawl, server, network, len(REACHED))
    requests.check_repeats()


@pytest.mark.parametrize("step", ALONE)
def test_death_at_a_step_that_comes_alone_loses_and_repeats_nothing(
    server: FaultServer, zygote: Zygote, tmp_path: Path, step: str
) -> None:
    pages, gone = ALONE[step]
    for number, side in enumerate(("before", "after")):
        site = f"127.31.{number}.{10 * pages + gone + 1}"
        routes = {"/feed.xml": "/fault/status?code=404"} if not pages else {}
        routes |= {f"/article/{n}": "/fault/status?code=404" for n in range(1, gone + 1)}
        server.plan({site: {"pages": pages, "routes": routes}})
        (tmp_path / side).mkdir()
        options = (*QUICK, "-q", "-s", "RETRY_TIMES=0")
        crawl = Crawl(tmp_path / side, (server.url(site, "/feed.xml"),), options)
        point = {VARIABLE: f"{step}-{side}-commit"}
        assert zygote.run(crawl.arguments(), tmp_path / "log", env=point) == KILLED
        again = zygote.run(crawl.arguments(), tmp_path / "log", env={VARIABLE: ""})
        assert again == (0 if pages > gone else 3), (tmp_path / "log").read_text()
        assert len(crawl.articles()) == pages - gone
        with open_store(crawl.store) as store:
            assert store.account()["failed"] == ({"http-404": gone} if gone else {})
            (source,) = store.sources()
            assert source.status == ("ok" if pages else "http-404")


@pytest.mark.parametrize("chain", range(CHAINS))
def test_death_at_any_moment_loses_and_repeats_nothing(
    server: FaultServer, zygote: Zygote, tmp_path: Path, chain: int
) -> None:
    network, log = 40 + chain, tmp_path / "log"
    lose_pages(server, network, 3 * KILLS)
    random = Random(chain)  # noqa: S311  moments, not secrets
    began = time.monotonic()
    crawl = crawl_of(server, tmp_path, network, 1)
    assert zygote.run(crawl.arguments(), log) == 1, log.read_text()
    whole = time.monotonic() - began
    requests = Requests(server, network)
    requests.note_run(is_killed=False)
    killed, sites = 0, 1
    while sites <= KILLS or killed < KILLS / 2:
        sites += 1
        crawl = crawl_of(server, tmp_path, network, sites)
        moment = random.uniform(0.1, 1.0) * whole
        is_killed = zygote.run(crawl.arguments(), log, kill_after=moment) == KILLED
        requests.note_run(is_killed=is_killed)
        killed += is_killed
        if not is_killed:  # runs have become faster: kill the next one earlier
            whole = moment * 0.8
    assert zygote.run(crawl.arguments(), log) in (0, 1), log.read_text()
    check_archive(crawl, server, network, sites)
    requests.check_repeats()


def test_kill_in_the_middle_of_many_pages_repeats_only_those_in_flight(
    server: FaultServer, tmp_path: Path
) -> None:
    sites = [f"127.51.0.{n}" for n in range(1, 5)]
    server.plan({site: {"pages": 50, "delay": 0.05} for site in sites})
    options = (*QUICK, "-q", "-s", f"CONCURRENT_REQUESTS={WINDOW}", "-s", "RETRY_TIMES=0")
    crawl = Crawl(tmp_path, tuple(server.url(site, "/feed.xml") for site in sites), options)
    requests = Requests(server, 51)
    server.clear()
    in_flight: set[str] = set()
    for number in (40, 110):
        process = crawl.start()
        try:
            server.wait_for_requests(number, "/article/")
            assert process.poll() is None
        finally:
            process.kill()
            process.communicate()
        in_flight |= (claimed := claimed_pages(crawl))
        assert 0 < len(claimed) <= WINDOW
        requests.allowed += len(claimed)
    last = crawl.run()
    assert last.returncode == 0, last.stderr
    assert len(set(ids(crawl.articles()))) == len(crawl.articles()) == 4 * 50
    again = {server.url(*page) for page, hits in requests.pages().items() if hits > 1}
    assert again <= in_flight
    requests.check_repeats()


def claimed_pages(crawl: Crawl) -> set[str]:
    """Return the pages that a killed run has left in flight."""
    with closing(sqlite3.connect(crawl.directory / "forest.db")) as database:
        rows = database.execute("select url from frontier where state = 'claimed'")
        return {url for (url,) in rows}


def test_workers_of_a_killed_crawl_end_with_it(server: FaultServer, tmp_path: Path) -> None:
    mark = f"FOREST_TEST_MARK={tmp_path}"
    env = dict([mark.split("=", 1)])
    crawl = crawl_of(server, tmp_path, 50, 2)
    points = env | {VARIABLE: "export-before-append"}
    assert crawl.run_alone(env=points).returncode == KILLED
    wait_until(lambda: not processes_with(mark), "the workers end")


def processes_with(mark: str) -> list[int]:
    """Return the processes that were started with this in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            held = mark.encode() in path.read_bytes().split(b"\0")
        except OSError:  # gone meanwhile, or not ours
            continue
        if held and int(path.parent.name) != os.getpid():
            found.append(int(path.parent.name))
    return found
