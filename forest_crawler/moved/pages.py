"""Former path of `forest_crawler.datasets.labelled_pages`."""

from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages

__all__ = ["LabelledPage", "read_pages"]
