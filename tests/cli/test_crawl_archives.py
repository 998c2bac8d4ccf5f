"""A real crawl writes its archive in the form that `-o` names."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.support.crawl_process import Crawl
from tests.support.fault_process import running_server

SITE = "127.1.0.1"


def test_crawl_writes_a_table_and_no_lines(tmp_path: Path) -> None:
    table = tmp_path / "articles.csv"
    with running_server() as server:
        server.plan({"*": {"pages": 2}})
        crawl = Crawl(tmp_path, (server.url(SITE, "/feed.xml"),))
        done = crawl.run("-o", str(table), "--fields", "site,title")
    assert done.returncode == 0, done.stderr
    with table.open(newline="") as stream:
        names, *rows = csv.reader(stream)
    assert names == ["site", "title"]
    assert [row[0] for row in rows] == [SITE, SITE]
    assert not crawl.output.exists()


def test_table_of_somebody_else_is_refused_before_anything_is_fetched(tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("my,notes\n")
    done = Crawl(tmp_path, ("http://127.0.0.1:1/",)).run("-o", str(table))
    assert (done.returncode, len(done.stderr.splitlines())) == (4, 1), done.stderr
    assert "not from the store" in done.stderr
    assert table.read_text() == "my,notes\n"
