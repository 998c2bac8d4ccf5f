"""Find a page's article with its site's wrappers or a page-level method."""

from forest_crawler.extraction.extraction import Extraction, extract

__all__ = ["Extraction", "extract"]
