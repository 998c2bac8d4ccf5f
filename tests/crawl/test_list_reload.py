"""A list that is read again changes what is polled; a broken one changes nothing."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.list_reload import ListReload
from forest_crawler.crawl.site_cap import SiteCap
from forest_crawler.crawl.source_polls import ListChange, SourcePolls
from forest_crawler.crawl.source_reader import SourceReader
from forest_crawler.crawl.source_schedule import SourceSchedule
from forest_crawler.urls.policy import ANYWHERE
from tests.support.engine_builders import run_engine

A, B, C = (f"https://{name}.example/feed" for name in "abc")


async def no_document(url: str) -> Answer | None:
    return None


def make_polls(engine: CrawlEngine) -> SourcePolls:
    reader = SourceReader(engine.session.workers, no_document, ANYWHERE)
    return SourcePolls(engine, reader, SourceSchedule(is_watching=True), SiteCap(10))


@pytest.mark.parametrize(
    ("text", "changed", "polled", "logged"),
    [
        (f"{B}\n{C}\n", ListChange((C,), (A,), 2), [B, C], "1 added, 1 removed, 2 sources now"),
        (f"{A}\n", ListChange((), (B,), 1), [A], "0 added, 1 removed, 1 source now"),
        (f"{A}\n{B}\nftp://x/\n", ListChange((), (), 2), [A, B], "not an http"),
        ("<rss/>", None, [A, B], "this is a feed, not a list of feeds; give its URL instead; the"),
        ("", None, [A, B], "no feed or page URL in it; the old list stays in use"),
    ],
    ids=["changed", "shortened", "same", "broken", "empty"],
)
def test_new_list_is_polled_and_a_broken_one_changes_nothing(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    text: str,
    changed: ListChange | None,
    polled: list[str],
    logged: str,
) -> None:
    file = tmp_path / "list.txt"
    file.write_text(text)

    async def use(engine: CrawlEngine) -> tuple[ListChange | None, list[str]]:
        polls = make_polls(engine)
        await polls.add([A, B])
        change = await ListReload([str(file)], polls).run()
        return change, [source.url for source in polls.begin()]

    with caplog.at_level(logging.INFO, "forest_crawler"):
        assert run_engine(tmp_path, use) == (changed, polled)
    assert logged in caplog.text


def test_standard_input_is_not_read_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def use(engine: CrawlEngine) -> ListChange | None:
        return await ListReload(["-"], make_polls(engine)).run()

    assert run_engine(tmp_path, use) is None
    assert "standard input cannot be read again" in caplog.text
