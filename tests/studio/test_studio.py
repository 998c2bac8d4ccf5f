"""The studio's pages, changes and guards, asked without a network."""

from __future__ import annotations

import asyncio
import json
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit
from urllib.request import urlopen

import pytest
from click.testing import CliRunner
from starlette.applications import Starlette
from starlette.types import Message

from forest_crawler.cli import main
from forest_crawler.store import ArchiveFile, FetchedPage, NewArticle, open_store
from forest_crawler.studio.app import make_app
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.service import FullText, ServiceOptions
from forest_crawler.studio.static_export import export_site
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.inline_jobs import Inline
from tests.support.store_builders import candidate
from tests.support.waiting import HANG, wait_until

SITE = "gazette.example"
TOPICS = ("ferry", "bakery", "museum")
PAGE = (
    "<html lang=en><title>{0}</title><ul class=menu><li>Home<li>News</ul><div class=story>"
    "<h1>The {0} opens</h1><p>Our {0} opens on Monday.</p><div class=share>Share it</div></div>"
)
STORY = "//div[contains(concat(' ',normalize-space(@class),' '),' story ')]"
SHARE = "//div[contains(concat(' ',normalize-space(@class),' '),' share ')]"


class Browser:
    """Asks an application, as a browser on its pages would."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.csrf: str = app.state.studio.csrf.value

    def get(self, target: str, **headers: str) -> tuple[int, str]:
        return asyncio.run(self._ask("GET", target, b"", headers))

    def options(self, target: str, **headers: str) -> tuple[int, str]:
        return asyncio.run(self._ask("OPTIONS", target, b"", headers))

    def post(self, target: str, form: dict[str, Any], **headers: str) -> tuple[int, str]:
        body = urlencode({"csrf": self.csrf} | form).encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return asyncio.run(self._ask("POST", target, body, kind | headers))

    def post_json(self, target: str, row: dict[str, Any]) -> tuple[int, Any]:
        headers = {"x-csrf-token": self.csrf, "content-type": "application/json"}
        status, text = asyncio.run(self._ask("POST", target, json.dumps(row).encode(), headers))
        return status, json.loads(text)

    async def _ask(
        self, method: str, target: str, body: bytes, headers: dict[str, str]
    ) -> tuple[int, str]:
        parts = urlsplit(target)
        named = {"host": "127.0.0.1:8417", "content-length": str(len(body))}
        named |= {name.replace("_", "-"): value for name, value in headers.items()}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "method": method,
            "scheme": "http",
            "path": parts.path,
            "raw_path": parts.path.encode(),
            "query_string": parts.query.encode(),
            "root_path": "",
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 8417),
        }
        sent: list[Message] = []

        async def receive() -> Message:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Message) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        text = b"".join(it.get("body", b"") for it in sent).decode()
        return sent[0]["status"], text


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store with three archived pages of one site, and a wrapper that takes too much."""
    made = f"sqlite:///{tmp_path}/store.db"
    with open_store(made) as store:
        store.begin_run()
        store.schedule([candidate(topic) for topic in TOPICS])
        leases = store.lease(10)
        pages = [(it.key, it.key.rpartition("/")[2]) for it in leases]
        store.hold([FetchedPage(key, PAGE.format(topic).encode()) for key, topic in pages])
        store.replace_wrappers(SITE, [Wrapper(SITE, "forest", "portable", (STORY,))], "induced")
        for number, (key, topic) in enumerate(pages):
            row = {"id": f"a{number}", "title": f"The {topic} opens", "text": f"Our {topic} opens."}
            line = json.dumps(row | {"url": f"https://{key}", "site": SITE, "html": "<p>Our</p>"})
            new = NewArticle(f"a{number}", key, SITE, f"https://{key}", "wrapper", 1, "h", line)
            store.archive([new])
        store.end_run()
    return made


@pytest.fixture
def browser(url: str, tmp_path: Path) -> Iterator[Browser]:
    app = make_app(StudioOptions(url, labels=tmp_path / "labels"), Inline())
    yield Browser(app)
    app.state.studio.close()


