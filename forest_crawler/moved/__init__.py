"""Modules that were public under another path, re-exported from where they are now.

`forest_crawler` looks for its submodules here too, so `forest_crawler.pages` is
`forest_crawler/moved/pages.py`. New code imports from the rooms themselves.
"""
