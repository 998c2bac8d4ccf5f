"""Peers: packages, programs and servers with one interface."""

from __future__ import annotations

import shlex
import socket
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from forest_crawler.errors import ForestError, MissingPackageError, UnknownNameError
from forest_crawler.evaluation.peers.command import Command
from forest_crawler.evaluation.peers.errors import PeerError, PeerTimeoutError
from forest_crawler.evaluation.peers.http_server import HttpPeer
from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import get_peer, is_peer_name, peer_names
from tests.support.waiting import wait_until

PARAGRAPHS = [
    (
        "The council voted on Tuesday to reopen the old railway line between the two valley towns. "
        "It had been closed for more than thirty years, and few of those who were in the room had "
        "ever used it, but all of them had been told of it by their parents, and some had walked."
    ),
    (
        "Engineers who walked the route in spring said that most of the bridges were in order. "
        "The one over the river is not: it will have to be taken down and built again, and that is "
        "what most of the money is for, as the mayor said when she was asked about the sum of it."
    ),
    (
        "The first trains are to run in the autumn, four times a day, and more on market days. "
        "It is not yet known what a ticket will be, or if the old station at the mill will be used "
        "again, which is what the people who live there have asked for since the line was closed."
    ),
]
PAGE = f"""<!DOCTYPE html><html lang="en"><head><title>Railway line to reopen | The Valley</title>
</head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/sport">Sport</a></li></ul></nav>
<article><h1>Railway line to reopen</h1>
{"".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)}
</article>
<footer><a href="/imprint">Imprint</a> <a href="/privacy">Privacy</a></footer>
</body></html>"""

MODULES = {
    "boilerpy3": "boilerpy3",
    "goose3": "goose3",
    "goose3-title": "goose3",
    "justext": "justext",
    "newspaper4k": "newspaper",
    "newspaper4k-title": "newspaper",
    "readability-lxml": "readability",
    "readability-lxml-title": "readability",
    "resiliparse": "resiliparse",
    "resiliparse-no-comments": "resiliparse",
    "trafilatura": "trafilatura",
    "trafilatura-fast": "trafilatura",
}


def python(code: str) -> str:
    """Return the name of a peer that runs a line of Python."""
    return f"cmd:{shlex.quote(sys.executable)} -c {shlex.quote(code)}"


# Packages


def test_all_packages_are_listed_whether_installed_or_not() -> None:
    assert set(MODULES) <= set(peer_names())


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # theirs, not ours
@pytest.mark.parametrize("name", MODULES)
def test_a_package_finds_the_article_and_leaves_the_rest(name: str) -> None:
    pytest.importorskip(MODULES[name])
    peer = get_peer(name)
    text = peer.extract_text(PAGE, None)
    assert all(paragraph in text for paragraph in PARAGRAPHS)
    assert "Imprint" not in text
    assert peer.version()[0].isdigit()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", [name for name in MODULES if name.endswith("-title")])
def test_a_variant_with_title_starts_with_the_headline(name: str) -> None:
    pytest.importorskip(MODULES[name])
    text = get_peer(name).extract_text(PAGE, None)
    assert text.startswith("Railway line to reopen")


def test_comments_are_dropped_by_the_variant_without_them() -> None:
    pytest.importorskip("resiliparse")
    comments = '<div id="comments" class="comments"><p>First! What a fine thing to read.</p></div>'
    page = PAGE.replace("<footer>", f"{comments}<footer>")
    assert "First!" in get_peer("resiliparse").extract_text(page, None)
    assert "First!" not in get_peer("resiliparse-no-comments").extract_text(page, None)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("-title")])
def test_a_package_gives_no_text_for_a_page_without_any(name: str) -> None:
    pytest.importorskip(MODULES[name])
    assert get_peer(name).extract_text("<html><body><p></p></body></html>", None).split() == []


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", MODULES)
def test_a_package_never_uses_the_network(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(MODULES[name])
    requested: list[object] = []

    def refuse(*address: object, **_: object) -> None:
        requested.append(address)
        raise OSError("no network in tests")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    image = '<img src="http://images.invalid/top.jpg" width="600" height="400">'
    get_peer(name).extract_text(PAGE.replace("</h1>", f"</h1>{image}"), "http://valley.invalid/a")
    assert requested == []


def test_warnings_of_newspaper4k_about_a_date_are_suppressed() -> None:
    pytest.importorskip("newspaper")
    peer = get_peer("newspaper4k")
    peer.version()
    date = '<meta property="article:published_time" content="Tue May 3 2005 10:00 EDT">'
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        peer.extract_text(PAGE.replace("</head>", f"{date}</head>"), None)
    assert caught == []


def test_a_missing_package_is_reported_with_what_to_install() -> None:
    package = Package("no-such-extractor", "no_such_extractor")
    with pytest.raises(MissingPackageError, match=r"pip install 'forest-crawler\[bench\]'") as hit:
        package.version()
    assert hit.value.package == "no-such-extractor"


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownNameError, match="trafilatura-fast"):
        get_peer("trafilatura-slow")
    assert not is_peer_name("trafilatura-slow")


# Programs


def test_a_program_reads_the_page_on_stdin_and_its_stdout_is_the_text() -> None:
    assert get_peer("cmd:cat").extract_text("<p>Zürich – 東京</p>", None) == "<p>Zürich – 東京</p>"


def test_a_programs_arguments_are_split_as_in_a_shell() -> None:
    peer = get_peer("cmd:printf '%s|' 'one two' three")
    assert peer.extract_text("", None) == "one two|three|"


def test_no_shell_runs() -> None:
    assert get_peer("cmd:echo a; echo $HOME").extract_text("", None) == "a; echo $HOME\n"


