"""`forest crawl` on very large documents, which don't delay other sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.store import open_store
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

PAGES = 12
ENTRIES = 100_000
CAP = 5


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES}})
        yield running


def numbers(crawl: Crawl, site: str) -> list[int]:
    """Return the articles of a site that a wrapper gave whole."""
    found = []
    for row in crawl.articles():
        number = int(row["url"].rpartition("/")[2])
        if row["site"] == site:
            assert row["extractor"] == "wrapper"
            assert article_of(site, number).paragraphs[-1] in row["text"]
            found.append(number)
    return sorted(found)


def test_newest_of_a_hundred_thousand_entries_are_archived_and_no_site_waits_for_their_feed(
    server: FaultServer, tmp_path: Path
) -> None:
    huge, other = "127.63.0.1", "127.63.0.2"
    routes = {"/feed.xml": f"/fault/huge-feed?n={ENTRIES}"}  # the oldest first
    server.plan({huge: {"pages": ENTRIES, "routes": routes}, other: {"pages": CAP}})
    crawl = Crawl(
        tmp_path,
        tuple(server.url(site, "/feed.xml") for site in (huge, other)),
        (*QUICK, "--workers", "2", "-s", f"FOREST_SITE_PAGES={CAP}"),
    )
    run = crawl.run()
    assert run.returncode == 0, run.stderr
    with open_store(crawl.store) as store:
        # Read within `READ_SECONDS`: else it would be "time-limit".
        assert [source.status for source in store.sources()] == ["ok", "ok"]
    assert numbers(crawl, huge) == list(range(ENTRIES - CAP + 1, ENTRIES + 1))
    assert numbers(crawl, other) == list(range(1, CAP + 1))
    assert max(request_times(server, other)) < min(request_times(server, huge))


def request_times(server: FaultServer, site: str) -> list[float]:
    """Return when the articles of a site were requested."""
    return [hit.time for hit in server.log(site) if "/article/" in hit.path]


BOMBS = (1, 12)
"""Articles that are bombs: the oldest, which is fetched last, and the newest, which is in the
sample that wrappers are induced from."""


def test_page_that_takes_too_much_memory_is_failed_and_costs_no_other(
    server: FaultServer, tmp_path: Path
) -> None:
    bombed, other = "127.63.1.1", "127.63.1.2"
    routes = {f"/article/{n}": "/fault/many-elements" for n in BOMBS}
    server.plan({bombed: {"routes": routes}})
    # Workers may take 100 MB each, of which common pages take a few.
    crawl = Crawl(
        tmp_path,
        tuple(server.url(site, "/feed.xml") for site in (bombed, other)),
        (*QUICK, "-s", "FOREST_WORKER_MEMORY_MB=100"),
    )
    run = crawl.run()
    assert run.returncode == 0, run.stderr
    assert "2 pages failed in all (memory-limit: 2)" in run.stderr
    assert "Traceback" not in run.stderr
    assert numbers(crawl, other) == list(range(1, PAGES + 1))
    assert numbers(crawl, bombed) == [n for n in range(1, PAGES + 1) if n not in BOMBS]
