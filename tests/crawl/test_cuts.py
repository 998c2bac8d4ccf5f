"""`forest crawl` on a site whose connections break in the middle of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.store import open_store
from forest_crawler.urls.canonical import url_key
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

SITE = "127.1.6.1"
PAGES = 12
ONCE, NEVER, ALWAYS, CHUNKED, TROUBLED = 2, 3, 4, 5, 6
"""Articles that are truncated at the first request; never; at each; detectably; and at the second
request, after a server error at the first."""

ROUTES = {
    f"/article/{ONCE}": f"/fault/no-length?of=/article/{ONCE}&share=0.5&times=1",
    f"/article/{NEVER}": f"/fault/no-length?of=/article/{NEVER}",
    f"/article/{ALWAYS}": f"/fault/no-length?of=/article/{ALWAYS}&share=0.5",
    f"/article/{CHUNKED}": "/fault/cut-chunk",
    f"/article/{TROUBLED}": f"/fault/no-length?of=/article/{TROUBLED}&share=0.5&down=1&times=2",
}


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({SITE: {"pages": PAGES, "routes": ROUTES}})
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    directory: Path = tmp_path_factory.mktemp("cuts")
    made = Crawl(directory, (server.url(SITE, "/feed.xml"),), (*QUICK, "-q"))
    run = made.run()
    assert run.returncode == 0, run.stderr
    return made


@pytest.fixture(scope="module")
def texts(crawl: Crawl) -> dict[int, str]:
    return {int(row["url"].rpartition("/")[2]): row["text"] for row in crawl.articles()}


def is_whole(texts: dict[int, str], number: int) -> bool:
    return article_of(SITE, number).paragraphs[-1] in texts[number]


def test_page_that_may_be_truncated_is_fetched_again_and_archived_whole(
    texts: dict[int, str],
) -> None:
    assert all(is_whole(texts, number) for number in texts if number != ALWAYS)


def test_page_without_an_end_twice_is_archived_as_it_is(texts: dict[int, str]) -> None:
    # Some sites write pages without a length and without an end.
    assert sorted(texts) == [number for number in range(1, PAGES + 1) if number != CHUNKED]
    assert not is_whole(texts, ALWAYS)


def test_only_an_article_whose_end_may_be_missing_is_marked_truncated(crawl: Crawl) -> None:
    marks = {int(row["url"].rpartition("/")[2]): row.get("truncated") for row in crawl.articles()}
    assert len(marks) > 1
    assert [number for number, mark in marks.items() if mark] == [ALWAYS]
    assert all(mark is None for number, mark in marks.items() if number != ALWAYS)


def test_page_known_to_be_truncated_is_retried_later(crawl: Crawl, server: FaultServer) -> None:
    with open_store(crawl.store) as store:
        state = store.state(url_key(server.url(SITE, f"/article/{CHUNKED}")) or "")
    assert state == ("new", "truncated")


@pytest.mark.usefixtures("crawl")
def test_only_pages_without_an_end_are_fetched_twice(server: FaultServer) -> None:
    hits = Counter(path for path in server.paths(SITE) if path.startswith("/article/"))
    twice = {int(path.rpartition("/")[2]) for path, number in hits.items() if number == 2}
    assert twice == {ONCE, ALWAYS, CHUNKED}
    assert {path for path, number in hits.items() if number > 2} == {f"/article/{TROUBLED}"}
    assert hits[f"/article/{TROUBLED}"] == 3
