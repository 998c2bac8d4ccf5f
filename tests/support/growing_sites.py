"""Bundled sites whose feeds begin with a few entries, so that a later crawl finds new ones."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from forest_crawler.datasets.bundled_sites import bundled_sites

_ITEM = re.compile(r"<item[ >].*?</item>\s*", re.DOTALL)


def copy_sites(names: Sequence[str], directory: Path, entries: int) -> list[Path]:
    """Copy bundled sites; their feeds keep the first entries only."""
    made = []
    for source in bundled_sites():
        if source.name in names:
            made.append(Path(shutil.copytree(source, directory / source.name)))
            grow_feed(made[-1], entries)
    return made


def grow_feed(site: Path, entries: int) -> None:
    """Let a copied site's feed have its first `entries` entries."""
    original = next(path for path in bundled_sites() if path.name == site.name)
    text = (original / "feed.xml").read_text(encoding="utf-8")
    items = _ITEM.findall(text)
    assert len(items) > entries
    (site / "feed.xml").write_text(text.replace("".join(items[entries:]), ""), encoding="utf-8")
