"""Adapt site-level methods to the runner: learn from a sample, then extract.

`InducedMethod` adapts `forest_crawler.induction.induce`; another kind of site-level method needs
its own adapter and a line in `get_site_method`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from forest_crawler.evaluation.studies import Setting
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.induction.induce import (
    MIN_PAGES,
    SITE_METHODS,
    InductionOptions,
    SamplePage,
    induce,
)
from forest_crawler.page.selection import Selection
from forest_crawler.wrapper.wrapper import Wrapper


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
    """A variant of Forest, perhaps with a step changed for a study."""

    name: str
    options: InductionOptions

    @property
    def needs_entry(self) -> bool:
        """Whether its signifiers come from feed entries."""
        return self.options.signifiers == "feeds"

    def fit(self, sample: Sequence[SamplePage], site: str) -> FittedSite:
        """Induce wrappers; of a single page, use the fallback alone if there is one."""
        fallback = FALLBACK if self.options.templates else None
        if fallback and len(sample) < MIN_PAGES:
            return WrappedSite((), fallback)
        wrappers = induce(sample, site=site, method=self.name, options=self.options)
        return WrappedSite(tuple(wrappers), fallback)


def get_site_method(name: str, setting: Setting | None = None) -> SiteMethod:
    """Return the site-level method of that name, changed by a study's setting."""
    options = SITE_METHODS[name]
    if setting and setting.signifiers is not None:
        options = replace(options, k=setting.signifiers)
    if setting and setting.measure is not None:
        options = replace(options, ranking=replace(options.ranking, measure=setting.measure))
    return InducedMethod(name, options)


def site_method_names() -> list[str]:
    """List the names of all site-level methods."""
    return list(SITE_METHODS)
