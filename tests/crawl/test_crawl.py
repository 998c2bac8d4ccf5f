"""`forest crawl` end to end: pages are fetched once, articles archived once."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.store import open_store
from tests.support.crawl_process import ROOT, Crawl, ids
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

FEED, HOME, FLIPPED, SMALL, TEMPORARY = (f"127.1.0.{n}" for n in range(1, 6))
WALL, NO_FEED, LOOPING = "127.1.0.7", "127.1.0.8", "127.1.0.9"
WALL_BODY = "<html><body><form><h1>Sign in</h1><p>Your name<input><p>Password<input></form>"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        yield running


@pytest.fixture(scope="module")
def crawl(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> Crawl:
    """Return a crawl of all kinds of sources, which the tests below run."""
    wall = f"/fault/text?type=text/html&body={WALL_BODY}"
    server.plan(
        {
            "*": {"pages": 12},
            FLIPPED: {"pages": 60, "flip_at": 31},
            SMALL: {"pages": 3},
            TEMPORARY: {"pages": 1},
            WALL: {"routes": {f"/article/{n}": wall for n in (3, 7)}},
            NO_FEED: {"routes": {"/feed.xml": "/fault/status?code=404"}},
        }
    )
    sources = [
        *(server.url(site, "/feed.xml") for site in (FEED, FLIPPED, SMALL, TEMPORARY, WALL)),
        *(server.url(site) for site in (HOME, NO_FEED)),
        server.url(LOOPING, "/fault/chain"),
    ]
    directory = tmp_path_factory.mktemp("crawl")
    listed = directory / "list.txt"
    listed.write_text("# sources\n" + "\n".join(sources) + "\n")
    return Crawl(directory, (str(listed),))


@pytest.fixture(scope="module")
def first(crawl: Crawl) -> subprocess.CompletedProcess[str]:
    return crawl.run_alone()


@pytest.fixture(scope="module")
def by_site(crawl: Crawl, first: subprocess.CompletedProcess[str]) -> Counter[str]:
    assert first.returncode == 1, first.stderr  # one of the sources redirects to itself
    return Counter(article["site"] for article in crawl.articles())


def test_every_article_of_every_feed_is_archived_once(crawl: Crawl, by_site: Counter[str]) -> None:
    expected = {FEED: 12, HOME: 12, FLIPPED: 60, SMALL: 3, TEMPORARY: 1}
    assert {site: by_site[site] for site in expected} == expected
    assert len(set(ids(crawl.articles()))) == len(crawl.articles())


def test_text_is_the_article_and_nothing_else(crawl: Crawl, by_site: Counter[str]) -> None:
    (article,) = (
        a for a in crawl.articles() if a["site"] == FEED and a["url"].endswith("/article/7")
    )
    assert article["extractor"] == "wrapper"
    for paragraph in article_of(FEED, 7).paragraphs:
        assert paragraph in article["text"]
    assert "All rights reserved" not in article["text"]


@pytest.mark.usefixtures("first")
def test_every_page_is_fetched_once(server: FaultServer) -> None:
    hits = Counter((hit.site, hit.path) for hit in server.log() if "/article/" in hit.path)
    assert set(hits.values()) == {1}


@pytest.mark.usefixtures("first")
def test_robots_txt_is_fetched_before_any_page_of_its_site(server: FaultServer) -> None:
    for site in (FEED, HOME, FLIPPED):
        assert server.paths(site)[0] == "/robots.txt"


def test_redesign_in_mid_crawl_loses_no_article_and_wrappers_follow(
    crawl: Crawl, by_site: Counter[str]
) -> None:
    articles = [a for a in crawl.articles() if a["site"] == FLIPPED]
    assert len(articles) == 60
    for article in articles:
        number = int(article["url"].rpartition("/")[2])
        assert article_of(FLIPPED, number).paragraphs[-1] in article["text"]
    with open_store(crawl.store) as store:
        assert store.wrapper_history(FLIPPED)[0].reason == "drift"
    # Pages that miss together wait for new wrappers; fewer than four aren't a redesign.
    assert sum(a["extractor"] != "wrapper" for a in articles) < 10


def test_page_without_siblings_is_extracted_by_the_page_level_method(
    crawl: Crawl, by_site: Counter[str]
) -> None:
    (article,) = (a for a in crawl.articles() if a["site"] == TEMPORARY)
    assert article["extractor"] == "page:page"
    assert article["wrapper_id"] is None


def test_wall_is_skipped_by_reason_and_its_siblings_are_not(
    crawl: Crawl, by_site: Counter[str]
) -> None:
    assert by_site[WALL] == 10
    with open_store(crawl.store) as store:
        skipped = store.account()["skipped"]
    assert sum(n for reason, n in skipped.items() if reason.startswith("no-article-")) == 2


def test_site_without_feed_gives_the_articles_that_its_home_page_links_to(
    by_site: Counter[str],
) -> None:
    assert by_site[NO_FEED] == 10  # the generated home page has the latest ten


def test_account_adds_up(crawl: Crawl, by_site: Counter[str]) -> None:
    with open_store(crawl.store) as store:
        account = store.account()
    resolved = sum(account["skipped"].values()) + sum(account["failed"].values())
    assert account["scheduled"] == account["archived"] + resolved + account["pending"]
    assert account["archived"] == len(crawl.articles()) == by_site.total()
    assert account["pending"] == account["held"] == 0


def test_summary_names_every_site_and_every_failed_source(
    first: subprocess.CompletedProcess[str], crawl: Crawl
) -> None:
    lines = first.stderr.splitlines()
    (line,) = (line for line in lines if line.startswith(f"forest: {FEED}: "))
    assert re.fullmatch(r".*: 12 articles, agreement \d+ % on \d+ pages, wrappers induced", line)
    assert any("/fault/chain: redirects" in line for line in lines)
    assert any(line.endswith(f"in all: {crawl.output}") for line in lines)
    assert "Traceback" not in first.stderr


@pytest.mark.usefixtures("first")
def test_second_run_fetches_no_page_again_and_polls_feeds_conditionally(
    crawl: Crawl, server: FaultServer
) -> None:
    before = crawl.output.read_bytes()
    server.clear()
    server.plan({FEED: {"pages": 14}})
    second = crawl.run("--now")
    assert second.returncode == 1, second.stderr
    pages = [hit.path for hit in server.log() if "/article/" in hit.path]
    assert sorted(pages) == ["/article/13", "/article/14"]
    (feed,) = (hit for hit in server.log(HOME) if hit.path == "/feed.xml")
    assert feed.headers["if-none-match"]
    assert crawl.output.read_bytes().startswith(before)
    assert "wrappers induced" not in second.stderr


def test_nothing_reachable_exits_with_its_own_code(tmp_path: Path, server: FaultServer) -> None:
    crawl = Crawl(tmp_path, (server.url("127.1.0.20", "/fault/rst"),))
    result = crawl.run()
    assert result.returncode == 3, result.stderr
    assert "/fault/rst: connection" in result.stderr


def test_feed_without_entries_is_named_as_the_reason(tmp_path: Path, server: FaultServer) -> None:
    server.plan({"127.1.0.23": {"pages": 0}})
    result = Crawl(tmp_path, (server.url("127.1.0.23", "/feed.xml"),)).run()
    assert result.returncode == 3, result.stderr
    assert "/feed.xml: the feed has no entries yet" in result.stderr


def test_run_with_nothing_to_read_prints_only_its_summary(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, ("http://127.0.0.1:1/feed",), options=())  # a port that is refused
    result = crawl.run_alone()
    assert result.returncode == 3
    assert [line for line in result.stderr.splitlines() if not line.startswith("forest: ")] == []


def test_source_refused_by_the_options_is_reported_with_the_option_and_polled_once_allowed(
    tmp_path: Path, server: FaultServer
) -> None:
    server.plan({"127.1.0.22": {"pages": 3}})
    lists = (server.url("127.1.0.22", "/feed.xml"),)
    for options, advice in (
        (("--allow-network", "127.0.0.0/8"), "port (isn't a usual port"),
        (("--allow-port", "any"), "private-address (isn't on the public internet"),
    ):
        refused = Crawl(tmp_path, lists, options).run("-v")
        assert refused.returncode == 3, refused.stderr
        assert f"/feed.xml: {advice}" in refused.stderr
        # In the log, too, which is all that `scrapy crawl` has.
        (logged,) = (it for it in refused.stderr.splitlines() if " refused: " in it)
        assert logged.endswith(f"({advice.partition(' ')[0]})")
        assert "/feed.xml" in logged
    assert server.paths("127.1.0.22") == []
    allowed = Crawl(tmp_path, lists)
    assert allowed.run().returncode == 0
    assert len(allowed.articles()) == 3


def test_terminal_shows_the_numbers_of_the_crawl_and_log_lines_can_be_json(
    tmp_path: Path, server: FaultServer
) -> None:
    server.plan({"127.1.0.21": {"pages": 5}})
    crawl = Crawl(tmp_path, (server.url("127.1.0.21", "/feed.xml"),))
    terminal, its_end = pty.openpty()
    with subprocess.Popen(crawl.command(), stderr=its_end, cwd=ROOT) as process:
        os.close(its_end)
        shown = read_terminal(terminal)
    assert process.returncode == 0
    for name in ("sites", "pages", "articles", "fallbacks", "errors", "waiting"):
        assert name in shown
    assert "5 new articles, 5 in all" in shown
    logged = crawl.run("--now", "--json-log", "-q").stderr
    assert all(json.loads(line)["message"] for line in logged.splitlines())


def read_terminal(terminal: int) -> str:
    pieces = []
    try:
        while piece := os.read(terminal, 65536):
            pieces.append(piece)
    except OSError:  # the other end of the terminal is closed
        pass
    finally:
        os.close(terminal)
    return b"".join(pieces).decode()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no feed or page URL in it"),
        ("ftp://gazette.example/\n", "list.txt:1: not an http:// or https:// URL"),
        ("<rss/>", "this is a feed, not a list of feeds"),
    ],
    ids=["empty", "other scheme", "a feed"],
)
def test_wrong_list_is_reported_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    listed = tmp_path / "list.txt"
    listed.write_text(text)
    result = CliRunner().invoke(main, ["crawl", str(listed), "--store", f"sqlite:///{tmp_path}/s"])
    assert result.exit_code == 2
    assert message in result.stderr
