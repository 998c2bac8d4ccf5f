"""The page that `forest demo` ends with: pages, articles, and what led to them."""

from forest_crawler.studio.demo.document import FILE_NAME, format_demo
from forest_crawler.studio.demo.records import DemoSite, RankedRow, ShownPage, ShownText

__all__ = ["FILE_NAME", "DemoSite", "RankedRow", "ShownPage", "ShownText", "format_demo"]