def test_address_in_use_is_refused_before_it_is_shown(url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        options = ["--store", url, "--port", str(port), "--no-browser"]
        result = CliRunner().invoke(main, ["studio", *options])
    assert result.exit_code == 2
    assert f"cannot listen on 127.0.0.1:{port} (Address already in use)" in result.stderr
    assert "http://" not in result.stderr


def test_ctrl_c_ends_the_studio_without_a_fault(url: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ["studio", "--store", url, "--port", str(port), "--no-browser"]
    command = [sys.executable, "-m", "forest_crawler", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            wait_until(lambda: is_listening(port), "the studio answers")
            process.send_signal(signal.SIGINT)
            stderr = process.communicate(timeout=HANG)[1]
        finally:
            process.kill()
    assert process.returncode == 0
    assert stderr.splitlines()[1:] == []


def is_listening(port: int) -> bool:
    """Report whether the studio answers: its handlers of signals are in place then."""
    with suppress(OSError), urlopen(f"http://127.0.0.1:{port}/assets/icon.svg") as answer:
        return bool(answer.status == 200)
    return False


@pytest.mark.parametrize("host", ["a..b", "192.0.2.1"])
def test_host_that_is_not_this_machine_is_the_option_to_change(url: str, host: str) -> None:
    options = ["--store", url, "--host", host, "--token", "x" * 40, "--no-browser"]
    result = CliRunner().invoke(main, ["studio", *options])
    assert result.exit_code == 2
    assert f"cannot listen on {host}:" in result.stderr
    assert "choose another --host" in " ".join(result.stderr.split())


def test_list_names_the_site_with_its_articles(browser: Browser) -> None:
    status, text = browser.get("/sites")
    assert status == 200
    assert SITE in text
    assert '<td class="num">3</td>' in text


@pytest.mark.parametrize(
    "path",
    [
        *("/articles", "/articles/a0", "/sources", "/evaluation", "/exports", "/exports/rules"),
        *(
            f"/sites/{SITE}",
            f"/sites/{SITE}/ranking",
            f"/sites/{SITE}/edit",
            f"/sites/{SITE}/label",
        ),
    ],
)
def test_every_page_is_shown(browser: Browser, path: str) -> None:
    assert browser.get(path)[0] == 200


def test_a_site_shows_on_how_many_pages_each_rule_hits(browser: Browser, url: str) -> None:
    absent = STORY.replace("story", "absent")
    with open_store(url) as store:
        wrapper = Wrapper(SITE, "forest", "portable", (STORY,), (absent,))
        store.replace_wrappers(SITE, [wrapper], "induced")
    _, text = browser.get(f"/sites/{SITE}")
    assert "3 of 3" in text
    assert "none of 3" in text


def test_ranking_names_the_taken_candidate_with_its_figures(browser: Browser) -> None:
    _, text = browser.get(f"/sites/{SITE}/ranking")
    taken = text.partition('class="taken"')[2].partition("</tr>")[0]
    assert "<code>" in taken
    assert '<td class="num">3</td>' in taken  # pages


def test_rules_are_checked_per_program(browser: Browser) -> None:
    async def show() -> str:
        await browser._ask("GET", "/exports/rules", b"", {})
        while browser.app.state.studio.rule_checks.is_running:
            await asyncio.sleep(0.01)
        return (await browser._ask("GET", "/exports/rules", b"", {}))[1]

    row = asyncio.run(show()).partition("<tbody>")[2].partition("</tbody>")[0]
    assert "checking" not in row
    assert row.count("?site=gazette.example") == 5


def test_publishing_to_no_reader_is_refused_with_the_reason(browser: Browser) -> None:
    form = {"reader": "miniflux", "url": "file:///etc/passwd", "secret": "x"}
    status, text = browser.post("/exports/rules", form)
    assert status == 422
    assert "give its address" in text


def test_exports_claim_nothing_about_files_that_runs_write_whole(browser: Browser) -> None:
    assert "Other forms, such as CSV, are written whole" in browser.get("/exports")[1]


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda path: None, "Has every article of every site"),
        (lambda path: path.unlink(), "The next crawl writes it anew"),
        (lambda path: path.write_bytes(path.read_bytes()[:-9]), "The next crawl completes it"),
        (lambda path: path.write_bytes(path.read_bytes() + b"x\n"), "moves what others added"),
    ],
    ids=["whole", "removed", "cut off", "longer"],
)
def test_exports_describe_what_became_of_a_file(
    url: str, tmp_path: Path, change: Callable[[Path], None], note: str
) -> None:
    path = tmp_path / "articles.jsonl"
    with open_store(url) as store, ArchiveFile(store, path) as file:
        file.export()
    change(path)
    text = Browser(make_app(StudioOptions(url), Inline())).get("/exports")[1]
    assert note in text
    assert "missing." not in text


