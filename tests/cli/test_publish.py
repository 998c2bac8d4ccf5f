"""`forest publish` gives feeds in Miniflux and FreshRSS their rules, and loses nothing there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from lxml import etree

from forest_crawler.cli import main
from forest_crawler.store import open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.reader_servers import (
    PASSWORD,
    TOKEN,
    FreshRssServer,
    MinifluxServer,
    ReaderServer,
    served,
)

SITE = "gazette.example"
FEED = f"http://{SITE}/feed.xml"
WRAPPER = Wrapper(SITE, "forest", "portable", ("//article",), ("//aside",), 4, 5)
SPACE = "https://freshrss.org/opml"
RULES = {"scraper_rules": "article", "rewrite_rules": 'remove("aside")', "crawler": True}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = f"sqlite:///{tmp_path_factory.mktemp('publish') / 'forest.db'}"
    with open_store(url) as opened:
        source = opened.add_source(FEED)
        opened.update_source(source.id, feed_url=FEED, site=SITE, title="The Gazette")
        opened.replace_wrappers(SITE, [WRAPPER], "induced")
    return url


@pytest.fixture
def miniflux() -> Iterator[MinifluxServer]:
    server = MinifluxServer()
    with served(server):
        yield server


@pytest.fixture
def freshrss() -> Iterator[FreshRssServer]:
    server = FreshRssServer()
    with served(server):
        yield server


def run(name: str, server: ReaderServer, store: str, *more: str) -> Result:
    login = ["--token", TOKEN] if name == "miniflux" else ["--user", "admin"]
    login += [] if name == "miniflux" else ["--password", PASSWORD]
    command = ["publish", name, "--store", store, "--url", server.url, *login, *more]
    return CliRunner().invoke(main, command)


def test_a_new_feed_is_added_to_miniflux_with_its_rules(
    store: str, miniflux: MinifluxServer
) -> None:
    result = run("miniflux", miniflux, store)
    assert result.exit_code == 0, result.stderr
    assert miniflux.feeds == [{"id": 1, "feed_url": FEED} | RULES]
    assert f"{FEED}: added" in result.stderr
    assert TOKEN not in result.output


def test_a_feed_that_exists_gets_the_rules_once(store: str, miniflux: MinifluxServer) -> None:
    own = {"title": "My name", "scraper_rules": "", "rewrite_rules": "", "crawler": False}
    miniflux.feeds = [{"id": 1, "feed_url": f"{FEED}?utm_source=x"} | own]
    assert run("miniflux", miniflux, store).exit_code == 0
    assert miniflux.feeds[0]["title"] == "My name"
    assert miniflux.feeds[0] | RULES == miniflux.feeds[0]
    again = run("miniflux", miniflux, store)
    assert f"{FEED}: unchanged" in again.stderr
    assert [it for it in miniflux.requests if it.startswith("PUT")] == ["PUT /v1/feeds/1"]


def test_rules_of_ones_own_are_kept_unless_replaced(store: str, miniflux: MinifluxServer) -> None:
    miniflux.feeds = [{"id": 1, "feed_url": FEED, "scraper_rules": "main", "rewrite_rules": ""}]
    kept = run("miniflux", miniflux, store)
    assert kept.exit_code == 1
    assert "has rules of its own; --replace" in kept.stderr
    assert miniflux.feeds[0]["scraper_rules"] == "main"
    assert run("miniflux", miniflux, store, "--replace").exit_code == 0
    assert miniflux.feeds[0]["scraper_rules"] == "article"


def test_a_feed_that_miniflux_refuses_is_named(store: str, miniflux: MinifluxServer) -> None:
    miniflux.refused = {FEED}
    result = run("miniflux", miniflux, store)
    assert result.exit_code == 1
    assert "answers 500" in result.stderr
    assert "unable to fetch" in result.stderr


def test_a_wrong_token_says_where_to_make_one(store: str, miniflux: MinifluxServer) -> None:
    result = run("miniflux", miniflux, store, "--token", "wrong")
    assert result.exit_code == 2
    assert "Settings → API Keys" in result.stderr


class _Moved(ReaderServer):
    def reply(self, *_: object) -> tuple[int, bytes]:
        return 301, b"http://127.0.0.1:1/elsewhere"


def test_a_token_is_not_sent_to_where_a_redirect_leads(store: str) -> None:
    with served(_Moved()) as moved:
        result = run("miniflux", moved, store)
    assert result.exit_code == 2
    assert "redirects to http://127.0.0.1:1/elsewhere; give that address" in result.stderr


def test_freshrss_gets_a_new_feed_with_title_website_and_rules(
    store: str, freshrss: FreshRssServer
) -> None:
    result = run("freshrss", freshrss, store)
    assert result.exit_code == 0, result.stderr
    (outline,) = _imported(freshrss).findall(".//outline")
    assert outline.get("title") == "The Gazette"
    assert outline.get("htmlUrl") == f"http://{SITE}/"
    assert outline.get(f"{{{SPACE}}}cssFullContent") == "article"
    assert outline.get(f"{{{SPACE}}}cssFullContentFilter") == "aside"
    assert PASSWORD not in result.output


KNOWN = f"""<opml version="2.0" xmlns:frss="{SPACE}"><head/><body><outline text="News">
<outline text="My name" type="rss" xmlUrl="{FEED}" htmlUrl="http://mine.example/"
 description="My words" frss:priority="important" %s/></outline></body></opml>"""


def test_a_feed_in_freshrss_keeps_all_that_it_has(store: str, freshrss: FreshRssServer) -> None:
    freshrss.opml = (KNOWN % "").encode()
    assert run("freshrss", freshrss, store).exit_code == 0
    root = _imported(freshrss)
    (outline,) = root.findall("./body/outline[@text='News']/outline")
    kept = {name: outline.get(name) for name in ("text", "htmlUrl", "description")}
    expected = {"text": "My name", "htmlUrl": "http://mine.example/", "description": "My words"}
    assert kept == expected
    assert outline.get(f"{{{SPACE}}}priority") == "important"
    assert outline.get(f"{{{SPACE}}}cssFullContent") == "article"
    assert len(root.findall(".//outline[@xmlUrl]")) == 1


def test_rules_in_freshrss_are_kept_unless_replaced(store: str, freshrss: FreshRssServer) -> None:
    freshrss.opml = (KNOWN % 'frss:cssFullContent="main"').encode()
    assert run("freshrss", freshrss, store).exit_code == 1
    assert freshrss.imported is None
    assert run("freshrss", freshrss, store, "--replace").exit_code == 0
    (outline,) = _imported(freshrss).findall(".//outline[@xmlUrl]")
    assert outline.get(f"{{{SPACE}}}cssFullContent") == "article"


def test_freshrss_says_what_to_set_if_it_refuses_a_password(
    store: str, freshrss: FreshRssServer
) -> None:
    result = run("freshrss", freshrss, store, "--password", "wrong")
    assert result.exit_code == 2
    assert "API password" in result.stderr


def test_a_reader_that_does_not_answer_is_named(store: str) -> None:
    server = MinifluxServer()
    server.server_close()
    result = run("miniflux", server, store)
    assert result.exit_code == 2
    assert "doesn't answer" in result.stderr
    assert "check --url" in result.stderr


def test_a_store_without_wrappers_has_nothing_to_publish(
    tmp_path: Path, miniflux: MinifluxServer
) -> None:
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    with open_store(url):
        pass
    result = run("miniflux", miniflux, url)
    assert result.exit_code == 3
    assert "nothing to publish" in result.stderr


def _imported(server: FreshRssServer) -> etree._Element:
    assert server.imported is not None
    return etree.fromstring(server.imported)
