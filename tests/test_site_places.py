"""How many pages of a site are fetched at a time, and what becomes of sites in trouble."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest

from forest_crawler.spiders.places import SitePlaces
from forest_crawler.store import open_store
from tests.crawl_process import QUICK, Crawl
from tests.fault_process import FaultServer, Hit, running_server
from tests.store_builders import FakeClock


def test_site_gets_a_place_with_every_page_that_comes_up_to_the_most() -> None:
    places = SitePlaces(3)
    assert places.by_site() == {}  # every site has its first place
    seen = []
    for _ in range(4):
        places.grow("a")
        seen.append(places.by_site())
    assert seen == [{"a": 2}, {"a": 3}, {"a": 3}, {"a": 3}]


def test_site_that_fails_waits_twice_as_long_every_time_and_has_one_place_then() -> None:
    clock = FakeClock()
    places = SitePlaces(8, clock)
    places.grow("a")
    places.grow("b")
    for pause in (0.5, 1.0, 2.0, 4.0, 4.0):
        places.shrink("a", "http-500")
        assert places.is_troubled("a")
        clock.time += pause - 0.1
        assert places.by_site() == {"a": 0, "b": 2}
        clock.time += 0.1
        assert places.by_site() == {"b": 2}
    places.grow("a")
    assert not places.is_troubled("a")
    places.shrink("a", "http-500")
    clock.time += 0.5  # as after the first
    assert places.by_site() == {"b": 2}


@pytest.mark.parametrize(
    ("misses", "unreachable"),
    [
        (["timeout", "connection", "unknown-host"], True),
        (["timeout", "timeout"], False),
        (["timeout", "timeout", "http-500", "timeout"], False),  # it has answered meanwhile
        (4 * ["http-500"], False),
    ],
)
def test_site_is_unreachable_after_three_pages_in_a_row(
    misses: list[str], unreachable: bool
) -> None:
    places = SitePlaces(8)
    assert [places.shrink("a", reason) for reason in misses][-1] is unreachable


RESETTING, FAILING, HEALTHY, MIXED = (f"127.67.0.{n}" for n in range(1, 5))
PAGES, FEW = 12, 3


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan(
            {
                "*": {"pages": PAGES},
                RESETTING: {"fault_share": 1.0, "fault_kinds": ["/fault/rst"]},
                FAILING: {"fault_share": 1.0, "pages": FEW},
                MIXED: {"routes": {"/article/2": "/fault/rst", "/article/3": "/fault/rst"}},
            }
        )
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    sites = (RESETTING, FAILING, HEALTHY, MIXED)
    feeds = tuple(server.url(site, "/feed.xml") for site in sites)
    crawl = Crawl(tmp_path_factory.mktemp("places"), feeds, QUICK)
    run = crawl.run()
    assert run.returncode == 0, run.stderr
    assert f"{RESETTING}: 0 articles, {PAGES} put off" in run.stderr, run.stderr
    return crawl


def pages_asked(server: FaultServer, site: str) -> list[Hit]:
    return [hit for hit in server.log(site) if "/article/" in hit.path]


def test_healthy_site_beside_others_in_trouble_is_archived(crawl: Crawl) -> None:
    archived = Counter(article["site"] for article in crawl.articles())
    assert archived == {HEALTHY: PAGES, MIXED: PAGES - 2}


def test_site_that_breaks_every_connection_is_left_alone_after_three_pages(
    server: FaultServer, crawl: Crawl
) -> None:
    asked = Counter(hit.path for hit in pages_asked(server, RESETTING))
    first, *others = asked.values()
    assert (first > 1, others) == (True, [1, 1])  # at once again only the first time
    with open_store(crawl.store) as store:
        assert store.pending(RESETTING) == PAGES


def test_site_that_fails_is_asked_for_every_page_ever_more_slowly(
    server: FaultServer, crawl: Crawl
) -> None:
    hits = pages_asked(server, FAILING)
    last = {hit.path: hit.time for hit in hits}
    assert len(last) == FEW
    waits = [b - a for a, b in zip(list(last.values())[:-1], list(last.values())[1:], strict=True)]
    assert waits[0] >= 0.5
    assert waits[1] >= 1.0
