"""How many pages of a site are in flight, and what happens to sites in trouble."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.crawl.site_quota import SiteQuota
from tests.support.crawl_process import NO_TIMEOUT, QUICK, Crawl, stop
from tests.support.fault_process import FaultServer, running_server
from tests.support.store_builders import FakeClock


def test_site_gains_a_slot_with_every_page_up_to_the_maximum() -> None:
    quota = SiteQuota(3)
    assert quota.by_site() == {}  # every site has its first slot
    seen = []
    for _ in range(4):
        quota.grow("a")
        seen.append(quota.by_site())
    assert seen == [{"a": 2}, {"a": 3}, {"a": 3}, {"a": 3}]


def test_site_that_fails_is_suspended_twice_as_long_each_time_and_has_one_slot_then() -> None:
    clock = FakeClock()
    quota = SiteQuota(8, clock)
    quota.grow("a")
    quota.grow("b")
    for pause in (1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0):
        quota.shrink("a")
        quota.shrink("a")  # in flight together, so one miss
        clock.time += pause - 0.1
        assert quota.by_site() == {"a": 0, "b": 2}
        clock.time += 0.1
        assert quota.by_site() == {"b": 2}
    quota.grow("a")
    quota.shrink("a")
    clock.time += 1.0  # as after the first
    assert quota.by_site() == {"b": 2}


def test_half_of_the_window_is_kept_for_sites_that_answer() -> None:
    quota = SiteQuota(8)
    quota.grow("a")
    assert quota.spare(8, []) == 4
    assert quota.spare(1, []) == 1
    assert quota.spare(8, ["a", "a", "a", "new"]) == 3
    quota.shrink("a")
    assert quota.spare(8, ["a", "a", "a", "new"]) == 0


STALLING = tuple(f"127.67.0.{n}" for n in range(1, 5))
HEALTHY, FAILING, ASKING_LATER = "127.67.1.1", "127.67.1.2", "127.67.1.3"
PAGES, WINDOW = 8, 8


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        stalling = {"fault_share": 1.0, "fault_kinds": ["/fault/stall"]}
        later = "/fault/status?code=429&retry-after=3600"
        running.plan(
            {
                "*": {"pages": PAGES},
                **dict.fromkeys(STALLING, stalling),
                FAILING: {"fault_share": 1.0},
                ASKING_LATER: {"fault_share": 1.0, "fault_kinds": [later]},
            }
        )
        yield running


def test_pages_of_a_healthy_site_do_not_wait_for_those_of_sites_that_stall(
    server: FaultServer, tmp_path: Path
) -> None:
    feeds = [server.url(site, "/feed.xml") for site in (*STALLING, HEALTHY)]
    crawl = Crawl(tmp_path, tuple(feeds), (*QUICK, "-s", f"CONCURRENT_REQUESTS={WINDOW}"))
    process = crawl.start(*NO_TIMEOUT)
    try:
        for number in range(1, PAGES + 1):
            server.wait_for(HEALTHY, f"/article/{number}")
    finally:
        stop(process)


def test_sites_in_trouble_are_fetched_at_once_if_no_other_site_waits(
    server: FaultServer, tmp_path: Path
) -> None:
    feeds = [server.url(site, "/feed.xml") for site in (FAILING, ASKING_LATER)]
    crawl = Crawl(tmp_path, tuple(feeds))
    run = crawl.run()
    assert f"{FAILING}: 0 articles, {PAGES} postponed" in run.stderr, run.stderr
    # Its first answer asks for an hour; how many pages were under way by then is a race.
    assert re.search(
        rf"^forest: {ASKING_LATER}: 0 articles, \d postponed$", run.stderr, re.MULTILINE
    )
    hits = [hit for hit in server.log(FAILING) if "/article/" in hit.path]
    assert len({hit.path for hit in hits}) == PAGES
    # One by one, each after a pause, they would take 1 + 2 + 4 + 8 + 16 + 2 × 30 s at least.
    assert hits[-1].time - hits[0].time < 91
