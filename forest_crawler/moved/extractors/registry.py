"""Former path of `forest_crawler.extraction.methods.registry`."""

from forest_crawler.extraction.methods.registry import extractor_names, get_extractor, register

__all__ = ["extractor_names", "get_extractor", "register"]
