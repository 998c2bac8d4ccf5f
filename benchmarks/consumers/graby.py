"""graby, which wallabag uses: site configs in a directory, pages that are fetched already.

`GRABY` is the `autoload.php` of an installation, such as `vendor/autoload.php` after
`composer require j0k3r/graby`.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.consumers.php_pages import show_pages
from benchmarks.consumers.program import Program, Shown
from benchmarks.consumers.sites import Site, page_bytes
from forest_crawler.export.choice import Target
from forest_crawler.export.fivefilters import field_lines, write_fivefilters
from forest_crawler.export.targets import site_config_target


def run_graby(path: Path, sites: Sequence[Site], work: Path) -> tuple[str, Shown]:
    """Write the site configs, and let graby read every page at its own URL."""
    configs = work / "site_config"
    configs.mkdir()
    for name, text in write_fivefilters([site.rules for site in sites]).files.items():
        (configs / name).write_text(text)
    own = {page.checked.url: site.page_url(page) for site in sites for page in site.pages}
    pages = [
        {"url": page.checked.url, "html": b64encode(page_bytes(page)).decode()}
        for site in sites
        for page in site.pages
    ]
    shown = show_pages("graby.php", [str(path), str(configs)], pages)
    return shown.pop("", "unknown"), {own[url]: html for url, html in shown.items()}


def _target(site: Site) -> Target[Any]:
    return site_config_target(site.rules.portable, field_lines(site.rules))


PROGRAM = Program("graby", "GRABY", run_graby, _target)
