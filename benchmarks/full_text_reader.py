"""Point newsboat at the service over loopback: `python -m benchmarks.full_text_reader`.

Serves a bundled site with a truncated feed, runs the service, and lets newsboat fetch the full
feed. Prints the words of each entry in the site's own feed, and those that newsboat stored.
"""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import feedparser
import uvicorn

from forest_crawler.cli._demo_server import ServedSite, serve_sites
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.page.tree import parse_page
from forest_crawler.studio.service import ServiceOptions, api_app

SITE = "harbour-gazette"


def main() -> int:
    """Print the words of each entry, by the site's own feed and by ours; 1 if ours has no more."""
    program = shutil.which("newsboat")
    if program is None:
        print("newsboat isn't installed: apt-get install newsboat")
        return 2
    directory = next(path for path in bundled_sites() if path.name == SITE)
    with serve_sites([directory]) as (site,):
        feed = site.home.rstrip("/") + _feed_path(site)
        server, port = _start_service()
        full = f"http://127.0.0.1:{port}/api/v1/makefulltextfeed.php?url={quote(feed, safe='')}"
        try:
            ours = _read_with(program, [full]).get(full, {})
        finally:
            server.should_exit = True
    source = feedparser.parse((directory / _feed_path(site).lstrip("/")).read_bytes())
    own = {entry.title: len(entry.get("summary", "").split()) for entry in source.entries}
    for title, words in ours.items():
        print(f"{own.get(title, 0):5} -> {words:5} words  {title}")
    return 0 if ours and all(words > own.get(title, 0) for title, words in ours.items()) else 1


def _feed_path(site: ServedSite) -> str:
    return next(path for path, file in site.files.items() if file.suffix == ".xml")


def _start_service() -> tuple[uvicorn.Server, int]:
    options = ServiceOptions(
        allow_networks=("127.0.0.0/8",), allow_ports=("any",), timeout=120, wait_seconds=120
    )
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(api_app(options), log_level="warning"))
    threading.Thread(target=server.run, args=([listener],), daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return server, int(listener.getsockname()[1])


def _read_with(program: str, feeds: list[str]) -> dict[str, dict[str, int]]:
    """Let newsboat fetch feeds; return the words that its cache has of each entry."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "urls").write_text("".join(f'"{feed}"\n' for feed in feeds))
        (home / "config").write_text("download-timeout 180\n")
        files = ["-u", f"{home}/urls", "-c", f"{home}/cache.db", "-C", f"{home}/config"]
        subprocess.run([program, *files, "-x", "reload"], check=True, timeout=300)  # noqa: S603
        rows = sqlite3.connect(home / "cache.db").execute(
            "select feedurl, title, content from rss_item order by id"
        )
        found: dict[str, dict[str, int]] = {}
        for feed, title, content in rows:
            text = " ".join(parse_page(content or "<p>").outline.leaf_texts)
            key = next((it for it in feeds if urlsplit(it) == urlsplit(feed)), feed)
            found.setdefault(key, {})[title] = len(text.split())
        return found


if __name__ == "__main__":
    sys.exit(main())
