"""A scheduler that drops requests neither stops a crawl nor loses its pages."""

from __future__ import annotations

import subprocess
from collections import Counter
from collections.abc import Iterator

import pytest

from forest_crawler.store import open_store
from forest_crawler.urls.canonical import url_key
from tests.support.crawl_process import QUICK, Crawl
from tests.support.dropping_scheduler import FULL, SHUT
from tests.support.fault_process import FaultServer, running_server

SHUT_SITE, MOVED = SHUT[0], "127.62.0.3"
PARTED = "127.62.0.4"
PAGES = 4


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        moved = {"/article/2": "/fault/redirect-to?to=/moved"}
        lost = {"/article/128/2": "/fault/redirect-to?to=/moved"}
        parted = {"pages": 130, "feed_entries": 4, "parts": 2, "family": 0}
        running.plan(
            {
                "*": {"pages": PAGES},
                MOVED: {"routes": moved},
                PARTED: {**parted, "routes": lost},
            }
        )
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    feeds = [server.url(site, "/feed.xml") for site in (FULL, SHUT_SITE, MOVED, PARTED)]
    scheduler = ("-s", "SCHEDULER=tests.support.dropping_scheduler.DroppingScheduler")
    return Crawl(tmp_path_factory.mktemp("drops"), tuple(feeds), (*QUICK, *scheduler))


@pytest.fixture(scope="module")
def run(crawl: Crawl) -> subprocess.CompletedProcess[str]:
    return crawl.run()


@pytest.fixture(scope="module")
def by_site(crawl: Crawl, run: subprocess.CompletedProcess[str]) -> Counter[str]:
    assert run.returncode == 1, run.stderr  # one feed cannot be polled
    return Counter(article["site"] for article in crawl.articles())


def test_pages_that_found_the_queue_full_are_offered_again_and_archived(
    by_site: Counter[str], server: FaultServer
) -> None:
    assert by_site[FULL] == PAGES
    hits = Counter(path for path in server.paths(FULL) if "/article/" in path)
    assert hits == Counter({f"/article/{n}": 1 for n in range(1, PAGES + 1)})


def test_page_that_is_always_dropped_is_left_to_a_later_run(
    run: subprocess.CompletedProcess[str],
    crawl: Crawl,
    by_site: Counter[str],
    server: FaultServer,
) -> None:
    assert by_site[MOVED] == PAGES - 1
    assert "1 page left for the next run; 1 put off for " in run.stderr
    assert " or longer (dropped: 1)\n" in run.stderr
    with open_store(crawl.store) as store:
        state = store.state(url_key(server.url(MOVED, "/article/2")) or "")
    assert state == ("new", "dropped")


def test_part_that_is_always_dropped_leaves_an_article_of_the_other_parts(
    by_site: Counter[str],
) -> None:
    assert by_site[PARTED] == 4


def test_feed_that_is_always_dropped_is_reported(
    run: subprocess.CompletedProcess[str], by_site: Counter[str], server: FaultServer
) -> None:
    assert by_site[SHUT_SITE] == 0
    assert f"{server.url(SHUT_SITE, '/feed.xml')}: dropped" in run.stderr
    assert "Traceback" not in run.stderr


def test_account_adds_up(crawl: Crawl, by_site: Counter[str]) -> None:
    with open_store(crawl.store) as store:
        account = store.account()
    # Three parts arrived and one did not; one page is still to be fetched.
    assert account["skipped"] == {"part": 3}
    assert account["failed"] == {"dropped": 1}
    assert account["pending"] == 1
    assert account["archived"] == by_site.total() == 2 * PAGES - 1 + 4
    assert account["scheduled"] == account["archived"] + 3 + 1 + 1
