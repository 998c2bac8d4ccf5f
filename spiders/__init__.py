"""The two spiders, installed as `forest_crawler.spiders`."""

import forest_crawler.moved.spiders as _moved

__path__ += _moved.__path__
