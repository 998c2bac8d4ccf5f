"""Full-text feeds: a crawl writes one per feed of its list."""

from __future__ import annotations

import io
from pathlib import Path

import feedparser
from click.testing import CliRunner

from forest_crawler.cli import main
from tests.support.crawl_process import Crawl
from tests.support.fault_process import running_server
from tests.support.fault_sites import article_of

SITE = "127.9.0.1"


def test_a_crawl_writes_full_text_feeds_and_its_wrappers_can_be_exported(tmp_path: Path) -> None:
    with running_server() as server:
        server.plan({"*": {"pages": 12}})
        crawl = Crawl(tmp_path, (server.url(SITE, "/feed.xml"),))
        address = ("--feeds-url", "https://rss.example/full/")
        done = crawl.run("--full-text-feeds", str(tmp_path / "feeds"), *address)
    assert done.returncode == 0, done.stderr
    assert "1 full-text feed written" in done.stderr
    (file,) = (tmp_path / "feeds").glob("*.xml")
    assert file.name == f"{SITE}.xml"
    own = f"https://rss.example/full/{file.name}"
    assert f'xmlUrl="{own}"' in (tmp_path / "feeds" / "index.opml").read_text()
    feed = feedparser.parse(io.BytesIO(file.read_bytes()))
    assert not feed.bozo
    assert [link.href for link in feed.feed.links if link.rel == "self"] == [own]
    by_link = {entry.link: entry.content[0].value for entry in feed.entries}
    content = next(it for link, it in by_link.items() if link.endswith("/article/7"))
    assert len(by_link) == 12
    for paragraph in article_of(SITE, 7).paragraphs:
        assert paragraph in content.replace("&amp;", "&")
    exported = CliRunner().invoke(
        main, ["wrappers", "export", "--format", "fivefilters", "--store", crawl.store]
    )
    assert exported.exit_code == 0, exported.stderr
    assert "body: //" in exported.stdout
    assert f"test_url: {server.url(SITE, '/article/')}" in exported.stdout
