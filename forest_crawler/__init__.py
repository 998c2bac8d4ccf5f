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
"""

from forest_crawler.errors import ForestError
from forest_crawler.feeds import FeedEntry
from forest_crawler.induction import SamplePage, induce
from forest_crawler.selection import Selection
from forest_crawler.tree import PageTree, parse_page
from forest_crawler.wrapper import Wrapper, dump_wrappers, load_wrappers

__all__ = [
    "FeedEntry",
    "ForestError",
    "PageTree",
    "SamplePage",
    "Selection",
    "Wrapper",
    "dump_wrappers",
    "induce",
    "load_wrappers",
    "parse_page",
]