def test_file_that_lacks_the_latest_articles_says_how_many(url: str, tmp_path: Path) -> None:
    with open_store(url) as store, ArchiveFile(store, tmp_path / "articles.jsonl") as file:
        file.export()
        store.begin_run()
        store.schedule([candidate("quay")])
        (lease,) = store.lease(1)
        store.hold([FetchedPage(lease.key, b"<p>Rain")])
        store.archive([NewArticle("a9", lease.key, SITE, "u", "wrapper", 1, "q", "{}")])
        store.end_run()
    text = Browser(make_app(StudioOptions(url), Inline())).get("/exports")[1]
    assert "The file lacks 1 article.<" in text


def test_exports_offer_feeds_of_sites_with_articles_only(url: str) -> None:
    with open_store(url) as store:
        source = store.add_source("https://dead.example/feed")
        store.update_source(source.id, status="unknown-host", failures=1)
    text = Browser(make_app(StudioOptions(url), Inline())).get("/exports")[1]
    assert f'href="/feeds/{SITE}.rss"' in text
    assert "/feeds/dead.example" not in text


def test_search_finds_the_article_with_the_word(browser: Browser) -> None:
    _, text = browser.get("/articles?q=bakery")
    assert "The <" not in text.partition("<ol")[2][:40]
    assert text.count("<h2 ") == 1
    assert "The bakery opens" in text


def draft(browser: Browser, *clicks: tuple[int, str], base: str = "1") -> dict[str, Any]:
    key = f"{SITE}/ferry"
    rows = [{"page": key, "dfs": dfs, "action": action} for dfs, action in clicks]
    row = {"base": base, "typed": None, "clicks": rows, "shown": key}
    status, found = browser.post_json(f"/sites/{SITE}/draft", row)
    assert status == 200, found
    assert isinstance(found, dict)
    return found


def xpaths(found: dict[str, Any], role: str) -> list[str]:
    return [rule["xpath"] for rule in found["rules"] if rule["role"] == role]


# dfs numbers: body 1, ul 2, li 3 and 4, div.story 5, h1 6, p 7, div.share 8
def test_a_click_becomes_the_body_of_all_pages(browser: Browser) -> None:
    found = draft(browser, (5, "body"), base="none")
    assert xpaths(found, "body") == [STORY]
    assert found["empty"] == 0
    assert [page["words"] for page in found["pages"]] == [10, 10, 10]


def test_a_stripped_element_is_lost_on_all_pages(browser: Browser) -> None:
    found = draft(browser, (8, "strip"))
    assert xpaths(found, "strip") == [SHARE]
    assert [page["lost"] for page in found["pages"]] == [["Share it"]] * 3
    assert found["marks"]["forest-strip"] == [8]


def test_stripping_the_whole_body_removes_its_rule(browser: Browser) -> None:
    assert xpaths(draft(browser, (5, "strip")), "body") == []


def test_adding_a_stripped_element_drops_the_strip(browser: Browser) -> None:
    assert xpaths(draft(browser, (8, "strip"), (8, "body")), "strip") == []


def test_body_and_strip_may_be_pointed_at_on_different_pages(browser: Browser) -> None:
    clicks = [("ferry", 5, "body"), ("museum", 8, "strip")]
    rows = [{"page": f"{SITE}/{name}", "dfs": dfs, "action": act} for name, dfs, act in clicks]
    row = {"base": "none", "typed": None, "clicks": rows, "shown": f"{SITE}/ferry"}
    _, found = browser.post_json(f"/sites/{SITE}/draft", row)
    assert (xpaths(found, "body"), xpaths(found, "strip")) == ([STORY], [SHARE])
    assert found["notes"] == []


def test_nothing_is_left_of_what_an_outer_click_removes(browser: Browser) -> None:
    found = draft(browser, (2, "body"), (3, "strip"), (2, "strip"))
    assert (xpaths(found, "body"), xpaths(found, "strip")) == ([STORY], [])


def test_stripping_twice_says_so(browser: Browser) -> None:
    typed = {"body": [STORY], "strip": [SHARE]}
    click = {"page": f"{SITE}/ferry", "dfs": 8, "action": "strip"}
    row = {"base": "1", "typed": typed, "clicks": [click], "shown": f"{SITE}/ferry"}
    _, found = browser.post_json(f"/sites/{SITE}/draft", row)
    assert xpaths(found, "strip") == [SHARE]
    assert found["notes"] == ["that element is stripped already"]


