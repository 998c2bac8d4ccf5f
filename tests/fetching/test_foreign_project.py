"""Another Scrapy project, with its own settings and spider, uses this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of
from tests.support.waiting import HANG

ROOT = Path(__file__).parents[2]
SITE, CLOSED = "127.70.0.1", "127.71.0.1"
PAGES = 6

ADDON = 'ADDONS = {"forest_crawler.fetching.addon.ForestAddon": 0}\n'
PIPELINE = (
    'ITEM_PIPELINES = {"forest_crawler.pipelines.forest.ForestPipeline": 500}\n'
    'FOREST_STORE = "sqlite:///forest.db"\n'
    'FOREST_OUTPUT = "articles.jsonl"\n'
    "FOREST_WORKERS = 1\n"
)
OWN_PIPELINE = (
    'ITEM_PIPELINES["shop.pipelines.Titles"] = 800\nFEEDS["all.jsonl"] = {"format": "jsonlines"}\n'
)
SETTINGS = {"addon": ADDON, "pipeline": PIPELINE, "both": ADDON + PIPELINE + OWN_PIPELINE}
"""The settings that docs/how-to/scrapy-project.md gives, in parts and together."""

PROJECT = """
BOT_NAME = "shop"
SPIDER_MODULES = ["shop.spiders"]
FOREST_ALLOW_NETWORKS = ["127.70.0.0/16"]
FOREST_ALLOW_PORTS = ["any"]
DOWNLOAD_DELAY = 0
AUTOTHROTTLE_ENABLED = False
TELNETCONSOLE_ENABLED = False
FEEDS = {"items.jsonl": {"format": "jsonlines", "item_classes": ["builtins.dict"]}}
"""

SPIDER = """
import json
import scrapy
from forest_crawler.pipelines.items import PageItem

class ShopSpider(scrapy.Spider):
    name = "shop"

    async def start(self):
        for url in self.urls.split(","):
            yield scrapy.Request(url, callback=self.parse)

    def parse(self, response):
        yield {"seen": response.url}
        yield PageItem.from_response(response)

    def closed(self, reason):
        with open("stats.json", "w") as file:
            json.dump(self.crawler.stats.get_stats(), file, default=str)
"""

TITLES = """
from scrapy.exceptions import DropItem
from forest_crawler.pipelines.items import ArticleItem

class Titles:
    def process_item(self, item):
        if isinstance(item, ArticleItem):
            if item["url"].endswith("/article/2"):
                raise DropItem("not this one")
            with open("titles.txt", "a") as file:
                print(item["title"], file=file)
        return item
"""

TWO_CRAWLS = """
import asyncio
import sys
import scrapy
from scrapy.crawler import AsyncCrawlerProcess
from forest_crawler.pipelines import forest

shut_down = asyncio.Event()

class StoppedSpider(scrapy.Spider):
    name = "stopped"
    custom_settings = {"ITEM_PIPELINES": {forest.ForestPipeline: 500}, "FOREST_WORKERS": 1}

    async def start(self):
        self.crawler.signals.connect(shut_down.set, forest.crawl_shut_down)
        self.stopping = asyncio.ensure_future(self.stop())
        yield scrapy.Request(sys.argv[1], errback=lambda failure: None)

    async def stop(self):
        while "downloader/request_count" not in self.crawler.stats.get_stats():
            await asyncio.sleep(0.02)
        await self.crawler.stop_async()

class OtherSpider(scrapy.Spider):
    name = "other"

    async def start(self):
        await shut_down.wait()
        await asyncio.sleep(1)
        yield {"other": "has finished"}

    def closed(self, reason):
        print("other:", reason)

