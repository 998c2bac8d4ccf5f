"""Bytes → `PageTree` → `Selection`: one parse per page, shared by every method."""

from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree, parse_page

__all__ = ["PageTree", "Selection", "parse_page"]
