"""Feeds, feed lists, sitemaps, and how to find them on a site."""

from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import Enclosure, Feed, FeedEntry

__all__ = ["Enclosure", "Feed", "FeedEntry", "read_feed"]
