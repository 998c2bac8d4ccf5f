"""The demo's live lines: one per site."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path

from rich.console import Console

from forest_crawler.cli._demo_progress import make_lines
from forest_crawler.cli._demo_server import ServedSite
from forest_crawler.store import FetchedPage, NewArticle, open_store
from forest_crawler.store.studio_store import read_studio_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import candidate

PAGES = {"/rain": "rain", "/fog": "fog"}
SITES = [
    ServedSite("gazette", "http://gazette.example:1/", PAGES, {}, b""),
    ServedSite("later", "http://later.example:1/", PAGES, {}, b""),
]


def test_each_site_has_a_line_with_its_articles_and_its_body(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with open_store(url) as store:
        store.begin_run()
        store.schedule([candidate("rain")])
        (lease,) = store.lease(1)
        store.hold([FetchedPage(lease.key, b"<p>Rain</p>")])
        site = "gazette.example"
        store.replace_wrappers(site, [Wrapper(site, "forest", "portable", ("//main",))], "induced")
        line = json.dumps({"id": "a"})
        store.archive([NewArticle("a", lease.key, site, "u", "wrapper", 1, "h", line)])
        store.end_run()
    with read_studio_store(url) as reading:
        table = make_lines(SITES, reading)
    console = Console(width=90, record=True, file=StringIO())
    console.print(table)
    first, second = console.export_text().splitlines()
    assert first.split()[0] == "gazette"
    assert "1 of 2" in first
    assert first.rstrip().endswith("main")
    assert "0 of 2" in second
    assert second.rstrip().endswith("reading its pages")
