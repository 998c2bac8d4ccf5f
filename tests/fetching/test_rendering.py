"""Pages that scripts write are rendered by a browser, which fetches under the crawl's guards."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.cli._crawl_run import _say_account
from forest_crawler.fetching.rendering.shell_page import MAX_SHELL_TEXT, is_shell
from tests.support.fetch_run import QUICK, Fetched, FetchPlan, run_fetch
from tests.support.recording_server import RecordingServer, recording_server

SENTENCE = "The old quay opened again on Monday after two years of work."
SHELL = (
    "<!doctype html><title>Quay</title>"
    '<div id="app"></div><noscript>Please enable JavaScript to read this page.</noscript>'
)
WRITING = """
document.cookie = "visited=1";
fetch("/story.json").then(answer => answer.json()).then(story => {
  app.innerHTML = "<article><h1>Quay</h1><p>" + story.text + "</p>"
    + "<img src=/photo.jpg></article><p id=state></p>";
  return fetch(ELSEWHERE);
}).catch(() => { state.textContent = "elsewhere is closed"; });
"""


@dataclass(frozen=True, slots=True)
class Run:
    """What a browser made of some pages, and which servers it reached."""

    pages: dict[str, Fetched]
    site: RecordingServer
    private: RecordingServer


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    pytest.importorskip("scrapy_playwright", reason="needs the extra `render`")
    if shutil.which("chromium") is None and shutil.which("google-chrome") is None:
        pytest.skip("needs Chromium: apt-get install chromium")
    with recording_server("127.50.0.1") as site, recording_server("127.51.0.1") as private:
        elsewhere = json.dumps(f"{private.url}/secret")
        html = {"Content-Type": "text/html; charset=utf-8"}
        script = f"<script>const ELSEWHERE = {elsewhere}</script><script src=/app.js></script>"
        story = json.dumps({"text": SENTENCE})
        site.replies |= {
            "/story": (200, html, SHELL + script),
            "/app.js": (200, {"Content-Type": "text/javascript"}, WRITING),
            "/story.json": (200, {"Content-Type": "application/json"}, story),
            "/endless": (200, html, SHELL + "<script>while (true) {}</script>"),
            "/away": (200, html, SHELL + f"<script>location = {elsewhere}</script>"),
        }
        # On a busy machine a browser takes seconds to start; the endless page takes all it may.
        found = fetch_all(site.url, ["/story", "/away", "/plain"], seconds=60)
        found |= fetch_all(site.url, ["/endless"], seconds=4)
        yield Run(found, site, private)


def fetch_all(site: str, paths: list[str], *, seconds: int) -> dict[str, Fetched]:
    """Fetch pages of a site, and render those that are empty; return them by path."""
    settings = QUICK | {
        "FOREST_ALLOW_NETWORKS": ["127.50.0.0/16"],
        "FOREST_ALLOW_PORTS": ["any"],
        "FOREST_RENDER": ["auto"],
        "DOWNLOAD_TIMEOUT": seconds,
    }
    done = run_fetch(FetchPlan([site + path for path in paths], settings, kind="page"))
    return {url.removeprefix(site): page for url, page in done.fetched.items()}


def test_scripts_of_an_empty_page_run(run: Run) -> None:
    page = run.pages["/story"]
    assert page.flags == ("rendered",)
    assert SENTENCE in page.body
    assert page.status == 200


def test_page_itself_is_fetched_once(run: Run) -> None:
    assert run.site.targets().count("/story") == 1


def test_scripts_reach_no_private_address(run: Run) -> None:
    assert run.private.requests == []
    assert "elsewhere is closed" in run.pages["/story"].body


def test_browser_loads_no_pictures(run: Run) -> None:
    assert "/photo.jpg" not in run.site.targets()


def test_browser_names_the_crawler(run: Run) -> None:
    assert run.site.headers_of("/story.json")["user-agent"].startswith("forest-crawler/")


def test_page_whose_scripts_never_end_stays_as_it_was(run: Run) -> None:
    page = run.pages["/endless"]
    assert page.flags == ("not-rendered",)
    assert page.body == run.site.replies["/endless"][2]


def test_script_cannot_lead_the_browser_elsewhere(run: Run) -> None:
    assert run.pages["/away"].last_url == f"{run.site.url}/away"


def test_page_with_text_is_not_rendered(run: Run) -> None:
    assert run.pages["/plain"].flags == ()


@pytest.mark.parametrize(
    ("stats", "is_named"),
    [
        ({"downloader/request_count": 3}, True),
        ({"downloader/request_count": 3, "forest/rendered": 1}, False),
        ({}, False),
    ],
    ids=["fetched", "rendered", "from-warc"],
)
def test_summary_names_the_option_where_pages_have_no_text(
    stats: dict[str, int], is_named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = {"no-article-no-text": 2}
    _say_account({"archived": 0, "skipped": skipped, "failed": {}}, stats, "a.jsonl")
    assert ("--render auto" in capsys.readouterr().err) is is_named


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<script>1</script>", True),
        (SHELL + "<SCRIPT src=a></SCRIPT>", True),
        (SHELL, False),
        ("<p>Short.</p>", False),
        (f"<script>1</script><p>{'x' * MAX_SHELL_TEXT}", True),
        (f"<script>1</script><p>{'x' * MAX_SHELL_TEXT}y", False),
        (f"<p {'x' * 1000}><script>{'y' * 1000}</script><style>{'z' * 1000}</style>", True),
        (f"<script>{'y' * 1000}", True),
        (f"<head><title>{'t' * 1000}</title></head><div id=root></div><script></script>", True),
        (f"<header>{'t' * 1000}</header><script></script>", False),
        ("", False),
    ],
)
def test_shell_has_scripts_and_next_to_no_text(body: str, expected: bool) -> None:
    assert is_shell(body.encode()) is expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--render", "gazette.example/news"], "isn't a site"),
        (["--render", ""], "isn't a site"),
        (["--render", "auto", "--proxy", "http://127.0.0.1:9"], "together with a proxy"),
    ],
)
def test_wrong_site_is_an_error(options: list[str], message: str) -> None:
    result = CliRunner().invoke(main, ["page", "https://gazette.example/", *options])
    assert result.exit_code == 2
    assert message in result.stderr


def test_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forest_crawler.fetching.rendering.middleware.find_spec", lambda name: None)
    result = CliRunner().invoke(main, ["crawl", "gazette.example", "--render", "auto"])
    assert result.exit_code == 2
    assert "pip install 'forest-crawler[render]'" in result.stderr
