"""`forest crawl` on a site that has the same text under two URLs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.crawl_process import Crawl
from tests.support.fault_process import running_server
from tests.support.fault_sites import article_of

SITE = "127.1.4.1"


@pytest.fixture(scope="module")
def crawl(tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """Return a crawl of a site whose fourth article is at the ninth's URL, too."""
    directory: Path = tmp_path_factory.mktemp("repeats")
    with running_server() as server:
        server.plan({SITE: {"pages": 12, "routes": {"/article/9": "/article/4"}}})
        made = Crawl(directory, (server.url(SITE, "/feed.xml"),))
        assert made.run().returncode == 0
    return made


def test_same_text_under_two_urls_is_archived_twice_and_marked(crawl: Crawl) -> None:
    repeated = article_of(SITE, 4).paragraphs[-1]
    first, second = (row for row in crawl.articles() if repeated in row["text"])
    assert {row["url"].rpartition("/")[2] for row in (first, second)} == {"4", "9"}
    assert first["near_duplicate_of"] is None
    assert second["near_duplicate_of"] == first["id"]


def test_article_with_its_own_text_is_not_marked(crawl: Crawl) -> None:
    articles = crawl.articles()
    assert len(articles) == 12
    assert sum(row["near_duplicate_of"] is not None for row in articles) == 1
