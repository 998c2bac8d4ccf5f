"""The service over loopback: articles, feeds, robots.txt, the address guard, and limits."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import feedparser
import pytest

pytest.importorskip("starlette", reason="needs the extra studio")
pytest.importorskip("httpx2", reason="needs httpx2, for the test client of Starlette")
from starlette.routing import Route
from starlette.testclient import TestClient

from forest_crawler.crawl.workers import WorkersLostError
from forest_crawler.studio.service import FullText, ServiceOptions, api_app, service_routes
from forest_crawler.studio.service.turns import BusyError, Turns
from tests.support.inline_jobs import Inline
from tests.support.waiting import HANG, wait_until

TEXT = "The ferry left the harbour at noon, and nobody on the quay had expected it to. " * 8
PAGE = f"<html lang=en><title>Ferry</title><article><h1>Ferry</h1><p>{TEXT}</p></article>"
CZECH = "<title>Ferry</title><article><p>" + "Příliš žluťoučký kůň pěl ódy. " * 20
FEED = """<rss version="2.0"><channel><title>Gazette</title><link>{0}/</link><item>
<title>Ferry</title><link>{0}/ferry</link><guid>g1</guid><description>Short.</description></item>
</channel></rss>"""

SHELL = "<title>Ferry</title><div id=app>Please turn on JavaScript to read this page.</div>"
OWN_TEXTS = """<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/">
<channel><title>Gazette</title><link>{0}/</link>
<item><title>Gone</title><link>{0}/gone</link><description>Short.</description>
<content:encoded>&lt;p onclick="x()"&gt;The whole &lt;b&gt;story&lt;/b&gt;.</content:encoded></item>
<item><title>Shell</title><link>{0}/shell</link>
<content:encoded>&lt;p&gt;What the script would show.</content:encoded></item>
<item><title>Teaser</title><link>{0}/private</link><description>Rain &amp;amp; wind.</description>
</item><item><title>Note</title><guid isPermaLink="false">n4</guid>
<content:encoded>&lt;p&gt;A note without a page.</content:encoded></item>
<item><title>Bare</title><link>{0}/bare</link></item>
</channel></rss>"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {
                "/robots.txt": "User-agent: *\nDisallow: /private",
                "/feed": FEED.format(address),
                "/own-texts": OWN_TEXTS.format(address),
                "/shell": SHELL,
                "/ferry": PAGE,
                "/private": PAGE,
                "/czech": CZECH,
            }.get(self.path)
            coding = "iso-8859-2" if self.path == "/czech" else "utf-8"
            data = (body or "").encode(coding)
            kind = "text/xml" if self.path in ("/feed", "/own-texts") else "text/html"
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", f"{kind}; charset={coding}")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address
    server.shutdown()
    server.server_close()


def make_client(**options: object) -> TestClient:
    made = ServiceOptions(**options)  # type: ignore[arg-type]
    return TestClient(api_app(made, Inline()), base_url="http://127.0.0.1/api/v1")


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with make_client(allow_networks=("127.0.0.0/8",), allow_ports=("any",), site_pause=0) as made:
        yield made


def test_a_truncated_feed_comes_out_in_full_and_is_cached(client: TestClient, site: str) -> None:
    answer = client.get("feed", params={"url": f"{site}/feed"})
    (entry,) = feedparser.parse(answer.content).entries
    assert (entry.title, entry.link, entry.id) == ("Ferry", f"{site}/ferry", "g1")
    assert "nobody on the quay" in entry.content[0].value
    again = client.get(
        "makefulltextfeed.php",
        params={"url": f"{site}/feed"},
        headers={"If-None-Match": answer.headers["etag"]},
    )
    assert (again.status_code, again.content) == (304, b"")


def test_entries_without_an_article_keep_the_text_of_their_feed(
    client: TestClient, site: str
) -> None:
    answer = client.get("feed", params={"url": f"{site}/own-texts"})
    entries = feedparser.parse(answer.content).entries
    assert [(it.title, it.content[0].value) for it in entries if "content" in it] == [
        ("Gone", "<p>The whole <strong>story</strong>.</p>"),
        ("Shell", "<p>What the script would show.</p>"),
        ("Teaser", "<p>Rain &amp; wind.</p>"),
        ("Note", "<p>A note without a page.</p>"),
    ]
    assert [it.title for it in entries if "content" not in it] == ["Bare"]
    atom = client.get("feed", params={"url": f"{site}/own-texts", "format": "atom"})
    assert [it.title for it in feedparser.parse(atom.content).entries] == [
        it.title for it in entries
    ]