def test_wrong_xpath_is_refused_with_its_reason(browser: Browser) -> None:
    row = {"base": "1", "typed": {"body": ["//p[1]"], "strip": []}, "clicks": [], "shown": ""}
    status, found = browser.post_json(f"/sites/{SITE}/draft", row)
    assert status == 422
    assert "not a portable locator" in found["error"]


def pin(browser: Browser, state: str) -> tuple[int, str]:
    form = {"body": STORY, "strip": SHARE, "state": state, "base": "1"}
    return browser.post(f"/sites/{SITE}/pin", form)


def test_pinned_draft_replaces_the_wrapper_until_it_is_unpinned(browser: Browser) -> None:
    store = browser.app.state.studio.reading()
    assert pin(browser, store.wrapper_state(SITE))[0] == 303
    (pinned,) = store.wrappers(SITE)
    assert (pinned.pinned, pinned.wrapper.strip, pinned.wrapper.support) == (True, (SHARE,), 3)
    form = {"number": pinned.id, "state": store.wrapper_state(SITE)}
    assert browser.post(f"/sites/{SITE}/unpin", form)[0] == 303
    (present,) = store.wrappers(SITE)
    assert (present.id, present.pinned) == (1, False)


def test_second_tab_is_told_that_the_first_has_pinned(browser: Browser) -> None:
    store = browser.app.state.studio.reading()
    state = store.wrapper_state(SITE)
    assert pin(browser, state)[0] == 303
    status, text = pin(browser, state)
    assert status == 409
    assert "have changed since you opened this page" in text
    assert len(store.wrappers(SITE)) == 1


def test_crawl_that_holds_the_store_refuses_a_pin(browser: Browser, url: str) -> None:
    state = browser.app.state.studio.reading().wrapper_state(SITE)
    with open_store(url):
        assert pin(browser, state)[0] == 409


@pytest.mark.parametrize(
    ("headers", "form", "expected"),
    [
        ({"origin": "http://evil.example"}, {}, 403),
        ({"origin": "null"}, {}, 403),
        ({"sec_fetch_site": "cross-site"}, {}, 403),
        ({}, {"csrf": "guess"}, 403),
        ({"host": "evil.example"}, {}, 421),
    ],
    ids=["other origin", "framed page", "cross-site", "wrong token", "rebound name"],
)
def test_forged_changes_are_refused(
    browser: Browser, headers: dict[str, str], form: dict[str, str], expected: int
) -> None:
    given = {"urls": "https://new.example/feed"} | form
    assert browser.post("/sources", given, **headers)[0] == expected
    assert browser.app.state.studio.reading().sources() == []


@pytest.mark.parametrize(
    ("origin", "expected"), [("https://reader.example", 204), ("https://x", 403)]
)
def test_only_named_origins_may_use_the_service(url: str, origin: str, expected: int) -> None:
    options = StudioOptions(url, cors=("https://reader.example",))
    browser = Browser(make_app(options, Inline(), FullText(ServiceOptions(), Inline())))
    headers = {"origin": origin, "sec_fetch_site": "cross-site"}
    assert browser.options("/api/v1/extract", **headers)[0] == expected
    assert browser.get("/api/v1/openapi.json", **headers)[0] == (200 if expected == 204 else 403)
    assert browser.post("/sources", {"urls": "https://new.example/"}, **headers)[0] == 403


def test_added_source_is_due_and_can_be_removed(browser: Browser) -> None:
    _, text = browser.post("/sources", {"urls": "https://new.example/feed\nftp://x.example/"})
    assert "1 added" in text
    assert "1 refused" in text
    store = browser.app.state.studio.reading()
    (source,) = store.sources()
    assert browser.post("/sources/remove", {"number": source.id})[0] == 303
    assert store.sources() == []


def test_site_whose_only_source_was_never_read_needs_a_look(url: str) -> None:
    with open_store(url) as store:
        source = store.add_source("https://dead.example/feed")
        store.update_source(source.id, status="unknown-host", failures=1)
        store.add_source("https://unpolled.example/feed")
    browser = Browser(make_app(StudioOptions(url), Inline()))
    status, text = browser.get("/sites?look=1")
    assert status == 200
    assert "dead.example" in text
    assert "failing source" in text
    assert "unpolled.example" not in text
    assert browser.get("/sites/dead.example")[0] == 200


