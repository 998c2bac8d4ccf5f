"""Sources of a crawl: feeds that move, vanish, turn into pages, or name odd URLs."""

from __future__ import annotations

import json
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest

from forest_crawler.store import Source, open_store
from forest_crawler.urls.link_keys import key_links
from tests.support.crawl_process import QUICK, Crawl, stop
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of
from tests.support.waiting import wait_until

MOVED, LENT, GONE, TURNED, SHARED, ROLLING, PAGED, ODD, MAPPED, PATH, BOMB, DEEP = (
    f"127.2.0.{n}" for n in range(1, 13)
)
FEEDS = 50
BOMB_BODY = (
    '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;"><!ENTITY c "&b;&b;&b;">]>'
    "<rss><channel><title>&c;</title></channel></rss>"
)


def rss(*links: str, guid: str = "", more: str = "") -> str:
    items = "".join(
        f"<item><title>T</title><link>{x}</link><guid>{guid or x}</guid></item>" for x in links
    )
    return f'<rss version="2.0" xmlns:a="http://www.w3.org/2005/Atom"><channel><title>F</title>{more}{items}</channel></rss>'


def store_key(url: str) -> str:
    (keyed,) = key_links([url])
    assert keyed is not None
    return keyed.key


def text(body: str, kind: str = "application/rss+xml") -> str:
    """Return the path under which the server answers with this body."""
    return f"/fault/text?type={kind}&body={quote(body)}"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        yield running


def plans(server: FaultServer) -> dict[str, dict[str, object]]:
    def routes(site: str, **paths: str) -> dict[str, object]:
        return {"pages": 2, "routes": {f"/{name}": target for name, target in paths.items()}}

    next_page = f'<a:link rel="next" href="{server.url(PAGED, "/feed?page=2")}"/>'
    odd = ["file:///etc/hostname", "javascript:alert(1)", "http://user:pw@127.2.0.1/", "/article/1"]
    pages = "".join(f"<url><loc>{server.url(MAPPED, f'/article/{n}')}</loc></url>" for n in (1, 2))
    shared = text(rss(server.url(SHARED, "/article/1")))
    return {
        MOVED: routes(MOVED, old="/fault/redirect-to?to=/feed.xml&status=301"),
        LENT: routes(LENT, old="/fault/redirect-to?to=/feed.xml&status=302"),
        GONE: routes(GONE, feed="/fault/status?code=410"),
        TURNED: routes(TURNED),
        SHARED: routes(SHARED, **{f"feed-{n}": shared for n in range(FEEDS)}),
        ROLLING: routes(ROLLING, feed=text(rss(server.url(ROLLING, "/article/1"), guid="g-1"))),
        PAGED: routes(PAGED, feed=text(rss(server.url(PAGED, "/article/1"), more=next_page))),
        ODD: routes(ODD, feed=text(rss(*odd))),
        MAPPED: {
            "routes": {
                "/": text("<p>Welcome to our site, which has no feed", "text/html"),
                "/feed.xml": "/fault/status?code=404",
                "/sitemap.xml": text(f"<urlset>{pages}</urlset>", "application/xml"),
            },
            "pages": 2,
        },
        PATH: {
            "routes": {"/feed": text("/etc/hostname"), "/feed.xml": "/fault/status?code=404"},
        },
        BOMB: routes(BOMB, feed=text(BOMB_BODY)),
        DEEP: routes(
            DEEP,
            feed=text(rss(server.url(DEEP, "/deep"))),
            deep=text("<html><body>" + "<div>" * 5000 + "The end", "text/html"),
        ),
    }


@dataclass(frozen=True, slots=True)
class TwoRuns:
    """A crawl, and its state after the first and the second run."""

    logs: tuple[str, str]
    sources: tuple[Mapping[str, Source], Mapping[str, Source]]
    paths: tuple[Mapping[str, list[str]], Mapping[str, list[str]]]
    second_began: float
    crawl: Crawl


