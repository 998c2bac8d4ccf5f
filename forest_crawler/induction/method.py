"""`SiteMethod`: a way to induce wrappers, and `Induction`: what it found and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from forest_crawler.induction.fitting import Fit
from forest_crawler.induction.paper.ranking import RankedPattern
from forest_crawler.induction.sample import SamplePage
from forest_crawler.induction.significant_paths import SignificantPage
from forest_crawler.wrapper.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class Induction:
    """A site's wrappers and what led to them: what `--explain` prints."""

    site: str
    pages: tuple[SignificantPage, ...]  # the sample, its signifiers located
    wrappers: tuple[Wrapper, ...]
    # Of `forest`, one per wrapper: the ranked candidates of its body, and its strip rules.
    fits: tuple[Fit, ...] = ()
    # Of the paper's methods: all structural patterns, the best first.
    ranked: tuple[RankedPattern, ...] = ()


class SiteMethod(Protocol):
    """A method that learns a site's wrappers from sibling pages."""

    @property
    def needs_entry(self) -> bool:
        """Whether every page must come with a feed entry."""
        ...

    @property
    def fallback(self) -> str | None:
        """The page-level method for pages that no wrapper fits, in an evaluation."""
        ...

    def run(self, sample: Sequence[SamplePage], site: str, name: str) -> Induction:
        """Induce the wrappers of a site; they carry the method's `name`."""
        ...
