"""RSS-Bridge: served by PHP, requested at the addresses that the export writes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from urllib.request import urlopen

import feedparser

from benchmarks.consumers.program import Program, Shown, free_port, need, only_loopback, running
from benchmarks.consumers.sites import Site
from forest_crawler.export.rss_bridge import write_rss_bridge
from forest_crawler.export.targets import RSS_BRIDGE


def run_rss_bridge(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Fetch every exported address, and return the entries."""
    copy, port = work / "rss-bridge", free_port()
    shutil.copytree(path, copy, ignore=shutil.ignore_patterns(".git"))
    command = [need("php"), "-S", f"127.0.0.1:{port}", "-t", str(copy)]
    address = f"http://127.0.0.1:{port}/"
    (lines,) = write_rss_bridge([site.rules for site in sites], address).files.values()
    shown: Shown = {}
    with running(command, port, work / "rss-bridge.log", cwd=copy, env=only_loopback()):
        for url in lines.split():
            with urlopen(url, timeout=300) as answer:  # noqa: S310  loopback
                feed = feedparser.parse(answer.read(), sanitize_html=False)
            shown |= {it.link: it.content[0].value for it in feed.entries if "content" in it}
    return _version(copy), shown


def _version(copy: Path) -> str:
    source = (copy / "lib" / "Configuration.php").read_text()
    found = re.search(r"VERSION = '([^']+)'", source)
    return found[1] if found else "unknown"


PROGRAM = Program("RSS-Bridge", "RSS_BRIDGE", run_rss_bridge, lambda _: RSS_BRIDGE)