@pytest.fixture(scope="module")
def runs(server: FaultServer, tmp_path_factory: pytest.TempPathFactory) -> TwoRuns:
    server.plan(plans(server))
    lists = [
        *(server.url(site, "/old") for site in (MOVED, LENT)),
        *(server.url(site, "/feed") for site in (GONE, ROLLING, PAGED, ODD, PATH, BOMB, DEEP)),
        *(server.url(SHARED, f"/feed-{n}") for n in range(FEEDS)),
        server.url(TURNED, "/feed.xml"),
        server.url(MAPPED),
    ]
    crawl = Crawl(tmp_path_factory.mktemp("sources"), tuple(lists), (*QUICK, "-v", "--now"))
    first = run(crawl, server)
    turned = {"/feed.xml": text("<p>Buy this domain", "text/html")}
    again = text(rss(server.url(ROLLING, "/article/1"), guid="g-2"))
    server.plan({TURNED: {"routes": turned}, ROLLING: {"routes": {"/feed": again}}})
    began = time.time()
    second = run(crawl, server)
    logs, sources, paths = (first[0], second[0]), (first[1], second[1]), (first[2], second[2])
    return TwoRuns(logs, sources, paths, began, crawl)


def run(crawl: Crawl, server: FaultServer) -> tuple[str, dict[str, Source], dict[str, list[str]]]:
    server.clear()
    result = crawl.run()
    assert result.returncode == 1, result.stderr[-2000:]
    with open_store(crawl.store) as store:
        found = {source.url: source for source in store.sources()}
    paths: dict[str, list[str]] = {}
    for hit in server.log():
        paths.setdefault(hit.site, []).append(hit.path)
    return result.stderr, found, paths


STORIES, CLOSED, SCOPED = "127.2.1.1", "127.2.1.2", "127.2.1.3"


def test_stories_that_differ_in_a_parameter_only_are_fetched_and_archived_each(
    server: FaultServer, tmp_path: Path
) -> None:
    stories = [f"/article.pl?sid={n}" for n in range(12)] + ["/view?m=0", "/view?m=1"]
    routes = {story: f"/article/{n}" for n, story in enumerate(stories, 1)}
    routes["/feed"] = text(rss(*(server.url(STORIES, story) for story in stories)))
    server.plan({STORIES: {"pages": len(stories), "routes": routes}})
    crawl = Crawl(tmp_path, (server.url(STORIES, "/feed"),))
    result = crawl.run("--warc", str(tmp_path / "warc"))
    assert result.returncode == 0, result.stderr
    assert sorted(p for p in server.paths(STORIES) if "?" in p) == sorted(stories)
    wanted = {article_of(STORIES, n).title for n in range(1, len(stories) + 1)}
    assert {article["title"] for article in crawl.articles()} == wanted
    again = Crawl(tmp_path / "again", ())
    read = again.run("--from-warc", str(next((tmp_path / "warc").iterdir())))
    assert read.returncode == 0, read.stderr
    assert {article["title"] for article in again.articles()} == wanted


def test_pages_out_of_scope_are_not_fetched_but_recorded_and_later_runs_can_want_them(
    server: FaultServer, tmp_path: Path
) -> None:
    server.plan({SCOPED: {"pages": 4}})
    crawl = Crawl(tmp_path, (server.url(SCOPED, "/feed.xml"),), (*QUICK, "--now"))
    result = crawl.run("-v", "--match", "/article/[123]$", "--reject", "/3$")
    assert result.returncode == 0, result.stderr
    assert "forest/capped" not in result.stderr  # no limit of pages left them out
    assert sorted(it for it in server.paths(SCOPED) if "/article/" in it) == [
        "/article/1",
        "/article/2",
    ]
    rows = [json.loads(line) for line in (tmp_path / "skipped.jsonl").read_text().splitlines()]
    assert {row["url"][-2:]: row["reason"] for row in rows} == {
        "/3": "scope-reject",
        "/4": "scope-match",
    }
    with open_store(crawl.store) as store:  # as if the pause were over
        assert store.reopen([store_key(row["url"]) for row in rows], at_once=True) == 2
    assert crawl.run().returncode == 0
    assert len(crawl.articles()) == 4


def test_feed_whose_every_entry_is_refused_says_why(server: FaultServer, tmp_path: Path) -> None:
    feed = text(rss("http://10.0.0.1/a", "http://10.0.0.2/b", "ftp://127.2.1.2/c"))
    unlinked = "".join(f"<item><title>{name}</title></item>" for name in ("Rain", "Snow"))
    server.plan({CLOSED: {"routes": {"/feed": feed, "/bare": text(rss(more=unlinked))}}})
    feeds = (server.url(CLOSED, "/feed"), server.url(CLOSED, "/bare"))
    crawl = Crawl(tmp_path, feeds, (*QUICK, "-q", "--now"))
    for _ in range(2):  # the second run doesn't forget
        result = crawl.run()
        assert result.returncode == 1, result.stderr
        assert "/feed: all 3 entries refused (private address: 2, scheme: 1) (isn't on the " in (
            result.stderr
        )
        assert "/bare: all 2 entries refused (no link: 2)\n" in result.stderr


