"""`Wrapper`: a site's XPaths, their portable locators, and how to run them."""

from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers, load_wrappers

__all__ = ["Wrapper", "dump_wrappers", "load_wrappers"]
