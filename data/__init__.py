"""Bundled sites: installed as `forest_crawler.data`, read through `forest_crawler.bundle`."""