def test_permanently_moved_feed_is_polled_at_its_new_url(
    runs: TwoRuns, server: FaultServer
) -> None:
    assert runs.sources[0][server.url(MOVED, "/old")].feed_url == server.url(MOVED, "/feed.xml")
    assert "/old" not in runs.paths[1][MOVED]


def test_temporarily_moved_feed_keeps_its_url(runs: TwoRuns, server: FaultServer) -> None:
    assert runs.sources[0][server.url(LENT, "/old")].feed_url == server.url(LENT, "/old")
    assert "/old" in runs.paths[1][LENT]


def test_feed_that_is_gone_is_reported_and_not_polled_again(runs: TwoRuns) -> None:
    assert runs.paths[0][GONE].count("/feed") == 1
    assert GONE not in runs.paths[1]
    assert f"{GONE}" in runs.logs[1]


def test_feed_that_turned_into_a_page_backs_off_and_keeps_its_url(
    runs: TwoRuns, server: FaultServer
) -> None:
    source = runs.sources[1][server.url(TURNED, "/feed.xml")]
    assert (source.failures, source.feed_url) == (1, server.url(TURNED, "/feed.xml"))
    assert source.next_poll > runs.second_began + 800


def test_article_that_fifty_feeds_name_is_fetched_once_and_has_fifty_references(
    runs: TwoRuns, server: FaultServer
) -> None:
    assert runs.paths[0][SHARED].count("/article/1") == 1
    key = server.url(SHARED, "/article/1").removeprefix("http://")
    with open_store(runs.crawl.store) as store:
        assert len(store.mentions(key)) == FEEDS


def test_new_guid_for_a_known_url_fetches_nothing(runs: TwoRuns) -> None:
    assert "/article/1" in runs.paths[0][ROLLING]
    assert "/article/1" not in runs.paths[1][ROLLING]


def test_next_pages_of_a_feed_are_not_followed_by_default(runs: TwoRuns) -> None:
    assert runs.paths[0][PAGED].count("/feed") == 1
    assert not any("page=" in path for path in runs.paths[0][PAGED])


def test_next_pages_are_followed_while_they_name_new_pages(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.3"
    pages = {
        f"/feed?page={n}": text(
            rss(
                server.url(site, f"/article/{min(n, 2)}"),  # nothing new from the third page on
                more=f'<a:link rel="next" href="{server.url(site, f"/feed?page={n + 1}")}"/>',
            )
        )
        for n in range(1, 9)
    }
    server.plan({site: {"pages": 2, "routes": pages}})
    options = (*QUICK, "-s", "FOREST_FEED_PAGES=10")
    result = Crawl(tmp_path, (server.url(site, "/feed?page=1"),), options).run()
    assert result.returncode == 0, result.stderr
    polled = [path for path in server.paths(site) if path.startswith("/feed")]
    assert polled == [f"/feed?page={n}" for n in (1, 2, 3)]


def test_links_that_must_not_be_followed_are_counted_and_the_others_are_fetched(
    runs: TwoRuns,
) -> None:
    assert "/article/1" in runs.paths[0][ODD]
    assert "'forest/refused/scheme': 2" in runs.logs[0]
    assert "'forest/refused/credentials': 1" in runs.logs[0]


def test_site_without_feed_is_read_by_its_sitemap(runs: TwoRuns) -> None:
    assert {"/article/1", "/article/2"} <= set(runs.paths[0][MAPPED])


def test_body_that_names_a_file_opens_nothing(runs: TwoRuns, server: FaultServer) -> None:
    assert runs.sources[0][server.url(PATH, "/feed")].status == "no feed found"
    host = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").exists() else "?"
    assert f"{host}/" not in runs.crawl.output.read_text()


def test_entity_bomb_is_reported_by_its_reason(runs: TwoRuns, server: FaultServer) -> None:
    assert runs.sources[0][server.url(BOMB, "/feed")].status == "entities"


def test_page_deeper_than_the_parser_goes_is_skipped_by_its_reason(runs: TwoRuns) -> None:
    with open_store(runs.crawl.store) as store:
        assert store.account()["skipped"] == {"too-deep": 1}


def test_watch_polls_a_feed_when_it_is_due_and_stops_on_a_signal(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.1"
    server.plan({site: {"pages": 2}})
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),), (*QUICK, "--watch"))
    began, due = time.time(), time.monotonic() + 3
    with open_store(crawl.store) as store:
        source = store.add_source(crawl.lists[0])
        store.update_source(source.id, next_poll=began + 3)
    server.clear()
    process = crawl.start()
    try:
        wait_until(lambda: count_lines(crawl.output) == 2, "two articles are archived")
        assert process.poll() is None
    finally:
        said = stop(process)
    assert process.returncode == 130, said
    assert all(hit.time >= due for hit in server.log(site) if hit.path == "/feed.xml")
    with open_store(crawl.store) as store:
        assert store.get_source(source.id).next_poll > began + 800


