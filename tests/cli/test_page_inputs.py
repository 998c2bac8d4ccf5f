"""`forest page` takes URLs, files and stdin, and prints any form."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler import FetchError, Wrapper, extract_article, fetch_article
from forest_crawler.cli import main
from forest_crawler.fetching.page_fetch import FetchedPage
from forest_crawler.store import open_store

LINES = [f"The ferry came back to the old pier on day {n}, as it was told." for n in "1234"]
PAGE = (
    "<html lang=en><title>Ferry returns</title><meta name=author content='Ann Lee'>"
    "<nav><a href=/a>Home</a> <a href=/b>Sport</a></nav>"
    f"<div id=story>{''.join(f'<p>{line}</p>' for line in LINES)}</div>"
    "<footer>All rights reserved</footer></html>"
)
NOTICE = "You need to enable JavaScript to run this app."
SHELL = f"<title>App</title><div id=root></div><script src=a.js></script><noscript>{NOTICE}"
LOOPBACK = ["--allow-network", "127.0.0.0/8", "--allow-port", "any"]


def run(*arguments: str, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(main, ["page", *arguments], input=stdin)


@pytest.fixture
def story(tmp_path: Path) -> str:
    path = tmp_path / "story.html"
    path.write_text(PAGE, encoding="utf-8")
    return str(path)


# Inputs


def test_html_from_stdin_is_a_page() -> None:
    result = run("-", stdin=PAGE)
    assert result.exit_code == 0
    assert result.stdout.startswith(LINES[0])


@pytest.mark.parametrize("start", ["", "\ufeff", " \n"], ids=["brace", "mark", "blanks"])
def test_stdin_that_begins_with_a_brace_is_json_lines(start: str) -> None:
    lines = "".join(json.dumps({"id": name, "html": PAGE}) + "\n" for name in "ab")
    result = run("--fields", "page,title", "-", stdin=start + lines)
    assert [json.loads(line) for line in result.stdout.splitlines()] == [
        {"page": "a", "title": "Ferry returns"},
        {"page": "b", "title": "Ferry returns"},
    ]


def test_stdin_that_begins_with_anything_else_is_a_page() -> None:
    assert run("--method", "plain", "-", stdin="just words").stdout == "just words\n"


def test_file_that_begins_with_a_tag_is_a_page_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "saved.aspx"
    path.write_text(f"\n{PAGE}", encoding="utf-8")
    assert json.loads(run("--fields", "page,title", str(path)).stdout) == {
        "page": "saved",
        "title": "Ferry returns",
    }


def test_url_option_says_where_a_page_is_from(story: str) -> None:
    url = "https://gazette.example/ferry"
    result = run("--url", url, "--fields", "url,site", story)
    assert json.loads(result.stdout) == {"url": url, "site": "gazette.example"}


def test_url_option_is_for_a_single_page(story: str) -> None:
    result = run("--url", "https://gazette.example/", story, story)
    assert (result.exit_code, "one page" in result.stderr) == (2, True)


# Forms


@pytest.mark.parametrize(
    ("form", "start"), [("text", LINES[0]), ("markdown", LINES[0]), ("html", f"<p>{LINES[0]}</p>")]
)
def test_article_is_printed_in_every_form(story: str, form: str, start: str) -> None:
    assert run("--format", form, story).stdout.startswith(start)


def test_json_has_the_fields_of_an_article(story: str) -> None:
    row = json.loads(run("--format", "json", story).stdout)
    assert (row["page"], row["title"], row["authors"]) == ("story", "Ferry returns", ["Ann Lee"])
    assert row["extractor"] == "page:page"


def test_schema_names_the_fields_as_another_tool_does(story: str) -> None:
    row = json.loads(run("--schema", "trafilatura", "--fields", "author,language", story).stdout)
    assert row == {"author": "Ann Lee", "language": "en"}


def test_fields_are_for_json(story: str) -> None:
    result = run("--format", "html", "--fields", "title", story)
    assert (result.exit_code, "for JSON, not for html" in result.stderr) == (2, True)


def test_several_texts_are_separated_by_their_names(story: str) -> None:
    lines = run(story, story).stdout.splitlines()
    assert [line for line in lines if line.startswith("==>")] == ["==> story <=="] * 2
    assert lines[0] == "==> story <=="
    assert run("--format", "markdown", story, story).stdout.startswith("<!-- story -->\n")


def test_single_text_has_no_name(story: str) -> None:
    assert "==>" not in run(story).stdout


LOADED = """
import sys
from forest_crawler.cli import main
main(["page", "--format", "json", sys.argv[1]], standalone_mode=False)
heavy = ("scrapy", "twisted", "sqlalchemy", "nltk", "sklearn", "scipy", "feedparser", "py3langid")
sys.exit(" ".join(name for name in heavy if name in sys.modules))
"""


def test_saved_page_loads_nothing_that_only_crawls_and_induction_need(story: str) -> None:
    command = [sys.executable, "-c", LOADED, story]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, done.stdout[:8]) == ("\n", '{"page":')


# Wrappers of a store


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    wrapper = Wrapper("gazette.example", "by hand", "portable", ("//footer",))
    with open_store(url) as opened:
        opened.replace_wrappers("gazette.example", [wrapper], "test")
    return url


def test_wrappers_of_the_store_come_first_and_are_reported(story: str, store: str) -> None:
    result = run("--store", store, "--url", "https://www.gazette.example/ferry", story)
    assert result.stdout == "All rights reserved\n"
    assert "a wrapper of gazette.example fits" in result.stderr


def test_page_of_a_site_without_stored_wrappers_is_reported(story: str, store: str) -> None:
    result = run("--store", store, "--url", "https://other.example/ferry", story)
    assert result.stdout.startswith(LINES[0])
    assert "no wrappers of other.example" in result.stderr


def test_missing_store_is_refused(story: str, tmp_path: Path) -> None:
    assert run("--store", f"sqlite:///{tmp_path / 'no.db'}", story).exit_code == 2


# The web


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # "ö" in ISO-8859-1, which only the header declares.
            page = SHELL if self.path == "/app" else PAGE
            body = page.replace("Ferry", "Föhre").encode("latin-1")
            kind = "application/rss+xml" if self.path == "/feed" else "text/html"
            self.send_response(200 if self.path in ("/ferry", "/app", "/feed") else 404)
            self.send_header("Content-Type", f"{kind}; charset=iso-8859-1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def test_url_is_fetched_and_misses_are_reported_with_advice(server: str, story: str) -> None:
    names = [f"{server}/ferry", story, f"{server}/gone"]
    fields = "page,title,url,http_status,date_download"
    result = run(*LOOPBACK, "--fields", fields, *names)
    assert result.exit_code == 1
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["page"] for row in rows] == [names[0], "story", names[2]]
    assert (rows[0]["title"], rows[0]["url"]) == ("Föhre returns", names[0])
    assert [row["http_status"] for row in rows] == [200, None, None]
    today = datetime.now(UTC).date()  # of the fetch, or of yesterday's last second
    assert today - date.fromisoformat(rows[0]["date_download"][:10]) <= timedelta(days=1)
    assert f"{names[2]}: http-404 (there is no such page; check the URL)" in result.stderr


def test_page_that_scripts_fill_is_reported_with_advice(server: str) -> None:
    result = run(*LOOPBACK, f"{server}/app")
    assert (result.exit_code, result.stdout) == (0, f"{NOTICE}\n")
    message = "/app: probably no article (no text); scripts may write one, `--render auto` runs"
    assert message in result.stderr


def test_saved_page_that_a_crawl_skips_is_reported(story: str, tmp_path: Path) -> None:
    path = tmp_path / "app.html"
    path.write_text(SHELL, encoding="utf-8")
    result = run(str(path), story)
    assert "forest: app: probably no article (no text); a crawl skips it" in result.stderr
    assert "story" not in result.stderr


def test_host_that_cannot_be_reached_is_the_reason_rather_than_its_robots_txt() -> None:
    result = run(*LOOPBACK, "http://127.0.0.1:1/story")
    assert result.exit_code == 3
    assert "/story: connection-refused (no server answers at this host and port)" in result.stderr


def test_feed_is_no_page_and_the_command_for_it_is_named(server: str) -> None:
    result = run(*LOOPBACK, f"{server}/feed")
    assert (result.exit_code, result.stdout) == (3, "")
    advice = "not-html (isn't an HTML page; feeds are for `forest crawl`)"
    assert f"{server}/feed: {advice}" in result.stderr


class FakeFetch:
    """Has one page, without a network."""

    def __init__(self, urls: Sequence[str], settings: Mapping[str, object]) -> None:
        assert settings["FOREST_ALLOW_PORTS"] == ["8080"]
        self.urls = urls

    def finish(self) -> dict[str, FetchedPage]:
        body = PAGE.replace("Ferry", "Föhre").encode("latin-1")
        page = FetchedPage("", "http://a.example/b", 200, "text/html; charset=latin1", body)
        pages = {"http://a.example/": page}
        return {url: pages.get(url) or FetchedPage(url, reason="http-404") for url in self.urls}


def test_article_is_fetched_in_one_line_of_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forest_crawler.fetching.page_fetch.PageFetch", FakeFetch)
    article = fetch_article("http://a.example/", allow_ports=["8080"])
    assert (article.title, article.http_status) == ("Föhre returns", 200)
    assert (article.url, article.site) == ("http://a.example/b", "a.example")
    assert article.asdict()["authors"] == ("Ann Lee",)
    with pytest.raises(FetchError, match=r"a\.example/gone: http-404"):
        fetch_article("http://a.example/gone", allow_ports=["8080"])


# Python


def test_article_is_extracted_in_one_line_of_python() -> None:
    article = extract_article(PAGE, "https://gazette.example/ferry")
    assert article.text.splitlines()[0] == LINES[0]
    assert (article.title, article.site) == ("Ferry returns", "gazette.example")


def test_wrappers_come_before_the_page_level_method() -> None:
    wrapper = Wrapper("gazette.example", "by hand", "portable", ("//footer",))
    assert extract_article(PAGE, wrappers=[wrapper]).text == "All rights reserved"


def test_page_without_an_article_has_an_empty_text() -> None:
    article = extract_article("<title>Void</title><img src=a.png>")
    assert (article.title, article.text, article.extractor) == ("Void", "", None)


@pytest.mark.parametrize("command", ["page", "crawl"])
def test_messages_show_no_login_of_a_url(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, [command, "https://ann:horse@a.example/feed"])
    assert "https://ann:***@a.example/feed" in result.stderr
    assert "--site-headers" in result.stderr
    assert "horse" not in result.output
