"""A page and its site's wrappers → `Extraction`."""

from forest_crawler.extraction.extraction import Extraction, extract

__all__ = ["Extraction", "extract"]