def count_lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def test_sources_that_are_not_due_are_not_polled_without_now(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.2"
    server.plan({site: {"pages": 1}})
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),))
    first: subprocess.CompletedProcess[str] = crawl.run()
    assert first.returncode == 0, first.stderr
    server.clear()
    second = crawl.run()
    assert second.returncode == 0
    assert server.log(site) == []
    assert "1 source is not due yet; --now polls it anyway" in second.stderr


def test_dead_sources_are_told_apart_and_named_in_every_run(
    server: FaultServer, tmp_path: Path
) -> None:
    good, broken, refusing = "127.2.1.5", "127.2.1.6", "127.2.1.7"
    server.plan({good: {"pages": 2}, broken: {"routes": {"/robots.txt": "/fault/status?code=500"}}})
    with socket.socket() as unheard:  # bound, so that nobody else listens there
        unheard.bind((refusing, 0))
        dead = {
            server.url(broken, "/feed.xml"): "robots-http-500",
            f"http://{refusing}:{unheard.getsockname()[1]}/feed.xml": "connection-refused",
        }
        crawl = Crawl(tmp_path, (server.url(good, "/feed.xml"), *dead))
        first, second = crawl.run("-s", "RETRY_ENABLED=0"), crawl.run()
    assert (first.returncode, second.returncode) == (1, 0), first.stderr + second.stderr
    for url, label in dead.items():
        assert f"forest: {url}: {label}" in first.stderr
        assert f"forest: {url}: failed 1 time in a row, {label}" in second.stderr
    with open_store(crawl.store) as store:
        found = {source.url: source for source in store.sources()}
    assert {url: found[url].status for url in dead} == dead
    read = found[server.url(good, "/feed.xml")]
    assert (read.entries, read.new, read.is_failing) == (2, 2, False)
    assert read.last_poll is not None
    assert time.time() - 120 < read.last_poll < time.time()


def test_run_schedules_no_more_new_pages_per_site_than_the_cap(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.3"
    server.plan({site: {"pages": 9}})
    options = (*QUICK, "-v", "-s", "FOREST_SITE_PAGES=4")
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),), options)
    first = crawl.run()
    assert first.returncode == 0, first.stderr
    assert sum("/article/" in path for path in server.paths(site)) == 4
    assert "'forest/capped': 5," in first.stderr
    assert len(crawl.articles()) == 4
    # Known pages don't count: the next run continues, and the one after has the rest.
    for total in (8, 9):
        assert crawl.run("--now").returncode == 0
        assert len(crawl.articles()) == total


def test_feed_whose_entries_are_beyond_the_cap_is_not_said_to_be_empty(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.5"
    missing = "/fault/status?code=404"
    routes = {f"/feed-{n}": text(rss(server.url(site, f"/gone/{n}"))) for n in (1, 2)}
    server.plan({site: {"routes": routes | {"/gone/1": missing, "/gone/2": missing}}})
    feeds = tuple(server.url(site, f"/feed-{n}") for n in (1, 2))
    result = Crawl(tmp_path, feeds, (*QUICK, "-s", "FOREST_SITE_PAGES=1")).run()
    assert result.returncode == 3, result.stderr
    assert "1 new page beyond FOREST_SITE_PAGES" in result.stderr
    assert "has no entries" not in result.stderr


def test_feed_that_is_gone_is_polled_once_however_long_the_watch(
    server: FaultServer, tmp_path: Path
) -> None:
    site = "127.2.1.4"
    server.plan({site: {"pages": 1, "routes": {"/feed.xml": "/fault/status?code=410"}}})
    crawl = Crawl(tmp_path, (server.url(site, "/feed.xml"),))
    process = crawl.start("--watch")
    server.wait_for(site, "/feed.xml")
    time.sleep(3)  # a defect once polled it every second
    stop(process)
    assert server.paths(site).count("/feed.xml") == 1
