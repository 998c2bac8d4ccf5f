"""Tell a site's templates apart, and fit a wrapper to each.

A site may mix templates: an A/B test, a redesign, a section of its own. Pages that one fit does
not suit are fitted again, or pages are grouped by layout first, whichever selects more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import NamedTuple

from forest_crawler.induction.fitting import Fit, Fitter, FittingOptions
from forest_crawler.induction.page_groups import group_pages
from forest_crawler.induction.sample_leaves import SampleLeaves
from forest_crawler.induction.scored_page import ScoredPage
from forest_crawler.wrapper.locators import Locator, write_xpath
from forest_crawler.wrapper.name_tree import NameTree

GROUPED_SHARE = 0.75
"""Of a sample's pages, how many must share their layout with another one before each layout gets
its own wrapper: if most pages are unlike any other, their names say nothing about templates."""


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """How templates are distinguished, and how each is fitted."""

    fitting: FittingOptions = field(default_factory=FittingOptions)
    fits_from: float = 0.75  # expected F1 from which a page belongs to a wrapper's template
    min_support: int = 2  # pages that a wrapper must fit: one page shows no template
    max_templates: int = 4  # a site of more layouts is a site of single pages
    alike_from: float = 0.4  # share of their names that two pages of one layout have in common
    # Expected F1 that a wrapper per layout may cost: it names what the article is in, while one
    # wrapper for all layouts names what it is not.
    split_cost: float = 0.002
    # Expected F1 by which the page model alone may be better on the pages of a wrapper.
    page_lead: float = 0.15


class Template(NamedTuple):
    """A fit, and the pages that it was fitted to."""

    fit: Fit
    pages: list[ScoredPage]

    @property
    def body(self) -> tuple[str, ...]:
        """The body as XPaths."""
        return write_all(self.fit.body)

    @property
    def strip(self) -> tuple[str, ...]:
        """The strip rules as XPaths."""
        return write_all(self.fit.strip)


def find_templates(
    pages: Sequence[ScoredPage], options: TemplateOptions, names: NameTree | None = None
) -> list[Template]:
    """Fit one wrapper to all pages and more to those it fails on, or one set per layout.

    A wrapper for two layouts at once takes what both have in common, perhaps the whole page less
    what repeats. So layouts are fitted apart if that costs less than `split_cost`. The order of
    pages does not matter; templates of most pages come first. `names` is the pages' merged tree, if
    it is made already.
    """
    found = _fit_in_turn(pages, options, names)
    layouts = _find_layouts(pages, options)
    if layouts and options.max_templates > 1:
        apart = [template for layout in layouts for template in _fit_in_turn(layout, options)]
        grouped = [page for layout in layouts for page in layout]
        names = names or NameTree([page.names for page in pages], min(2, len(pages)))
        _find_all([*apart, *found], SampleLeaves(names, grouped))
        is_as_good = _rate(apart, grouped) >= _rate(found, grouped) - options.split_cost
        # The same body twice is one template whose optional boxes differ.
        if is_as_good and len({it.fit.body for it in apart}) == len(apart):
            found = apart
    found = [it for it in found if _keeps_up(it, options.page_lead)]
    in_order = sorted(found, key=lambda it: (-len(it.pages), it.body, it.strip))
    return in_order[: options.max_templates]


def _keeps_up(template: Template, page_lead: float) -> bool:
    """Whether a wrapper selects as well as the page model alone does, page by page."""
    leads = [
        page.expected_f1(page.alone) - page.sure_f1(page.mask(template.fit))
        for page in template.pages
    ]
    return fsum(leads) / len(leads) <= page_lead


def write_all(locators: Sequence[Locator]) -> tuple[str, ...]:
    """Write locators as XPaths."""
    return tuple(write_xpath(locator) for locator in locators)


def _find_layouts(pages: Sequence[ScoredPage], options: TemplateOptions) -> list[list[ScoredPage]]:
    """Return the layouts of several pages, if there are several and most pages have one."""
    groups = group_pages(pages, options.alike_from)
    layouts = [layout for layout in groups if len(layout) >= options.min_support]
    grouped = sum(map(len, layouts))
    return layouts if len(groups) > 1 and grouped >= GROUPED_SHARE * len(pages) else []


def _find_all(templates: Sequence[Template], leaves: SampleLeaves) -> None:
    """Find on all pages what the templates of some of them select."""
    fits = [template.fit for template in templates]
    leaves.find({it for fit in fits for it in (*fit.body, *fit.strip)})


def _rate(templates: Sequence[Template], pages: Sequence[ScoredPage]) -> float:
    """Return the mean over pages of the expected F1 of the best wrapper for each."""
    fits = [template.fit for template in templates]
    best = [max((page.expected_f1(page.mask(fit)) for fit in fits), default=0.0) for page in pages]
    return sum(best) / len(best)


def _fit_in_turn(
    pages: Sequence[ScoredPage], options: TemplateOptions, names: NameTree | None = None
) -> list[Template]:
    """Fit, set aside the pages that the fit suits, and fit again to the others."""
    fitter = Fitter(pages, options.fitting, names)
    templates: list[Template] = []
    left = list(pages)
    for _ in range(options.max_templates):
        fit = fitter.fit(left) if left else None
        if fit is None:
            break
        rated = [(page, page.expected_f1(page.mask(fit))) for page in left]
        # A fit that suits no page is the best there is for those it selects something on.
        covered = [page for page, f1 in rated if f1 >= options.fits_from]
        covered = covered or [page for page, f1 in rated if f1 > 0]
        if not covered:
            break
        if again := next((it for it in templates if it.fit == fit), None):
            again.pages.extend(covered)  # the same template, on pages where it selects less
        elif len(covered) >= options.min_support:
            templates.append(Template(fit, covered))
        left = [page for page in left if page not in covered]
    return templates
