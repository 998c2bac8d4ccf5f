"""Attack vectors in a real browser: from a marked page none runs, and nothing is requested."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.page.tree import parse_page
from forest_crawler.store import FetchedPage, NewArticle, open_store
from forest_crawler.studio.app import make_app
from forest_crawler.studio.options import StudioOptions
from forest_crawler.studio.overlay import overlay_page, overlay_tree
from tests.support.browser import open_browser
from tests.support.inline_jobs import Inline
from tests.support.load_vectors import make_loads
from tests.support.script_vectors import make_vectors
from tests.support.store_builders import candidate
from tests.support.web_server import run_app

FRAMES = """<!doctype html><meta charset=utf-8><title>vectors</title><script>
window.hits = [];
window.hit = n => window.hits.push(n);
addEventListener("message", event => window.hits.push(event.data));
</script>"""
CALLABLE = "<script>window.hit = n => parent.hit(n)</script>"
PARENTS = """() => [...document.querySelectorAll("[data-dfs]")].map(
    e => [+e.dataset.dfs, +(e.parentElement.closest("[data-dfs]")?.dataset.dfs ?? 0)])"""


@dataclass(slots=True)
class Site:
    """A server whose documents are in `pages`; it notes the other paths that are requested."""

    address: str
    pages: dict[str, str] = field(default_factory=dict)
    requested: list[str] = field(default_factory=list)


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = made.pages.get(self.path)
            if page is None and self.path != "/favicon.ico":
                made.requested.append(self.path)
            body = (page or "").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815  the name that the base class calls

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made = Site(f"http://127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield made
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with open_browser() as opened:
        yield opened


def show(browser: Any, site: Site, path: str, frames: list[str]) -> set[int]:
    """Show frames in one page; return the numbers of the scripts that ran."""
    site.pages[path] = FRAMES + "\n".join(frames)
    page = browser.new_page()
    page.goto(site.address + path, wait_until="load")
    page.wait_for_timeout(300)  # a refresh, and errors of pictures
    hits = page.evaluate("window.hits")
    page.close()
    return set(hits)


def test_no_vector_runs_or_loads_anything(browser: Any, site: Site) -> None:
    vectors = [*make_vectors(), *make_loads(f"{site.address}/load/")]
    assert len(vectors) >= 60
    frames = []
    for number, vector in enumerate(vectors):
        source = f"<h1>Title</h1><div>{vector}<p>After the vector.</p></div>".encode()
        document = overlay_page(source, f"{site.address}/page/{number}", None, ["vector"])
        bare, count = re.subn(r"<meta http-equiv[^>]*>", "", document)
        assert count == 1
        # The markup alone must hold, not only because of policy and sandbox.
        frames.append(f'<iframe srcdoc="{escape(CALLABLE + bare)}"></iframe>')
        if number % 10 == 0:
            site.pages[f"/overlay/{number}"] = document
            frames.append(f'<iframe sandbox src="/overlay/{number}"></iframe>')
    site.requested.clear()
    assert show(browser, site, "/overlays", frames) == set()
    assert site.requested == []


def test_the_same_vectors_run_and_load_when_they_are_not_cleaned(browser: Any, site: Site) -> None:
    vectors = [*make_vectors(), *make_loads(f"{site.address}/load/")]
    frames = [f'<iframe srcdoc="{escape(CALLABLE + vector)}"></iframe>' for vector in vectors]
    site.requested.clear()
    assert len(show(browser, site, "/control", frames)) >= 40
    assert len({path for path in site.requested if path.startswith("/load/")}) >= 25


def test_the_browser_builds_our_tree(browser: Any) -> None:
    page = browser.new_page()
    for directory in bundled_sites():
        source = next(iter(read_pages(directory)))
        tree = parse_page(source.source, url=source.url)
        page.set_content(overlay_tree(tree))
        shown = dict(map(tuple, page.evaluate(PARENTS)))
        expected = {n + 1: parent + 1 for n, parent in enumerate(tree.outline.parents)}
        assert {n: parent for n, parent in shown.items() if expected[n] != parent} == {}
        missing = {str(tree.outline.elements[n - 1].tag) for n in expected.keys() - shown.keys()}
        assert missing <= {"col", "colgroup"}, directory.name
    page.close()


def test_the_callers_script_reports_what_is_pointed_at(browser: Any, site: Site) -> None:
    script = "addEventListener('click', e => parent.postMessage(+e.target.dataset.dfs, '*'))"
    document = overlay_page(b"<h1>Title</h1><p>Text</p>", None, None, script=script)
    site.pages["/script"] = document.replace("</body>", "<script>parent.postMessage(99)</script>")
    site.pages["/pointing"] = FRAMES + '<iframe sandbox="allow-scripts" src="/script"></iframe>'
    page = browser.new_page()
    page.goto(f"{site.address}/pointing")
    page.frames[1].locator("p").click()
    page.wait_for_function("window.hits.length > 0")
    assert json.loads(page.evaluate("JSON.stringify(window.hits)")) == [3]
    page.close()


def test_a_hostile_store_runs_and_loads_nothing_in_the_studio(
    browser: Any, site: Site, tmp_path: Path
) -> None:
    vectors = [*make_vectors(), *make_loads(f"{site.address}/load/")]
    markup = "\n".join(vectors)
    row: dict[str, Any] = {"id": "a1", "title": markup, "text": markup, "html": markup}
    row |= {"authors": [markup], "markdown": markup}
    row |= {"images": [{"url": "javascript:hit(0)", "alt": markup}]}
    made = f"sqlite:///{tmp_path}/store.db"
    with open_store(made) as store:
        store.begin_run()
        store.schedule([candidate("ferry")])
        (lease,) = store.lease(1)
        store.hold([FetchedPage(lease.key, f"<h1>Title</h1><main>{markup}</main>".encode())])
        line = json.dumps(row | {"url": f"https://{lease.key}"})
        new = NewArticle("a1", lease.key, "gazette.example", "u", "wrapper", None, "h", line)
        store.archive([new])
        store.end_run()
    page = browser.new_page()
    page.add_init_script("window.hits = []; window.hit = n => window.hits.push(n)")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    site.requested.clear()
    root = "/sites/gazette.example"
    forms = [f"/articles/a1?form={form}" for form in ("read", "text", "html", "markdown", "json")]
    with run_app(make_app(StudioOptions(made), Inline())) as address:
        for view in ("/articles", "/articles?q=script", *forms, root, f"{root}/edit"):
            page.goto(address + view)
            assert page.evaluate("window.hits") == [], view
            assert all(it.evaluate("window.hits") == [] for it in page.frames[1:]), view
        foreign = [it for it in requested if not it.startswith((address, "about:", "data:"))]
    page.close()
    assert (foreign, site.requested) == ([], [])
