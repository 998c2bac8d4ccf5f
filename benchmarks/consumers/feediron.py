"""FeedIron, a plug-in of tt-rss: its own code processes every page, without a tt-rss around it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.consumers.php_pages import show_pages
from benchmarks.consumers.program import Program, Shown
from benchmarks.consumers.sites import Site
from forest_crawler.export.feediron import write_feediron
from forest_crawler.export.targets import FEEDIRON


def run_feediron(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Write the configuration, and let the plug-in fetch and process every page."""
    (text,) = write_feediron([site.rules for site in sites]).files.values()
    # The plug-in finds a site by the key in the URL; here, sites are the first part of the path.
    document = json.loads(text)
    keyed = {f"/{site.name}/": document[site.rules.site] for site in sites}
    file = work / "feediron.json"
    file.write_text(json.dumps(keyed))
    pages = [{"url": site.page_url(page)} for site in sites for page in site.pages]
    shown = show_pages("feediron.php", [str(path), str(file)], pages)
    return shown.pop("", "unknown"), shown


PROGRAM = Program("FeedIron", "FEEDIRON", run_feediron, lambda _: FEEDIRON)
