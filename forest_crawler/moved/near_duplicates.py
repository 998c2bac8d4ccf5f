"""Former path of `forest_crawler.text.near_duplicates`."""

from forest_crawler.text.near_duplicates import find_duplicates, sketch_text

__all__ = ["find_duplicates", "sketch_text"]
