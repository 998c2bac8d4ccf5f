"""What was fetched can be kept as WARC, and a WARC crawled again without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator

from forest_crawler.pipelines.warc_file import close_file
from tests.crawl_process import Crawl
from tests.fault_process import FaultServer, running_server

SITES = ("127.1.0.1", "127.1.0.2")


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": 6}})
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    directory = tmp_path_factory.mktemp("crawl")
    made = Crawl(directory, tuple(server.url(site, "/feed.xml") for site in SITES))
    result = made.run("--warc", str(directory / "warc"))
    assert result.returncode == 0, result.stderr
    return made


def warc_of(crawl: Crawl) -> Path:
    (path,) = (crawl.directory / "warc").iterdir()
    return path


def targets(path: Path) -> list[str]:
    with path.open("rb") as file:
        records = ArchiveIterator(file)
        found = [
            r.rec_headers.get_header("WARC-Target-URI") for r in records if r.rec_type == "response"
        ]
    return [str(target) for target in found]


def test_every_fetched_page_and_feed_is_in_the_warc(crawl: Crawl, server: FaultServer) -> None:
    assert warc_of(crawl).name.endswith(".warc.gz")
    found = targets(warc_of(crawl))
    for site in SITES:
        wanted = {server.url(site, f"/article/{n}") for n in range(1, 7)}
        assert wanted | {server.url(site, "/feed.xml")} <= set(found)
    assert len(found) == len(set(found))


def test_crawl_of_a_warc_gives_the_same_articles_and_asks_nobody(
    crawl: Crawl, server: FaultServer, tmp_path: Path
) -> None:
    server.clear()
    again = Crawl(tmp_path, (), ("--workers", "1", "--from-warc", str(warc_of(crawl))))
    result = again.run()
    assert result.returncode == 0, result.stderr
    assert server.log() == []
    texts = {(a["url"], a["title"], a["text"], a["guid"]) for a in crawl.articles()}
    assert {(a["url"], a["title"], a["text"], a["guid"]) for a in again.articles()} == texts
    assert len(again.articles()) == 12


def test_torn_last_record_is_cut_at_every_byte(crawl: Crawl, tmp_path: Path) -> None:
    data = warc_of(crawl).read_bytes()
    last = data.rindex(b"\x1f\x8b\x08")
    whole = len(targets(warc_of(crawl)))
    for length in range(last, len(data)):
        torn = tmp_path / "torn.warc.gz.open"
        torn.write_bytes(data[:length])
        close_file(torn)
        assert (tmp_path / "torn.warc.gz").read_bytes() == data[:last]
    assert len(targets(tmp_path / "torn.warc.gz")) == whole - 1
