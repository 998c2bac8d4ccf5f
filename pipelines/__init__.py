"""`ForestPipeline` and `PageItem`, installed as `forest_crawler.pipelines`."""

import forest_crawler.moved.pipelines as _moved

__path__ += _moved.__path__
