"""A live blog that goes on is archived again, as a version of its first text."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forest_crawler.crawl.engine import CrawlEngine
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.store import Candidate
from forest_crawler.store.versions import version_key
from tests.support.engine_builders import run_engine

SITE, URL = "gazette.example", "https://gazette.example/live"
KEY = f"{SITE}/live"
TEXT = "The chain ferry carried its first passengers across the narrows on Wednesday morning. "


def page(updates: int) -> bytes:
    return f"<title>Live</title>{f'<p>{TEXT * 4}</p>' * updates}".encode()


def test_a_page_that_has_changed_is_archived_as_a_version(tmp_path: Path) -> None:
    now = datetime.fromtimestamp(time.time(), tz=UTC)
    later = [(now + timedelta(seconds=n)).isoformat() for n in (60, 120)]

    async def use(engine: CrawlEngine) -> None:
        async def change(updated: str) -> int:
            changed = Candidate(KEY, URL, SITE, entry={"updated": updated})
            return await store_thread.call(lambda it: it.schedule_versions([changed], 86_400))

        store_thread = engine.session.store_thread
        await store_thread.call(lambda store: store.schedule([Candidate(KEY, URL, SITE)]))
        await engine.start()
        await engine.add_page(IncomingPage(URL, page(1), key=KEY))
        await engine.finish()
        engine.session.store._now = lambda: time.time() + 3600
        for number, (updated, updates) in enumerate(zip(later, (1, 2), strict=True), 2):
            assert await change(updated) == 1
            await engine.add_page(IncomingPage(URL, page(updates), key=version_key(KEY, number)))
            await engine.finish()

    run_engine(tmp_path, use)
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [row["version_of"] for row in rows] == [None, rows[0]["id"]]
    assert [row["text"].count("narrows") for row in rows] == [4, 8]
    assert {row["near_duplicate_of"] for row in rows} == {None}