def test_a_program_that_reads_nothing_can_handle_a_large_page() -> None:
    assert get_peer("cmd:echo done").extract_text("x" * 1_000_000, None) == "done\n"


def test_a_program_may_write_while_it_reads_a_large_page() -> None:
    page = "word " * 200_000  # more than fits into a pipe
    assert get_peer("cmd:cat").extract_text(page, None) == page


def test_a_program_that_fails_is_an_error_with_the_end_of_its_stderr() -> None:
    peer = get_peer(python("import sys; sys.exit('no article here')"))
    with pytest.raises(PeerError, match="exit code 1: no article here") as hit:
        peer.extract_text("<p>", None)
    assert isinstance(hit.value, ForestError)
    assert hit.value.peer == peer.name


def test_a_program_that_does_not_exist_is_an_error_before_the_first_page() -> None:
    peer = get_peer("cmd:no-such-program --text")
    with pytest.raises(PeerError, match="no program 'no-such-program'"):
        peer.version()
    with pytest.raises(PeerError, match="cannot be started"):
        peer.extract_text("<p>", None)


def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    started = tmp_path / "started"
    script = f"sleep 600 & echo $! > {started}; wait"
    with pytest.raises(PeerTimeoutError, match=r"no output in 1 s"):
        Command("cmd:slow", ("sh", "-c", script), timeout=1).extract_text("<p>", None)
    child = Path("/proc", started.read_text().strip())
    wait_until(lambda: not child.exists(), "the shell's child ends")


@pytest.mark.parametrize("name", ["cmd:", "cmd:   ", "cmd:echo 'open"], ids=repr)
def test_a_broken_command_line_is_an_error(name: str) -> None:
    with pytest.raises(PeerError):
        get_peer(name)


# Servers


@dataclass
class CannedResponse:
    """What the server responds, and the requests that it got."""

    body: bytes = b""
    kind: str = "text/plain; charset=utf-8"
    status: int = 200
    delay: float = 0
    url: str = ""
    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)


@pytest.fixture
def server() -> Iterator[CannedResponse]:
    """Run an extractor on loopback that responds as the test wants."""
    response = CannedResponse()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            response.requests.append((self.path, dict(self.headers), body))
            time.sleep(response.delay)
            self.send_response(response.status)
            self.send_header("Content-Type", response.kind)
            self.send_header("Content-Length", str(len(response.body)))
            with suppress(BrokenPipeError):  # the peer has timed out
                self.end_headers()
                self.wfile.write(response.body)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        response.url = f"http://127.0.0.1:{running.server_port}"
        thread = threading.Thread(target=running.serve_forever, args=(0.01,))
        thread.start()
        yield response
        running.shutdown()
        thread.join()


def test_a_server_gets_the_page_and_its_url(server: CannedResponse) -> None:
    peer = get_peer(f"{server.url}/extract?kind=news")
    peer.extract_text("<p>Zürich</p>", "http://example.org/ä b\r\nX-Evil: 1")
    ((path, headers, body),) = server.requests
    assert path == "/extract?kind=news"
    assert body.decode() == "<p>Zürich</p>"
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Location"] == "http://example.org/%C3%A4%20b%0D%0AX-Evil:%201"


def test_a_url_without_a_path_requests_the_root(server: CannedResponse) -> None:
    get_peer(server.url).extract_text("<p>", None)
    assert server.requests[0][0] == "/"


def test_a_servers_text_is_used_unchanged(server: CannedResponse) -> None:
    server.body, server.kind = "1 < 2 & Zürich".encode("latin-1"), "text/plain; charset=latin-1"
    assert get_peer(server.url).extract_text("<p>", None) == "1 < 2 & Zürich"


def test_a_servers_html_is_stripped_of_all_markup(server: CannedResponse) -> None:
    server.kind = "text/html; charset=utf-8"
    server.body = (
        b"<html><head><title>T</title><style>p {}</style></head><body><!-- c --><p>1 &lt; 2"
        b"<script>var x</script></p><p>Z&uuml;rich</p></body></html>"
    )
    assert get_peer(server.url).extract_text("<p>", None) == "1 < 2\nZürich"


@pytest.mark.parametrize("kind", ["text/plain; charset=no-such-code", "text/plain", ""], ids=repr)
def test_a_response_of_unknown_charset_is_decoded_as_utf8(
    server: CannedResponse, kind: str
) -> None:
    server.body, server.kind = "Zürich".encode(), kind
    assert get_peer(server.url).extract_text("<p>", None) == "Zürich"


def test_a_servers_refusal_is_an_error(server: CannedResponse) -> None:
    server.status = 503
    with pytest.raises(PeerError, match="responded 503 Service Unavailable"):
        get_peer(server.url).extract_text("<p>", None)


def test_a_redirect_is_not_followed(server: CannedResponse) -> None:
    server.status = 302
    with pytest.raises(PeerError, match="responded 302"):
        get_peer(server.url).extract_text("<p>", None)
    assert len(server.requests) == 1


def test_a_server_that_takes_too_long_is_an_error(server: CannedResponse) -> None:
    server.delay = 0.5
    with pytest.raises(PeerTimeoutError, match=r"no response in 0\.1 s"):
        HttpPeer(server.url, timeout=0.1).extract_text("<p>", None)


def test_a_server_that_does_not_run_is_an_error() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as closed:
        port = closed.server_port
    with pytest.raises(PeerError, match="is the server running"):
        get_peer(f"http://127.0.0.1:{port}/").extract_text("<p>", None)


@pytest.mark.parametrize("name", ["http://", "http:///path", "http://h:x/", "http://[::1/"])
def test_a_url_without_a_valid_host_is_an_error(name: str) -> None:
    with pytest.raises(PeerError, match="isn't a URL"):
        get_peer(name)
