"""Feeds, feed lists, sitemaps, and how to find them on a site."""

from forest_crawler.feed.feeds import Feed, FeedEntry, read_feed

__all__ = ["Feed", "FeedEntry", "read_feed"]
