"""Point readers at the service over loopback: `python -m benchmarks.full_text_reader`.

Serves a bundled site with a truncated feed, runs the service, and lets newsboat fetch the full
feed. Prints the words of each entry in the site's own feed, and those that newsboat stored. With
`--freshrss DIR`, a checkout of FreshRSS that PHP can run, FreshRSS is the reader instead.
"""

from __future__ import annotations

import argparse
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from html import escape, unescape
from pathlib import Path
from urllib.parse import quote

import feedparser
import uvicorn

from forest_crawler.cli._demo_server import ServedSite, serve_sites
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.page.tree import parse_page
from forest_crawler.studio.service import ServiceOptions, api_app

SITE = "harbour-gazette"


def main(arguments: Sequence[str]) -> int:
    """Print the words of each entry, by the site's own feed and by ours; 1 if ours has no more."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--freshrss", type=Path, metavar="DIR")
    options = parser.parse_args(arguments)
    if shutil.which("php" if options.freshrss else "newsboat") is None:
        print("the reader isn't installed: apt-get install newsboat, or php-cli for FreshRSS")
        return 2
    directory = next(path for path in bundled_sites() if path.name == SITE)
    with serve_sites([directory]) as (site,):
        feed = site.home.rstrip("/") + _feed_path(site)
        server, port = _start_service()
        full = f"http://127.0.0.1:{port}/api/v1/makefulltextfeed.php?url={quote(feed, safe='')}"
        try:
            ours = (
                _ask_freshrss(options.freshrss, full) if options.freshrss else _ask_newsboat(full)
            )
        finally:
            server.should_exit = True
    source = feedparser.parse((directory / _feed_path(site).lstrip("/")).read_bytes())
    own = {entry.title: len(entry.get("summary", "").split()) for entry in source.entries}
    for title, words in ours.items():
        print(f"{own.get(title, 0):5} -> {words:5} words  {title}")
    is_full = all(ours.get(title, 0) > words for title, words in own.items())
    return 0 if is_full and len(ours) == len(own) else 1


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


def _ask_newsboat(feed: str) -> dict[str, int]:
    """Let newsboat fetch a feed; return the words that its cache has of each entry."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "urls").write_text(f'"{feed}"\n')
        (home / "config").write_text("download-timeout 180\n")
        files = ["-u", f"{home}/urls", "-c", f"{home}/cache.db", "-C", f"{home}/config"]
        subprocess.run(["newsboat", *files, "-x", "reload"], check=True, timeout=300)  # noqa: S603, S607
        return _count_words(home / "cache.db", "select title, content from rss_item order by id")


def _ask_freshrss(source: Path, feed: str) -> dict[str, int]:
    """Install FreshRSS in a copy, subscribe it to a feed, and let it fetch."""
    with tempfile.TemporaryDirectory() as name:
        home = Path(shutil.copytree(source, Path(name) / "freshrss"))
        (home / "opml.default.xml").write_text(  # what a new user subscribes to
            f'<opml version="2.0"><body><outline type="rss" text="ours" xmlUrl="{escape(feed)}"/>'
            "</body></opml>"
        )
        for words in (
            ["do-install.php", "--default-user", "me", "--db-type", "sqlite"],
            ["create-user.php", "--user", "me"],
            ["actualize-user.php", "--user", "me"],
        ):
            command = ["php", f"cli/{words[0]}", *words[1:]]
            done = subprocess.run(command, cwd=home, capture_output=True, text=True, check=False)  # noqa: S603
            if done.returncode:
                raise SystemExit(f"{' '.join(command)}: {done.stdout}{done.stderr}")
        database = home / "data" / "users" / "me" / "db.sqlite"
        query = "select title, content from entry order by date"
        return _count_words(database, query)


def _count_words(database: Path, query: str) -> dict[str, int]:
    found = {}
    for title, content in sqlite3.connect(database).execute(query):
        texts = parse_page(content or "<p>").outline.leaf_texts
        found[unescape(title)] = len(" ".join(texts).split())
    return found


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