if __name__ == "__main__":
    forest.STOP_GRACE = 0.2
    process = AsyncCrawlerProcess({"DOWNLOAD_TIMEOUT": 4, "RETRY_ENABLED": False})
    process.crawl(StoppedSpider)
    process.crawl(OtherSpider)
    process.start()
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of the other project wrote."""

    directory: Path
    stats: dict[str, Any]
    items: list[dict[str, Any]]
    log: str

    def articles(self) -> list[dict[str, Any]]:
        lines = (self.directory / "articles.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        running.plan({"*": {"pages": PAGES, "robots": "User-agent: *\nDisallow: /private\n"}})
        yield running


@pytest.fixture(scope="module")
def runs(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    pages = [server.url(SITE, f"/article/{n}") for n in range(1, PAGES + 1)]
    hostile = [
        server.url(CLOSED, "/article/1"),
        "file:///etc/hostname",
        server.url(SITE, "/private"),
    ]

    def run(by: str) -> Run:
        urls = pages if by == "pipeline" else pages + hostile
        return run_project(tmp_path_factory.mktemp(by), SETTINGS[by], urls)

    with ThreadPoolExecutor() as threads:
        return dict(zip(SETTINGS, threads.map(run, SETTINGS), strict=True))


def run_project(directory: Path, settings: str, urls: list[str]) -> Run:
    """Write a project as `scrapy startproject` would, and run its spider."""
    spiders = directory / "shop" / "spiders"
    spiders.mkdir(parents=True)
    for package in (spiders.parent, spiders):
        (package / "__init__.py").touch()
    (directory / "scrapy.cfg").write_text("[settings]\ndefault = shop.settings\n")
    (spiders.parent / "settings.py").write_text(PROJECT + settings)
    (spiders / "shop.py").write_text(SPIDER)
    (spiders.parent / "pipelines.py").write_text(TITLES)
    command = [sys.executable, "-m", "scrapy", "crawl", "shop", "-a", f"urls={','.join(urls)}"]
    done = subprocess.run(
        command,
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    items = (directory / "items.jsonl").read_text().splitlines()
    stats = json.loads((directory / "stats.json").read_text())
    return Run(directory, stats, [json.loads(line) for line in items], done.stderr)


@pytest.mark.parametrize("by", ["pipeline", "both"])
def test_pages_that_a_spider_yields_become_articles(runs: dict[str, Run], by: str) -> None:
    articles = {int(row["url"].rpartition("/")[2]): row for row in runs[by].articles()}
    assert sorted(articles) == list(range(1, PAGES + 1))
    for number, row in articles.items():
        assert all(part in row["text"] for part in article_of(SITE, number).paragraphs)
        assert row["site"] == SITE


@pytest.mark.parametrize("by", ["pipeline", "both"])
def test_stats_count_the_outcomes_of_pages(runs: dict[str, Run], by: str) -> None:
    stats = runs[by].stats
    assert stats["forest/pages"] == PAGES
    assert stats["forest/articles"] == PAGES
    assert stats["forest/induction/done"] == 1
    missed = stats.get("forest/wrapper/missed", 0)
    assert stats["forest/wrapper/applied"] + missed == PAGES
    assert stats.get("forest/fallback/page", 0) == missed


@pytest.mark.parametrize("by", ["addon", "both"])
def test_requests_of_a_spider_are_checked_and_refusals_counted(
    runs: dict[str, Run], server: FaultServer, by: str
) -> None:
    stats = runs[by].stats
    assert stats["forest/refused/private-address"] == 1
    assert stats["forest/refused/scheme"] == 1
    assert stats["forest/refused/robots"] == 1
    assert not any(name.startswith(f"{CLOSED}:") for name in server.connections())
    assert "/private" not in server.paths(SITE)


@pytest.mark.parametrize("by", SETTINGS)
def test_items_of_other_kinds_pass(runs: dict[str, Run], server: FaultServer, by: str) -> None:
    seen = {item["seen"] for item in runs[by].items if "seen" in item}
    assert seen == {server.url(SITE, f"/article/{n}") for n in range(1, PAGES + 1)}
    assert "Traceback" not in runs[by].log


def test_articles_pass_through_a_pipeline_of_the_project(runs: dict[str, Run]) -> None:
    titles = (runs["both"].directory / "titles.txt").read_text().splitlines()
    wanted = [article_of(SITE, n).title for n in range(1, PAGES + 1) if n != 2]
    assert sorted(titles) == sorted(wanted)
    assert len(runs["both"].articles()) == PAGES  # a dropped item is archived all the same


def test_feed_exports_have_articles_and_other_items_but_no_pages(runs: dict[str, Run]) -> None:
    lines = (runs["both"].directory / "all.jsonl").read_text().splitlines()
    exported = [json.loads(line) for line in lines]
    kept = [row for row in runs["both"].articles() if not row["url"].endswith("/article/2")]
    assert sorted(row["id"] for row in exported if "id" in row) == sorted(row["id"] for row in kept)
    assert sum("seen" in row for row in exported) == PAGES
    assert len(exported) == 2 * PAGES - 1


def test_scrapy_command_exports_the_articles_of_our_spider(
    server: FaultServer, tmp_path: Path
) -> None:
    store, archive, exported = (tmp_path / name for name in ("f.db", "a.jsonl", "out.jsonl"))
    settings = {
        "FOREST_STORE": f"sqlite:///{store}",
        "FOREST_OUTPUT": str(archive),
        "FOREST_ALLOW_NETWORKS": "127.70.0.0/16",
        "FOREST_ALLOW_PORTS": "any",
        "FOREST_WORKERS": "1",
        "DOWNLOAD_DELAY": "0",
    }
    changed = [word for name, value in settings.items() for word in ("-s", f"{name}={value}")]
    feed = f"feeds={server.url(SITE, '/feed.xml')}"
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "crawl", "feeds", "-a", feed, "-O", exported, *changed],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert "ERROR" not in done.stderr
    archived = [json.loads(line) for line in archive.read_text().splitlines()]
    assert len(archived) == PAGES
    lines = [json.loads(line) for line in exported.read_text().splitlines()]
    assert sorted(lines, key=lambda row: row["id"]) == sorted(archived, key=lambda row: row["id"])


def test_addon_alone_stores_nothing(runs: dict[str, Run]) -> None:
    assert not (runs["addon"].directory / "forest.db").exists()
    assert not (runs["addon"].directory / "articles.jsonl").exists()


def test_requests_name_the_crawler_unless_the_project_names_itself(
    runs: dict[str, Run], server: FaultServer
) -> None:
    agents = {hit.headers["user-agent"].partition("/")[0] for hit in server.log(SITE)}
    assert agents == {"forest-crawler", "Scrapy"}  # with the add-on, and with the pipeline alone


def test_stopped_crawl_leaves_other_crawls_of_its_process_running(
    server: FaultServer, tmp_path: Path
) -> None:
    (tmp_path / "crawls.py").write_text(TWO_CRAWLS)
    done = subprocess.run(
        [sys.executable, "crawls.py", server.url(SITE, "/fault/stall")],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert "/fault/stall" in server.paths(SITE)
    assert done.stdout == "other: finished\n", done.stderr
    assert "Traceback" not in done.stderr
