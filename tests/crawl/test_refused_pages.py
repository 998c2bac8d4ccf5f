"""A page that its site refuses for hours is archived from its feed, if that has the whole text."""

from __future__ import annotations

import re
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from forest_crawler.crawl.sampling import MIN_ARTICLES, SAMPLE_SIZE
from tests.support.crawl_process import Crawl
from tests.support.recording_server import RecordingServer, recording_server

LINE = "The ferry came back to the old pier on a Monday. "  # eleven words
WHOLE, SHORT = LINE * 14, LINE * 13  # 150 words are enough
DAY = 24 * 3600.0


def rss(url: str) -> str:
    items = "".join(
        f"<item><title>{title} of the ferry</title><link>{url}/{path}</link>"
        f"<content:encoded><![CDATA[<p>{text}</p>]]></content:encoded></item>"
        for path, title, text in (
            ("whole", "Return", WHOLE),
            ("short", "Farewell", SHORT),
            ("gone", "Loss", WHOLE),
        )
    )
    return (
        '<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>'
        f"<title>Gazette</title>{items}</channel></rss>"
    )


@pytest.fixture
def site() -> Iterator[RecordingServer]:
    with recording_server("127.63.9.1") as server:
        kind = {"Content-Type": "application/rss+xml"}
        server.replies["/feed.xml"] = (200, kind, rss(server.url))
        server.replies["/whole"] = server.replies["/short"] = (403, {}, "Go away")
        server.replies["/gone"] = (410, {}, "Gone")
        yield server


def pass_time(crawl: Crawl, seconds: float) -> None:
    """Make the crawl's pages as old as if so much time had passed."""
    with closing(sqlite3.connect(crawl.directory / "forest.db")) as connection:
        connection.execute(
            "UPDATE frontier SET due = ?, scheduled = scheduled - ?", [time.time(), seconds]
        )
        connection.commit()


def archived(crawl: Crawl) -> dict[str, tuple[str, int, str]]:
    rows = crawl.articles()
    return {
        row["url"].rpartition("/")[2]: (row["extractor"], row["http_status"], row["text"])
        for row in rows
    }


def test_refused_page_is_archived_from_its_feed_on_the_next_day(
    site: RecordingServer, tmp_path: Path
) -> None:
    crawl = Crawl(tmp_path, (f"{site.url}/feed.xml",))
    first = crawl.run("--now")
    assert archived(crawl) == {"gone": ("feed", 410, WHOLE.strip())}  # which is never tried again
    assert "2 pages failed in all (http-403: 2)" in first.stderr
    pass_time(crawl, 3600)
    assert crawl.run("--now").returncode == 1
    assert set(archived(crawl)) == {"gone"}  # it may still be an outage
    pass_time(crawl, DAY)
    last = crawl.run("--now")
    assert archived(crawl) == {
        "gone": ("feed", 410, WHOLE.strip()),
        "whole": ("feed", 403, WHOLE.strip()),
    }
    assert "1 page failed in all (http-403: 1)" in last.stderr
    assert site.targets().count("/whole") == 3


def test_page_that_comes_back_is_archived_itself(site: RecordingServer, tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, (f"{site.url}/feed.xml",))
    crawl.run("--now")
    del site.replies["/whole"]
    pass_time(crawl, DAY)
    crawl.run("--now")
    extractor, status, text = archived(crawl)["whole"]
    assert (extractor, status) == ("page:page", 200)
    assert "as it was told" in text


def test_sample_is_complete_without_refused_pages(tmp_path: Path) -> None:
    with recording_server("127.63.9.2") as site:
        names = [f"p{number:02}" for number in range(SAMPLE_SIZE + MIN_ARTICLES)]
        items = "".join(
            f"<item><title>Return of {name}</title><link>{site.url}/{name}</link>"
            f"<content:encoded><![CDATA[<p>{name}: {WHOLE}</p>]]></content:encoded></item>"
            for name in names
        )
        feed = re.sub("<item>.*</item>", lambda _: items, rss(site.url), flags=re.DOTALL)
        site.replies["/feed.xml"] = (200, {"Content-Type": "application/rss+xml"}, feed)
        for name in names[:SAMPLE_SIZE]:
            site.replies[f"/{name}"] = (410, {}, "Gone")
        for name in names[SAMPLE_SIZE:]:
            text = "".join(f"<p>{name}{word} {LINE}</p>" for word in "abcdefgh")
            page = f"<h1>Return of {name}</h1><ul><li>Home</ul><div class=story>{text}</div>"
            site.replies[f"/{name}"] = (200, {"Content-Type": "text/html"}, page)
        crawl = Crawl(tmp_path, (f"{site.url}/feed.xml",))
        crawl.run("--now")
    found = Counter(row["extractor"] for row in crawl.articles())
    assert found == {"feed": SAMPLE_SIZE, "wrapper": MIN_ARTICLES}
