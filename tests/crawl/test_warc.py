"""Responses can be written as WARC, and a WARC crawled again without a network."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from warcio.archiveiterator import ArchiveIterator

from forest_crawler.cli import main
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.fetching.warc_file import WarcFile, close_file
from tests.support.crawl_process import Crawl
from tests.support.demo_warc import site_records, write_warc
from tests.support.fault_process import FaultServer, running_server
from tests.support.warc_builders import warc_record

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


def test_crawl_of_a_warc_gives_the_same_articles_without_a_request(
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


def test_a_warc_that_was_read_before_gives_nothing_new_and_ends(tmp_path: Path) -> None:
    # It has more pages than a sample: the others are read last.
    warc = write_warc(tmp_path / "a.warc.gz", site_records(bundled_sites()[0], feed=False))
    first, crawl = crawl_files(tmp_path, warc)
    articles = crawl.articles()
    result, again = crawl_files(tmp_path, warc)
    assert (result.returncode, first.returncode) == (0, 0), result.stderr
    assert f"0 new articles, {len(articles)} in all" in result.stderr
    assert again.articles() == articles
    assert len(articles) > 10


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


def crawl_files(directory: Path, *files: Path) -> tuple[subprocess.CompletedProcess[str], Crawl]:
    named = [part for file in files for part in ("--from-warc", str(file))]
    crawl = Crawl(directory, (), ("--workers", "1", *named))
    return crawl.run(), crawl


def test_records_state_the_final_name_and_the_phrase_of_the_status(crawl: Crawl) -> None:
    path = warc_of(crawl)
    with path.open("rb") as file:
        info, *records = list(ArchiveIterator(file))
    assert info.rec_headers.get_header("WARC-Filename") == path.name
    lines = {record.http_headers.statusline for record in records}
    assert lines == {"200 OK", "404 Not Found"}  # of robots.txt


def test_file_of_a_crawl_that_still_runs_is_left_alone(tmp_path: Path) -> None:
    first = WarcFile(tmp_path)
    first.sync()
    (growing,) = tmp_path.iterdir()
    before = growing.read_bytes()
    second = WarcFile(tmp_path)
    assert growing.read_bytes() == before
    first.close()
    second.close()
    assert len(list(tmp_path.glob("*.warc.gz"))) == len(list(tmp_path.iterdir())) == 2


def test_damaged_warc_gives_its_readable_records_and_its_own_exit_code(
    crawl: Crawl, tmp_path: Path
) -> None:
    data = warc_of(crawl).read_bytes()
    last = data.rindex(b"\x1f\x8b\x08")  # torn, and followed by another file's record
    more = gzip.compress(warc_record("http://127.1.0.9/x", b"GET / HTTP/1.1\r\n", kind="request"))
    damaged = tmp_path / "damaged.warc.gz"
    damaged.write_bytes(data[: (last + len(data)) // 2] + more)
    result, again = crawl_files(tmp_path, damaged)
    assert result.returncode == 1, result.stderr
    assert f"{damaged}: 1 record cannot be read, the first at byte {last}" in result.stderr
    assert "Traceback" not in result.stderr
    assert len(again.articles()) == 11


def test_page_that_is_in_a_warc_twice_is_one_article(crawl: Crawl, tmp_path: Path) -> None:
    twice = tmp_path / "twice.warc.gz"
    twice.write_bytes(warc_of(crawl).read_bytes() * 2)
    result, again = crawl_files(tmp_path, twice, warc_of(crawl))
    assert result.returncode == 0, result.stderr
    assert len({article["url"] for article in again.articles()}) == len(again.articles()) == 12


def test_file_that_is_not_a_warc_is_named_and_nothing_is_extracted(tmp_path: Path) -> None:
    text, empty = tmp_path / "text.warc", tmp_path / "empty.warc.gz"
    text.write_text("Rain until Monday\n" * 20)
    empty.touch()
    result, _ = crawl_files(tmp_path, text, empty)
    assert result.returncode == 3, result.stderr
    assert f"{text}: no WARC file" in result.stderr
    assert f"{empty}: empty" in result.stderr
    assert "Traceback" not in result.stderr


def test_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    result, _ = crawl_files(tmp_path, tmp_path / "nowhere.warc")
    assert result.returncode == 2, result.stderr
    assert "nowhere.warc" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("option", ["--warc", "--from-warc"])
def test_missing_package_is_named_before_anything_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    monkeypatch.setitem(sys.modules, "warcio", None)
    file = tmp_path / "file.warc"
    if option == "--warc":  # where files are written
        file.mkdir()
    else:
        file.touch()
    given = [option, str(file)] + (["http://gazette.example/"] if option == "--warc" else [])
    store = f"sqlite:///{tmp_path}/forest.db"
    result = CliRunner().invoke(main, ["crawl", *given, "--store", store])
    assert result.exit_code == 2
    assert f"{option} needs the package warcio" in result.stderr
    assert list(tmp_path.iterdir()) == [file]
