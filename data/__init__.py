"""Bundled sites, installed as `forest_crawler.data`; see `datasets.bundled_sites`."""
