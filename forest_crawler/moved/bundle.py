"""Former path of `forest_crawler.datasets.bundled_sites`."""

from forest_crawler.datasets.bundled_sites import bundled_sites

__all__ = ["bundled_sites"]
