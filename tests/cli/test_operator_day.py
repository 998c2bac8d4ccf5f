"""A day of an operator: a list with dead sources, a crawl that goes on, and what it says."""

from __future__ import annotations

import csv
import json
import signal
import socket
from pathlib import Path
from urllib.request import urlopen

from click.testing import CliRunner

from forest_crawler.cli import main
from tests.support.crawl_process import QUICK, Crawl, read_until, stop
from tests.support.fault_process import FaultServer, running_server
from tests.support.waiting import wait_until

GOOD = [f"127.5.0.{n}" for n in range(1, 8)]
BROKEN, REFUSING, LATER = "127.5.1.1", "127.5.1.2", "127.5.2.1"

QUICKER = """
import forest_crawler.cli._live_writer, forest_crawler.cli._value_types
import forest_crawler.crawl.source_schedule
forest_crawler.cli._live_writer.MIN_PAUSE = 0.2
forest_crawler.cli._value_types.MIN_EVERY = 1.0
forest_crawler.crawl.source_schedule.MIN_PAUSE = 0.5
"""
"""A minute of such a day takes a second."""


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def read_urls(path: Path) -> list[str]:
    """Read the table of articles, which must be whole at any moment."""
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        names, *rows = csv.reader(stream)
    assert names == ["url", "title"]
    return sorted(url for url, title in rows if title)


def read_metrics(port: int) -> dict[str, float]:
    with urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        lines = answer.read().decode().splitlines()
    return {
        name: float(value) for name, value in (it.rsplit(" ", 1) for it in lines if it[0] != "#")
    }


def ask(crawl: Crawl, *words: str) -> str:
    result = CliRunner().invoke(main, [words[0], "--store", crawl.store, *words[1:]])
    assert result.exit_code == 0, result.output
    return result.stdout


def pages_of(server: FaultServer, sites: list[str], pages: int) -> list[str]:
    return sorted(server.url(site, f"/article/{n}") for site in sites for n in range(1, pages + 1))


def test_a_day_of_an_operator(tmp_path: Path) -> None:
    list_file, table, port = tmp_path / "list.txt", tmp_path / "articles.csv", free_port()
    with running_server() as server:
        server.plan({"*": {"pages": 2}})
        server.plan({BROKEN: {"routes": {"/feed.xml": "/fault/status?code=500"}}})
        good = [server.url(site, "/feed.xml") for site in GOOD]
        dead = [
            server.url(BROKEN, "/feed.xml"),
            f"http://{REFUSING}:{free_port()}/feed.xml",
            "http://nobody.invalid/feed.xml",
        ]
        list_file.write_text("\n".join([*dead, *good]))
        crawl = Crawl(tmp_path, (str(list_file),), QUICK)
        output = ("-o", str(table), "--fields", "url,title")
        watching = ("--watch", "--every", "1s", "--metrics-port", str(port))
        process = crawl.start(*output, *watching, prelude=QUICKER)
        try:
            # Morning: three of ten sources are dead, and each says why.
            wait_until(lambda: read_urls(table) == pages_of(server, GOOD, 2), "first articles")
            failing = [
                json.loads(it) for it in ask(crawl, "sources", "--failing", "--json").splitlines()
            ]
            words = ["HTTP 500", "connection refused", "unknown host"]
            assert [(it["url"], it["status"]) for it in failing] == [*zip(dead, words, strict=True)]
            found = read_metrics(port)
            assert found["forest_articles"] == 14
            assert found['forest_sources{health="failing"}'] == 3

            # Noon: entries appear.
            server.plan({"*": {"pages": 3}})
            wait_until(lambda: read_urls(table) == pages_of(server, GOOD, 3), "new articles")
            status = json.loads(ask(crawl, "status", "--json"))
            assert (status["articles"], status["sources"]) == (21, {"failing": 3, "read": 7})

            # Afternoon: the list changes; a broken one doesn't count.
            list_file.write_text("\n".join([*good[1:], server.url(LATER, "/feed.xml")]))
            process.send_signal(signal.SIGHUP)
            read_until(process, "list read again: 1 added, 4 removed, 7 sources now")
            server.wait_for(LATER, "/article/3")
            list_file.write_text("<rss/>")
            process.send_signal(signal.SIGHUP)
            read_until(process, "the old list stays in use")
            server.clear()
            server.wait_for_requests(2, "/feed.xml", GOOD[1])
            assert "/feed.xml" not in server.paths(GOOD[0])
            wait_until(lambda: len(read_urls(table)) == 24, "articles of the new source")
        finally:
            log = stop(process)
        assert process.returncode == 130, log

        # Evening: started again, it continues, and names the dead sources every time.
        server.plan({"*": {"pages": 4}})
        list_file.write_text("\n".join([*dead, *good]))
        again = crawl.run(*output, "--now")
        assert again.returncode == 1, again.stderr
        wanted = [*pages_of(server, GOOD, 4), *pages_of(server, [LATER], 3)]
        assert read_urls(table) == sorted(wanted)
        quiet = crawl.run(*output)
        for url in dead:
            assert f"{url}: " in again.stderr
            assert f"{url}: failed 2 times in a row" in quiet.stderr
