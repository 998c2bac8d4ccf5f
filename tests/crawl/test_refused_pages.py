"""A page that its site refuses for hours is archived from its feed, if that has the whole text."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

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
