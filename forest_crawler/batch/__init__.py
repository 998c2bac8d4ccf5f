"""Batches: articles from many WARC files, by the worker pool or by Spark, with the same functions.

A batch reads its files two times. The first pass chooses ten pages of each site by hash, from which
the site's wrappers are induced; the second extracts every page with the wrappers of its site. Only
the samples pass between files.
"""
