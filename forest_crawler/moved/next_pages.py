"""Former path of `forest_crawler.metadata.next_pages`."""

from forest_crawler.metadata.next_pages import find_next_page, shared_next_pages

__all__ = ["find_next_page", "shared_next_pages"]