def test_the_article_of_a_url_in_the_shape_of_the_postlight_parser(
    client: TestClient, site: str
) -> None:
    answer = client.get("parser", params={"url": f"{site}/ferry"}).json()
    assert (answer["title"], answer["domain"]) == ("Ferry", "127.0.0.1")
    assert "nobody on the quay" in answer["content"]


def test_robots_txt_is_obeyed(client: TestClient, site: str) -> None:
    answer = client.get("extract", params={"url": f"{site}/private"})
    assert answer.status_code == 502
    assert "robots" in answer.json()["message"]


def test_private_addresses_are_not_fetched(site: str) -> None:
    answer = make_client().get("extract", params={"url": f"{site}/ferry"})
    assert answer.status_code == 502


def test_html_that_is_sent_is_read(client: TestClient) -> None:
    answer = client.post("extract", content=PAGE.encode())
    assert answer.json()["title"] == "Ferry"


def test_limits_and_guards_refuse(site: str) -> None:
    assert make_client(max_body=10).post("extract", content=b"x" * 11).status_code == 413
    assert make_client().get("extract").status_code == 400
    rebound = make_client().get("openapi.json", headers={"Host": "evil.example"})
    assert rebound.status_code == 400
    guarded = make_client(token="secret")  # noqa: S106
    assert guarded.get("openapi.json").status_code == 401
    assert guarded.get("openapi.json", params={"token": "secret"}).status_code == 200
    assert "access-control-allow-origin" not in make_client().get("openapi.json").headers


def test_a_lost_store_and_lost_workers_are_named(site: str, tmp_path: Path) -> None:
    allowed = {"allow_networks": ("127.0.0.0/8",), "allow_ports": ("any",)}
    client = make_client(store=f"sqlite:///{tmp_path}/gone.db", **allowed)
    answer = client.get("feed", params={"url": f"{site}/feed"})
    assert answer.status_code == 503
    assert "gone.db" in answer.json()["message"]

    class NoWorkers(Inline):
        async def run(self, seconds: float, function: Callable[..., Any], *args: Any) -> Any:
            raise WorkersLostError(RuntimeError("forked"))

    app = api_app(ServiceOptions(), NoWorkers())
    answer = TestClient(app, base_url="http://127.0.0.1/api/v1").post("extract", content=b"<p>x")
    assert answer.status_code == 503
    assert "worker processes cannot be started" in answer.json()["message"]


def test_the_charset_of_the_header_is_used(client: TestClient, site: str) -> None:
    answer = client.get("extract", params={"url": f"{site}/czech"}).json()
    assert "žluťoučký kůň" in answer["text"]


def test_an_entry_waits_for_its_page_until_the_next_poll(site: str) -> None:
    client = make_client(allow_networks=("127.0.0.0/8",), allow_ports=("any",), wait_seconds=0)
    with client:
        first = client.get("feed", params={"url": f"{site}/feed"})
        assert feedparser.parse(first.content).entries == []
        assert first.headers["cache-control"] == "private, max-age=60"

        def is_there() -> bool:
            answer = client.get("feed", params={"url": f"{site}/feed"})
            return "nobody on the quay" in answer.text

        wait_until(is_there, "the page of the entry is read")


def test_the_openapi_document_is_valid_and_names_every_route(client: TestClient) -> None:
    validator = pytest.importorskip("openapi_spec_validator", reason="needs the validator")
    document = client.get("openapi.json").json()
    validator.validate(document)
    routes = service_routes(FullText(ServiceOptions(), Inline()))
    paths = {route.path for route in routes if isinstance(route, Route)}
    assert paths == {*document["paths"], "/openapi.json"}


def test_a_site_has_one_fetch_at_a_time_and_a_pause_after_it() -> None:
    async def run() -> list[float]:
        turns, ends = Turns(slots=4, pause=0.05), []

        async def fetch(site: str) -> None:
            async with turns.turn([site], seconds=HANG):
                began.append((site, time.monotonic()))
                await asyncio.sleep(0)
                ends.append((site, time.monotonic()))

        began: list[tuple[str, float]] = []
        await asyncio.gather(fetch("a"), fetch("a"), fetch("b"))
        second = [moment for site, moment in began if site == "a"][1]
        first = next(moment for site, moment in ends if site == "a")
        other = next(moment for site, moment in began if site == "b")
        return [second - first, second - other]

    pause, lead = asyncio.run(run())
    assert pause >= 0.05
    assert lead > 0  # another site does not wait


def test_who_waits_too_long_is_told_so() -> None:
    async def run() -> None:
        turns = Turns(slots=1, pause=0)
        async with turns.turn(["a"], seconds=HANG):
            with pytest.raises(BusyError):
                async with turns.turn(["b"], seconds=0):
                    pass

    asyncio.run(run())