def test_a_site_shows_why_its_pages_have_no_article(url: str) -> None:
    with open_store(url) as store:
        store.begin_run()
        store.schedule([candidate("quay"), candidate("pier"), candidate("gone")])
        for name in ("quay", "pier"):
            store.skip(candidate(name).key, "no-article-no-text")
        store.fail(candidate("gone").key, "http-404")
        store.end_run()
    text = Browser(make_app(StudioOptions(url), Inline())).get(f"/sites/{SITE}")[1]
    assert "<dd>no-article-no-text: 2, http-404: 1</dd>" in text


def test_removed_source_is_no_failing_one(url: str) -> None:
    with open_store(url) as store:
        source = store.add_source("https://gazette.example/feed")
        store.update_source(source.id, status="unknown-host", failures=3, site=SITE)
        store.begin_run()
        store.schedule([replace(candidate("quay"), source_id=source.id)])
        store.end_run()
    browser = Browser(make_app(StudioOptions(url), Inline()))
    assert browser.post("/sources/remove", {"number": source.id})[0] == 303
    assert "removed" in browser.get("/sources")[1]
    assert "0 failing" in browser.get("/sources")[1]
    assert "failing source" not in browser.get("/sites")[1]


def test_source_without_a_title_is_named_once(url: str) -> None:
    with open_store(url) as store:
        source = store.add_source("https://dead.example/feed")
        store.update_source(source.id, status="unknown-host", failures=1)
    text = Browser(make_app(StudioOptions(url), Inline())).get("/sources")[1]
    assert text.count("https://dead.example/feed") == 1


def test_pages_have_no_control_character_of_a_store(url: str) -> None:
    with open_store(url) as store:
        source = store.add_source("https://gazette.example/feed")
        store.update_source(source.id, status="\x1b\x9b\x07Ho")
    status, text = Browser(make_app(StudioOptions(url), Inline())).get("/sources")
    assert status == 200
    assert source.url in text
    assert ">Ho</span>" in text  # the status, without ESC, CSI and BEL
    assert not {"\x1b", "\x9b", "\x07"}.intersection(text)


def test_label_becomes_a_page_of_a_test_package(browser: Browser, tmp_path: Path) -> None:
    form = {"key": f"{SITE}/ferry", "body": "5", "strip": "8"}
    assert browser.post(f"/sites/{SITE}/label", form)[0] == 303
    (gold,) = (tmp_path / "labels").glob("*.txt")
    assert gold.read_text() == "The ferry opens\nOur ferry opens on Monday.\n"


def test_read_only_studio_offers_and_accepts_no_change(url: str) -> None:
    browser = Browser(make_app(StudioOptions(url, read_only=True), Inline()))
    assert "Edit by pointing" not in browser.get(f"/sites/{SITE}")[1]
    assert browser.post("/sources", {"urls": "https://new.example/"})[0] == 403


def test_beyond_this_machine_the_token_is_needed(url: str) -> None:
    options = StudioOptions(url, host="0.0.0.0", token="correct-horse")  # noqa: S104, S106
    browser = Browser(make_app(options, Inline()))
    assert browser.get("/sites")[0] == 401
    assert browser.get("/sites", authorization="Bearer correct-horse")[0] == 200
    assert browser.get("/sites?token=correct-horse")[0] == 303


def test_export_writes_pages_that_link_to_each_other(url: str, tmp_path: Path) -> None:
    number = export_site(StudioOptions(url, is_static=True), tmp_path / "made", Inline())
    text = (tmp_path / "made" / "sites.html").read_text()
    assert number > 10
    assert f'href="sites/{SITE}.html"' in text
    assert (tmp_path / "made" / "sites" / f"{SITE}.html").is_file()
    assert "<form" not in text


def test_export_names_moments_as_it_may_be_read_years_later(url: str, tmp_path: Path) -> None:
    export_site(StudioOptions(url, is_static=True), tmp_path, Inline())
    texts = [path.read_text() for path in tmp_path.rglob("*.html")]
    assert [text for text in texts if " ago<" in text or " ago " in text] == []
    today = datetime.now(UTC).date()  # of the articles, or of yesterday's last second
    row = (tmp_path / "sites.html").read_text()
    assert any(f"{today - timedelta(days=days)} " in row for days in (0, 1))
