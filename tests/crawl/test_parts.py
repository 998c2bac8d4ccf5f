"""`forest crawl` on sites whose articles continue on further pages."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.metadata.next_pages import MAX_PARTS
from forest_crawler.store import open_store
from forest_crawler.store.crash_points import VARIABLE
from tests.support.crawl_process import QUICK, Crawl, ids
from tests.support.crawl_zygote import the_zygote
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

TWO, LOST, ELSEWHERE, ENDLESS = (f"127.1.5.{n}" for n in range(1, 5))
# Every run begins with a batch, its sources; each further batch gets the crawl one step further.
KILLED = {"batch-after-commit:2": "127.1.5.5", "batch-before-commit:3": "127.1.5.6"}
PLAN: dict[str, Any] = {"pages": 130, "feed_entries": 10, "parts": 2, "family": 0}
NUMBERS = range(121, 131)
"""Articles in the feeds. Numbers of three digits aren't taken for the pages of an article."""

GONE = {f"/article/{n}/2": "/fault/status?code=404" for n in (123, 125)}
ONE_GONE = {"/article/128/2": "/fault/status?code=404"}
MOVED = {f"/article/{n}/2": f"/fault/redirect-to?to=/article/{n}" for n in (123, 125)}


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        plans: dict[str, dict[str, Any]] = {
            TWO: PLAN,
            LOST: PLAN | {"routes": GONE},
            ELSEWHERE: PLAN | {"routes": MOVED},
            ENDLESS: PLAN | {"parts": 40, "feed_entries": 4},
        } | {site: PLAN | {"feed_entries": 4, "routes": ONE_GONE} for site in KILLED.values()}
        running.plan(plans)
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    feeds = [server.url(site, "/feed.xml") for site in (TWO, LOST, ELSEWHERE, ENDLESS)]
    made = Crawl(tmp_path_factory.mktemp("parts"), tuple(feeds), (*QUICK, "-s", "RETRY_TIMES=0"))
    run = made.run("-v")
    assert run.returncode == 0, run.stderr
    (made.directory / "log").write_text(run.stderr)
    return made


def articles_of(crawl: Crawl, site: str) -> dict[int, dict[str, Any]]:
    """Return a site's articles by number; each number has only one."""
    found = [article for article in crawl.articles() if article["site"] == site]
    numbered = {int(article["url"].rpartition("/")[2]): article for article in found}
    assert len(numbered) == len(found)
    return numbered


def has_all(site: str, number: int, text: str) -> bool:
    return all(paragraph in text for paragraph in article_of(site, number).paragraphs)


def test_parts_are_joined_and_no_part_is_an_article(crawl: Crawl) -> None:
    found = articles_of(crawl, TWO)
    assert sorted(found) == list(NUMBERS)
    for number, article in found.items():
        assert has_all(TWO, number, article["text"])
        assert article["text"].count(article_of(TWO, number).paragraphs[0]) == 1


def test_every_part_is_fetched_once(crawl: Crawl, server: FaultServer) -> None:
    hits = Counter(path for path in server.paths(TWO) if path.startswith("/article/"))
    wanted = {f"/article/{n}" for n in NUMBERS} | {f"/article/{n}/2" for n in NUMBERS}
    assert hits == Counter(wanted)


@pytest.mark.parametrize("site", [LOST, ELSEWHERE], ids=["gone", "leads-to-the-first-page"])
def test_missing_part_leaves_an_article_of_the_other_parts(crawl: Crawl, site: str) -> None:
    found = articles_of(crawl, site)
    assert sorted(found) == list(NUMBERS)
    assert {n for n in NUMBERS if not has_all(site, n, found[n]["text"])} == {123, 125}
    for number in (123, 125):
        assert article_of(site, number).paragraphs[0] in found[number]["text"]


def test_endless_article_ends_at_the_max_number_of_parts(crawl: Crawl, server: FaultServer) -> None:
    assert len(articles_of(crawl, ENDLESS)) == 4
    hits = [path for path in server.paths(ENDLESS) if path.startswith("/article/130")]
    assert len(hits) == MAX_PARTS


def test_stats_count_joined_and_missing_parts(crawl: Crawl) -> None:
    # Three sites have ten articles of two pages, and two of the sites lose two parts each; the
    # endless articles have nine each.
    log = (crawl.directory / "log").read_text()
    assert "'forest/parts/missing': 4," in log
    assert f"'forest/parts/joined': {10 + 8 + 8 + 4 * (MAX_PARTS - 1)}," in log


def test_parts_are_in_the_account(crawl: Crawl) -> None:
    with open_store(crawl.store) as store:
        account = store.account()
    # Ten per site, less two if they are lost; and nine of each of the four endless articles.
    assert account["skipped"]["part"] == 10 + 8 + 8 + 4 * (MAX_PARTS - 1)
    assert account["skipped"]["moved"] == 2
    assert account["pending"] == 0
    resolved = sum(account["skipped"].values()) + sum(account["failed"].values())
    assert account["scheduled"] == account["archived"] + resolved


@pytest.mark.parametrize("point", KILLED)
def test_crawl_that_is_killed_at_every_step_loses_and_repeats_nothing(
    server: FaultServer, tmp_path: Path, point: str
) -> None:
    site = KILLED[point]
    options = (*QUICK, "-q", "-s", "RETRY_TIMES=0")
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),), options)
    command, log = crawl.arguments(), tmp_path / "log"
    zygote = the_zygote()
    kills = 0
    while zygote.run(command, log, env={VARIABLE: point}) == -signal.SIGKILL:
        kills += 1
        assert kills < 20, "a run that is killed after a step has not gone on by one"
    assert kills >= 4  # the feed; first pages; their next pages; parts
    assert zygote.run(command, log, env={VARIABLE: ""}) == 0, log.read_text()
    found = articles_of(crawl, site)
    assert sorted(found) == [127, 128, 129, 130]
    assert {n for n in found if not has_all(site, n, found[n]["text"])} == {128}
    assert len(set(ids(crawl.articles()))) == 4
    with open_store(crawl.store) as store:
        assert store.account()["skipped"] == {"part": 3}
