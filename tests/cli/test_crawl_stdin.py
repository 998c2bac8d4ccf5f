"""`forest crawl -` reads its list from stdin, which can be read once only."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support.crawl_process import ROOT, Crawl
from tests.support.fault_process import running_server
from tests.support.waiting import HANG

SITE = "127.1.0.1"


def test_a_list_on_stdin_is_crawled(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, ("-",))
    with running_server() as server:
        server.plan({"*": {"pages": 2}})
        done = subprocess.run(
            crawl.command(),
            input=f"# one feed\n{server.url(SITE, '/feed.xml')}\nftp://not.fetched.example/\n",
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=HANG,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert [article["site"] for article in crawl.articles()] == [SITE, SITE]
    assert "-:3: " in done.stderr  # the third line cannot be used
