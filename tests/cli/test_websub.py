"""A crawl with `--websub` subscribes to a feed's hub, and polls the feed when that reports."""

from __future__ import annotations

import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlencode
from urllib.request import Request, urlopen

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from tests.cli.test_operator_day import free_port
from tests.support.crawl_process import QUICK, Crawl, read_until, stop
from tests.support.fault_process import running_server

QUICKER = """
import forest_crawler.crawl.source_schedule
forest_crawler.crawl.source_schedule.MIN_PAUSE = 0.1
"""


@contextmanager
def running_hub() -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Run a hub that takes subscriptions; yield its URL, and the forms it gets."""
    forms: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            forms.append({name: values[0] for name, values in parse_qs(body).items()})
            self.send_response(202)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/hub", forms
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def verify(form: dict[str, str]) -> str:
    """Ask the crawl, as a hub does, whether it wants this."""
    question = {
        "hub.mode": "subscribe",
        "hub.topic": form["hub.topic"],
        "hub.challenge": "a1b2",
        "hub.lease_seconds": "864000",
    }
    with urlopen(f"{form['hub.callback']}?{urlencode(question)}") as answer:  # noqa: S310
        return str(answer.read().decode())


def report(url: str, secret: str) -> int:
    body = b"<rss/>"
    signature = "sha256=" + hmac.new(secret.encode(), body, "sha256").hexdigest()
    try:
        request = Request(url, body, {"X-Hub-Signature": signature})  # noqa: S310
        with urlopen(request) as answer:  # noqa: S310  on loopback
            return int(answer.status)
    except HTTPError as err:
        return err.code


def test_news_that_a_hub_reports_are_fetched_at_once(tmp_path: Path) -> None:
    site, port = "127.5.0.1", free_port()
    with running_server() as server, running_hub() as (hub, forms):
        server.plan({"*": {"pages": 2, "hub_header": hub}})
        feed = server.url(site, "/feed.xml")
        crawl = Crawl(tmp_path, (feed,), QUICK)
        mine = ("--websub", f"http://127.0.0.1:{port}/news", "--websub-port", str(port))
        process = crawl.start("--watch", *mine, prelude=QUICKER)
        try:
            server.wait_for(site, "/article/2")
            read_until(process, "next poll in")
            while not forms:
                threading.Event().wait(0.02)
            assert forms[0]["hub.topic"] == feed
            assert verify(forms[0]) == "a1b2"
            read_until(process, "reports its news from now on")

            server.plan({"*": {"pages": 3, "hub": hub}})
            assert report(forms[0]["hub.callback"], "guess") == 202
            read_until(process, "without the hub's signature")
            assert "/article/3" not in server.paths(site)
            assert report(forms[0]["hub.callback"], forms[0]["hub.secret"]) == 202
            server.wait_for(site, "/article/3")
            read_until(process, "1 new of 3 entries; next poll in 1 d")
            assert report(f"http://127.0.0.1:{port}/news/unknown", "x") == 410
        finally:
            stop(process)
    shown = CliRunner().invoke(main, ["sources", "--store", crawl.store, "--json"]).stdout
    assert json.loads(shown)["hub"] == hub


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--websub", "https://me.example/"], "need each other"),
        (["--websub-port", "8000"], "need each other"),
        (["--websub", "https://me.example/", "--websub-port", "8000"], "needs --watch"),
    ],
)
def test_options_that_need_others_say_so(options: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["crawl", "gazette.example", *options])
    assert result.exit_code == 2
    assert message in result.stderr
