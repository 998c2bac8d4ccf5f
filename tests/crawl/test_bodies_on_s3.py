"""Bodies of pages in an object store: a stand-in for S3, with real sockets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.errors import StoreError
from forest_crawler.store import open_store
from forest_crawler.store.page_bodies import read_body
from forest_crawler.store.pages import KEPT_PAGES
from tests.support.crawl_process import QUICK, Crawl
from tests.support.fault_process import running_server
from tests.support.object_store import s3_server
from tests.support.store_builders import fetch, schedule

SITE = "127.96.0.1"
PAGES = KEPT_PAGES + 2


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    with pytest.MonkeyPatch.context() as patch, s3_server(patch) as address:
        yield address


def test_a_crawl_keeps_bodies_as_objects_and_removes_those_of_archived_pages(
    bucket: str, tmp_path: Path
) -> None:
    place = f"{bucket}/bodies"
    with running_server() as server:
        server.plan({"*": {"pages": PAGES}})
        options = (*QUICK, "-q", "--store-bodies", place)
        crawl = Crawl(tmp_path, (server.url(SITE, "/feed.xml"),), options)
        ended = crawl.run()
    assert ended.returncode == 0, ended.stderr
    assert len(crawl.articles()) == PAGES
    with open_store(crawl.store, bodies=place) as store:
        assert store.bodies is not None
        assert len(list(store.bodies.addresses())) == KEPT_PAGES
        left = store.bodies.write(b"as a kill leaves it")
        assert all(b"<html" in page.body for page in store.recent_pages(SITE))
        assert store.vacuum(0.0, store.bodies).bodies == 1
    with pytest.raises(StoreError, match=rf"is missing.*{place}/"):
        read_body(left, "store")


def test_stores_can_share_a_bucket(bucket: str) -> None:
    place = f"{bucket}/shared"
    with (
        open_store("sqlite://", bodies=place) as first,
        open_store("sqlite://", bodies=place) as second,
    ):
        for store in (first, second):
            schedule(store, "a")
            fetch(store)
        assert second.vacuum(0.0, second.bodies).bodies == 0
        for store in (first, second):
            (page,) = store.held_pages("gazette.example", 9)
            assert page.body == b"<p>gazette.example/a</p>"
