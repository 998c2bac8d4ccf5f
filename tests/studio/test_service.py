"""The service over loopback: articles, feeds, robots.txt, the address guard, and limits."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import feedparser
import pytest

pytest.importorskip("starlette", reason="needs the extra studio")
pytest.importorskip("httpx2", reason="needs httpx2, for the test client of Starlette")
from starlette.testclient import TestClient

from forest_crawler.studio.service import ServiceOptions, api_app

TEXT = "The ferry left the harbour at noon, and nobody on the quay had expected it to. " * 8
PAGE = f"<html lang=en><title>Ferry</title><article><h1>Ferry</h1><p>{TEXT}</p></article>"
FEED = """<rss version="2.0"><channel><title>Gazette</title><link>{0}/</link><item>
<title>Ferry</title><link>{0}/ferry</link><guid>g1</guid><description>Short.</description></item>
</channel></rss>"""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = {
                "/robots.txt": "User-agent: *\nDisallow: /private",
                "/feed": FEED.format(address),
                "/ferry": PAGE,
                "/private": PAGE,
            }.get(self.path)
            data = (body or "").encode()
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", "text/xml" if self.path == "/feed" else "text/html")
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
    return TestClient(api_app(made), base_url="http://127.0.0.1/api/v1")


@pytest.fixture(scope="module")
def client() -> TestClient:
    return make_client(allow_networks=("127.0.0.0/8",), allow_ports=("any",))


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
