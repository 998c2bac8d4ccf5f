"""Turn a list of feeds into clean articles and per-site XPath wrappers.

The public API, small on purpose:

>>> from forest_crawler import induce, parse_page
>>> page = (
...     "<ul><li>Home<li>News<li>Sport<li>Weather<li>Travel<li>Shop<li>Contact</ul>"
...     "<div class=story><h1>{0} opens</h1><p>Our new {0} opens on Monday, said the mayor: the "
...     "{0} was built in two years by local people, and visitors may see the {0} for free.</div>"
... )
>>> pages = [parse_page(page.format(topic)) for topic in ("ferry", "bakery", "museum")]
>>> wrapper = induce(pages, site="harbour.example")[0]
>>> "lighthouse opens on Monday" in wrapper.select(parse_page(page.format("lighthouse"))).text
True

Public are the names in `__all__` and those that the API reference lists. They follow semantic
versioning: until 1.0 a minor version may change them, and the changelog says so; from 1.0 on only a
major version may. Everything else may change in any version. Modules that were public under
another path (`forest_crawler/moved/`) stay importable there until 1.0.
"""

from typing import TYPE_CHECKING

import forest_crawler.moved as _moved
from forest_crawler.late_names import load_late as _load_late

if TYPE_CHECKING:
    from forest_crawler.article import (
        Article,
        ArticleSource,
        FormOptions,
        extract_article,
        make_article,
    )
    from forest_crawler.errors import (
        EmptyPageError,
        FeedError,
        FetchError,
        ForestError,
        InputError,
        PageError,
        SampleError,
        StoreError,
        UnknownNameError,
        WrapperError,
    )
    from forest_crawler.extraction import Extraction, extract
    from forest_crawler.feed import Enclosure, Feed, FeedEntry, read_feed
    from forest_crawler.fetching.page_fetch import fetch_article
    from forest_crawler.induction import SITE_METHODS, SamplePage, explain_induction, induce
    from forest_crawler.metadata import PageMetadata, read_metadata
    from forest_crawler.page import PageTree, Selection, parse_page
    from forest_crawler.wrapper import Wrapper, dump_wrappers, load_wrappers

__path__ += _moved.__path__

__all__ = [
    "SITE_METHODS",
    "Article",
    "ArticleSource",
    "EmptyPageError",
    "Enclosure",
    "Extraction",
    "Feed",
    "FeedEntry",
    "FeedError",
    "FetchError",
    "ForestError",
    "FormOptions",
    "InputError",
    "PageError",
    "PageMetadata",
    "PageTree",
    "SampleError",
    "SamplePage",
    "Selection",
    "StoreError",
    "UnknownNameError",
    "Wrapper",
    "WrapperError",
    "dump_wrappers",
    "explain_induction",
    "extract",
    "extract_article",
    "fetch_article",
    "induce",
    "load_wrappers",
    "make_article",
    "parse_page",
    "read_feed",
    "read_metadata",
]

_HOMES = {
    "article": "Article ArticleSource FormOptions extract_article make_article",
    "errors": "EmptyPageError FeedError FetchError ForestError InputError PageError SampleError "
    "StoreError UnknownNameError WrapperError",
    "extraction": "Extraction extract",
    "feed": "Enclosure Feed FeedEntry read_feed",
    "fetching.page_fetch": "fetch_article",
    "induction": "SITE_METHODS SamplePage explain_induction induce",
    "metadata": "PageMetadata read_metadata",
    "page": "PageTree Selection parse_page",
    "wrapper": "Wrapper dump_wrappers load_wrappers",
}
"""Rooms and their public names."""

if not TYPE_CHECKING:  # for type checkers, every name would exist
    # The command `forest` starts without most of them.
    __getattr__ = _load_late(__name__, _HOMES)
