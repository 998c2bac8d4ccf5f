"""Show a line per site on a terminal while the demo's crawl runs, by what its store has."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from forest_crawler.cli._demo_results import write_rules
from forest_crawler.cli._demo_server import ServedSite
from forest_crawler.errors import ForestError
from forest_crawler.store.studio_store import StudioStore, read_studio_store

REFRESH = 0.3  # seconds
BAR = 20  # columns


def watch_crawl(
    process: subprocess.Popen[bytes], sites: Sequence[ServedSite], store: str, console: Console
) -> int:
    """Wait for the crawl, and show a line per site meanwhile; return its exit code."""
    with Live(console=console, auto_refresh=False, transient=True) as live:
        while process.poll() is None:
            live.update(_read_lines(sites, store), refresh=True)
            time.sleep(REFRESH)
    return process.returncode


def _read_lines(sites: Sequence[ServedSite], store: str) -> Table:
    """Read the store; a crawl that has just started has none yet."""
    try:
        with read_studio_store(store, upgrade=False) as opened:
            return make_lines(sites, opened)
    except ForestError:
        return make_lines(sites, None)


def make_lines(sites: Sequence[ServedSite], store: StudioStore | None) -> Table:
    """Return a line per site: its articles, as a bar too, and its body once it is known."""
    counts = store.count_by_site() if store else {}
    table = Table(box=None, pad_edge=False, show_header=False)
    for site in sites:
        host = urlsplit(site.home).hostname or ""
        number, total = counts.get(host, (0, 0))[0], len(site.pages)
        wrappers = [row.wrapper for row in store.wrappers(host)] if store else []
        body = write_rules(wrapper.body for wrapper in wrappers)
        bar = ProgressBar(total=total, completed=number, width=BAR)
        state = Text(body or "reading its pages", style="" if body else "dim")
        state.truncate(60, overflow="ellipsis")
        table.add_row(Text(site.name), bar, f"{number} of {total}", state)
    return table
