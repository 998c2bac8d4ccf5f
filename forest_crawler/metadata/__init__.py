"""What a page says about itself: JSON-LD, microdata, titles, bylines, dates."""

from forest_crawler.metadata.page_metadata import PageMetadata, read_metadata

__all__ = ["PageMetadata", "read_metadata"]
