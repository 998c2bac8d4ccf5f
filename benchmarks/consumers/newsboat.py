"""newsboat on full-text feeds, which need no rules."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.consumers.program import Program, Shown, only_loopback, run
from benchmarks.consumers.sites import Site, full_feed_url


def run_newsboat(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Let newsboat read every site's full-text feed, and return the items in its cache."""
    (work / "urls").write_text("".join(f'"{full_feed_url(site)}"\n' for site in sites))
    (work / "config").write_text("download-timeout 180\n")
    files = ["-u", f"{work}/urls", "-c", f"{work}/cache.db", "-C", f"{work}/config"]
    run([path, *files, "-x", "reload"], env=only_loopback())
    with sqlite3.connect(work / "cache.db") as database:
        rows = database.execute("SELECT url, content FROM rss_item").fetchall()
    version = run([path, "-v"]).split("\n")[0].split()[1]
    return version, dict(rows)


PROGRAM = Program("newsboat", "NEWSBOAT", run_newsboat)
