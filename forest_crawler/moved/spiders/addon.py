"""Former path of `forest_crawler.fetching.addon`, as projects' settings may still name it."""

from forest_crawler.fetching.addon import ForestAddon

__all__ = ["ForestAddon"]
