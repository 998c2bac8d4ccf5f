"""Adapt site-level methods to the runner: learn from a sample, then extract.

`InducedMethod` adapts `forest_crawler.induction.induce`, `StyleTreeMethod` a method that learns no
wrapper; another kind of site-level method needs its own adapter and a line in `get_site_method`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from forest_crawler.evaluation.studies import Setting
from forest_crawler.extraction.extraction import extract
from forest_crawler.induction import SITE_METHODS, ForestMethod, PaperMethod, SamplePage, induce
from forest_crawler.induction import SiteMethod as SiteInducer
from forest_crawler.induction.induce import SST
from forest_crawler.induction.paper.filters import Filter
from forest_crawler.induction.sample import MIN_PAGES
from forest_crawler.induction.style_tree import StyleTree, build_style_tree
from forest_crawler.page.selection import Selection
from forest_crawler.wrapper.wrapper import Wrapper

_FILTERS: Final[dict[str, tuple[Filter, ...]]] = {
    "none": (),
    "anchors": ("anchors",),
    "comments": ("comments",),
    "both": ("anchors", "comments"),
}


class FittedSite(Protocol):
    """What a site-level method learnt from a sample; false if it learnt nothing."""

    def __bool__(self) -> bool: ...

    def extract(self, page: SamplePage) -> Selection:
        """Select the article of one of the site's pages."""
        ...


class SiteMethod(Protocol):
    """A method that learns from a site's pages before it extracts."""

    @property
    def needs_entry(self) -> bool:
        """Whether every page must come with a feed entry."""
        ...

    def fit(self, sample: Sequence[SamplePage], site: str) -> FittedSite:
        """Learn from sample pages; raise `SampleError` if they are too few."""
        ...


@dataclass(frozen=True, slots=True)
class WrappedSite:
    """A site's wrappers."""

    wrappers: tuple[Wrapper, ...]
    fallback: str | None = None  # the page-level method for pages that no wrapper fits

    def __bool__(self) -> bool:
        return bool(self.wrappers or self.fallback)

    def extract(self, page: SamplePage) -> Selection:
        """Apply the wrapper that fits."""
        return extract(page.tree, self.wrappers, self.fallback).selection


@dataclass(frozen=True, slots=True)
class InducedMethod:
    """A site-level method of the library, perhaps with a step changed for a study."""

    name: str
    method: SiteInducer

    @property
    def needs_entry(self) -> bool:
        """Whether its signifiers are feed entries."""
        return self.method.needs_entry

    def fit(self, sample: Sequence[SamplePage], site: str) -> FittedSite:
        """Induce wrappers; a method with a fallback takes single pages by that alone."""
        fallback = self.method.fallback
        if fallback and len(sample) < MIN_PAGES:
            return WrappedSite((), fallback)
        if self.needs_entry and len(sample) == 1:
            # `induce` requires siblings; the paper's figure 5 begins at one page.
            return WrappedSite(self.method.run(sample, site, self.name).wrappers)
        wrappers = induce(sample, site=site, method=self.name, options=self.method)
        return WrappedSite(tuple(wrappers), fallback)


@dataclass(frozen=True, slots=True)
class StyledSite:
    """A site's style tree; false if no page could be read."""

    tree: StyleTree

    def __bool__(self) -> bool:
        return bool(self.tree)

    def extract(self, page: SamplePage) -> Selection:
        """Select what isn't noise."""
        return self.tree.select(page.tree)


@dataclass(frozen=True, slots=True)
class StyleTreeMethod:
    """SST: template detection with a site style tree."""

    @property
    def needs_entry(self) -> bool:
        """Feed entries are not used."""
        return False

    def fit(self, sample: Sequence[SamplePage], site: str) -> FittedSite:
        """Merge the sample; by definition a single page has no noise, so one is enough."""
        return StyledSite(build_style_tree(page.tree for page in sample))


def get_site_method(name: str, setting: Setting | None = None) -> SiteMethod:
    """Return the site-level method of that name, with what a study's setting changes in it."""
    if name == SST:
        return StyleTreeMethod()
    method = SITE_METHODS[name]
    return InducedMethod(name, _vary(method, setting) if setting else method)


def _vary(method: SiteInducer, setting: Setting) -> SiteInducer:
    if setting.signifiers is not None and isinstance(method, PaperMethod | ForestMethod):
        method = replace(method, k=setting.signifiers)
    return _vary_paper(method, setting) if isinstance(method, PaperMethod) else method


def _vary_paper(method: PaperMethod, setting: Setting) -> PaperMethod:
    ranking = method.ranking
    if setting.measure is not None:
        ranking = replace(ranking, measure=setting.measure)
    if setting.level is not None:
        ranking = replace(ranking, level_factor=setting.level == "with")
    if setting.frequency is not None:
        ranking = replace(ranking, frequency_factor=setting.frequency == "with")
    if setting.types is not None:
        method = replace(method, tolerant=setting.types == "tolerant")
    if setting.filters is not None:
        method = replace(method, filters=_FILTERS[setting.filters])
    return replace(method, ranking=ranking)


def site_method_names() -> list[str]:
    """List the names of all site-level methods."""
    return [*SITE_METHODS, SST]
