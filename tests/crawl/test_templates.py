"""`forest crawl` on sites with two templates, or one text on every page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest

from forest_crawler.store import open_store
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of
from tests.support.fault_templates import FAMILIES

PAGES = 24
BOTH = {f"127.64.0.{n}": n for n in range(len(FAMILIES))}
"""Sites with one template for odd articles and one for even ones, with the family of the latter."""

WALLED, HALF_WALLED = "127.64.1.1", "127.64.1.2"
WALL = (
    "<html><head><title>The Valley Gazette</title></head><body><a href=/>Home</a>"
    "<div class=story><h1>Subscribe to go on reading</h1><p>This article is for those who have "
    "subscribed to the Valley Gazette. With a subscription you read all of our articles, on all "
    "of your devices, and you support the people who report from the valley for you every day of "
    "the year.<p>You may cancel it at the end of each month, and the first month is free. Those "
    "who have had the paper in their letter box for more than a year need not pay for anything."
    "</div></body></html>"
)


def number_of(row: dict[str, Any]) -> int:
    return int(row["url"].rpartition("/")[2])


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    wall = f"/fault/text?type=text/html&body={quote(WALL)}"
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}})
        running.plan({site: {"family": n, "alternates": True} for site, n in BOTH.items()})
        running.plan({WALLED: {"routes": {f"/article/{n}": wall for n in range(1, PAGES + 1)}}})
        later = {f"/article/{n}": wall for n in range(PAGES // 2, PAGES + 1)}  # the first fetched
        running.plan({HALF_WALLED: {"routes": later}})
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    feeds = tuple(server.url(site, "/feed.xml") for site in (*BOTH, WALLED, HALF_WALLED))
    made = Crawl(tmp_path_factory.mktemp("templates"), feeds, (*QUICK, "-q"))
    run = made.run()
    assert run.returncode == 0, run.stderr
    return made


def rows_of(crawl: Crawl, site: str) -> list[dict[str, Any]]:
    return [row for row in crawl.articles() if row["site"] == site]


@pytest.mark.parametrize("site", BOTH)
def test_two_templates_side_by_side_give_every_article_whole_and_by_a_wrapper(
    crawl: Crawl, site: str
) -> None:
    rows = rows_of(crawl, site)
    assert sorted(map(number_of, rows)) == list(range(1, PAGES + 1))
    for row in rows:
        assert row["extractor"] == "wrapper"
        assert all(text in row["text"] for text in article_of(site, number_of(row)).paragraphs)
    # Odd articles by one wrapper, even ones by another.
    pairs = {(number_of(row) % 2, row["wrapper_id"]) for row in rows}
    assert len(pairs) == len({wrapper for _, wrapper in pairs}) == 2


@pytest.mark.parametrize("site", BOTH)
def test_neither_template_s_own_text_is_in_the_articles(crawl: Crawl, site: str) -> None:
    for row in rows_of(crawl, site):
        number = number_of(row)
        for text in ("All rights", "Sport", "Read more", "Nobody has said", "Letters to the desk"):
            assert text not in row["text"]
        for other in range(max(1, number - 3), number):
            assert article_of(site, other).title not in row["text"]


def test_same_text_on_every_page_gives_no_wrapper(crawl: Crawl) -> None:
    with open_store(crawl.store) as store:
        assert store.wrappers(WALLED) == []
        assert store.wrapper_history(WALLED) == []
        account = store.account()
    # Its walls and those of the other site are fetched again later.
    walls = PAGES + PAGES // 2 + 1
    assert (account["skipped"], account["failed"], account["pending"]) == ({}, {}, walls)
    assert rows_of(crawl, WALLED) == []


def test_wall_on_the_newer_half_of_a_site_costs_no_article_of_the_other_half(crawl: Crawl) -> None:
    rows = rows_of(crawl, HALF_WALLED)
    free = [row for row in rows if number_of(row) < PAGES // 2]
    assert len(free) == PAGES // 2 - 1
    for row in free:
        assert article_of(HALF_WALLED, number_of(row)).paragraphs[-1] in row["text"]
    assert len(rows) == len(free)
    assert {row["extractor"] for row in rows} == {"wrapper"}
