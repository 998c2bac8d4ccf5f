"""A site's sample pages → its wrappers, by one of the site-level methods.

`induce` is the library's main entry. The stages of the default method are in `forest`, those of
the published method and its Coverage baseline in `paper`.
"""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler.errors import UnknownNameError, WrapperlessMethodError
from forest_crawler.induction.collector import paused_collector
from forest_crawler.induction.forest import ForestMethod
from forest_crawler.induction.method import Induction, SiteMethod
from forest_crawler.induction.paper.method import PaperMethod
from forest_crawler.induction.paper.ranking import RankingOptions
from forest_crawler.induction.sample import SamplePage, check_sample
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.wrapper import Wrapper

SITE_METHODS: dict[str, SiteMethod] = {
    "forest": ForestMethod(),
    "forest-paper": PaperMethod(),
    "forest-paper-feeds": PaperMethod(signifiers="feeds"),
    "coverage": PaperMethod(ranking=RankingOptions(measure="coverage")),
}
"""The site-level methods by name."""

DEFAULT_METHOD = "forest"

SST = "sst"

WRAPPERLESS_METHODS = (SST,)
"""Site-level methods that find a site's template, but no wrapper: they can only be evaluated."""


def get_site_method(name: str) -> SiteMethod:
    """Return the site-level method of that name; raise `UnknownNameError` if there is none.

    Raises `WrapperlessMethodError`, which is one, for a method that can only be evaluated.
    """
    if name in WRAPPERLESS_METHODS:
        raise WrapperlessMethodError("site method", name, list(SITE_METHODS))
    if name not in SITE_METHODS:
        raise UnknownNameError("site method", name, list(SITE_METHODS))
    return SITE_METHODS[name]


def induce(
    pages: Sequence[SamplePage | PageTree],
    *,
    site: str = "site",
    method: str = DEFAULT_METHOD,
    options: SiteMethod | None = None,
) -> list[Wrapper]:
    """Induce a site's wrappers from two or more of its pages.

    Raises `SampleError` if there are too few pages. `options` changes single steps of the method,
    for measurements.
    """
    return list(explain_induction(pages, site=site, method=method, options=options).wrappers)


def explain_induction(
    pages: Sequence[SamplePage | PageTree],
    *,
    site: str = "site",
    method: str = DEFAULT_METHOD,
    options: SiteMethod | None = None,
) -> Induction:
    """Induce a site's wrappers, and keep what led to them."""
    known = get_site_method(method)
    chosen = options or known
    with paused_collector():
        return chosen.run(check_sample(pages, site), site, method)
