"""A site's sample pages → one portable wrapper for each of its templates: the method `forest`.

Reads like the paper's method with its breaks mended: what each page says of its blocks, what the
siblings say together, locators fitted to that, template by template.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.field_locators import FieldLocators, locate_fields
from forest_crawler.induction.fitting import Fit, Fitter, FittingOptions, ScoredPage
from forest_crawler.induction.page_groups import group_pages
from forest_crawler.induction.sibling_evidence import (
    BlockScores,
    SiblingOptions,
    count_words,
    join_evidence,
)
from forest_crawler.induction.site_constants import find_site_constants
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator, write_xpath
from forest_crawler.wrapper.wrapper import Wrapper

_Template: TypeAlias = tuple[Fit, list[ScoredPage]]  # and the pages that it was fitted to

SHOWN_SHARE = 0.75
"""Of a sample's pages, from which its looks are worth a wrapper each: where many pages have a look
of their own, the names that they do not share tell nothing of templates."""

ScoreSample = Callable[[Sequence[PageTree]], list[BlockScores]]
"""A method that says of each block of sibling pages how likely it is content."""


@dataclass(frozen=True, slots=True)
class TemplateOptions:
    """How templates are told apart, and what their wrappers are fitted to."""

    siblings: SiblingOptions = field(default_factory=SiblingOptions)
    fitting: FittingOptions = field(default_factory=FittingOptions)
    fits_from: float = 0.75  # expected F1 from which a page belongs to a wrapper's template
    min_support: int = 2  # pages that a wrapper must fit: one page shows no template
    max_templates: int = 4  # a site of more looks is a site of single pages
    alike_from: float = 0.4  # share of their names that two pages of one look have in common
    # Expected F1 that a wrapper for each look may cost: it names what the article is in, where one
    # for all names what it is not.
    split_cost: float = 0.002


def induce_templates(
    trees: Sequence[PageTree],
    score_sample: ScoreSample,
    *,
    entries: Sequence[FeedEntry | None] | None = None,
    site: str,
    method: str,
    options: TemplateOptions,
) -> list[Wrapper]:
    """Induce a wrapper for each template among the pages, those of most pages first.

    The same pages in any order give the same wrappers.
    """
    names = [PageNames(tree.outline) for tree in trees]
    scores = score_sample(trees)
    content = join_evidence(scores, names, options.siblings)
    pages = [
        ScoredPage(page_names, count_words(page_scores.tree), page_scores.per_leaf(values))
        for page_names, page_scores, values in zip(names, scores, content, strict=True)
    ]
    metadata = [read_metadata(tree) for tree in trees]
    fields = locate_fields(names, metadata, entries or [None] * len(trees))
    common = find_site_constants(metadata)
    return [
        replace(_write_wrapper(fit, covered, fields, len(pages), site, method), common=common)
        for fit, covered in _find_templates(pages, options)
    ]


def _find_templates(pages: Sequence[ScoredPage], options: TemplateOptions) -> list[_Template]:
    """One wrapper for all pages, others for those it does no justice to; or some for each look,
    where that is better.

    A wrapper for two looks at once takes what both call alike, perhaps the whole page less what is
    on every one of them.
    """
    found = _fit_in_turn(pages, options)
    looks = _find_looks(pages, options)
    if looks and options.max_templates > 1:
        apart = [template for look in looks for template in _fit_in_turn(look, options)]
        shown = [page for look in looks for page in look]
        is_as_good = _rate(apart, shown) >= _rate(found, shown) - options.split_cost
        # The same body twice is one template, with boxes that now are there and now are not.
        if is_as_good and len({fit.body for fit, _ in apart}) == len(apart):
            found = apart
    in_order = sorted(found, key=lambda it: (-len(it[1]), _write(it[0].body), _write(it[0].strip)))
    return in_order[: options.max_templates]


def _find_looks(pages: Sequence[ScoredPage], options: TemplateOptions) -> list[list[ScoredPage]]:
    """The looks that several pages have, if there are several and most pages have one of them."""
    groups = group_pages(pages, options.alike_from)
    looks = [look for look in groups if len(look) >= options.min_support]
    have_one = sum(map(len, looks))
    return looks if len(groups) > 1 and have_one >= SHOWN_SHARE * len(pages) else []


def _rate(templates: Sequence[_Template], pages: Sequence[ScoredPage]) -> float:
    """The mean over pages of the expected F1 of the wrapper that does most justice to each."""
    fits = [fit for fit, _ in templates]
    best = [max((page.expected_f1(page.mask(fit)) for fit in fits), default=0.0) for page in pages]
    return sum(best) / len(best)


def _fit_in_turn(pages: Sequence[ScoredPage], options: TemplateOptions) -> list[_Template]:
    """Fit, set aside the pages that the fit does justice to, and fit again to the others."""
    fitter = Fitter(pages, options.fitting)
    templates: list[_Template] = []
    left = list(pages)
    for _ in range(options.max_templates):
        fit = fitter.fit(left) if left else None
        if fit is None:
            break
        rated = [(page, page.expected_f1(page.mask(fit))) for page in left]
        # A fit that does justice to no page is the best there is for those it selects something on.
        covered = [page for page, f1 in rated if f1 >= options.fits_from]
        covered = covered or [page for page, f1 in rated if f1 > 0]
        if not covered:
            break
        if len(covered) >= options.min_support:
            templates.append((fit, covered))
        left = [page for page in left if page not in covered]
    return templates


def _write_wrapper(
    fit: Fit,
    covered: Sequence[ScoredPage],
    fields: FieldLocators,
    sample_size: int,
    site: str,
    method: str,
) -> Wrapper:
    f1s = [page.expected_f1(page.mask(fit)) for page in covered]
    words = [float(page.words[page.mask(fit)].sum()) for page in covered]
    return Wrapper(
        site=site,
        method=method,
        form="portable",
        body=_write(fit.body),
        strip=_write(fit.strip),
        support=len(covered),
        pages=sample_size,
        # What one page more would add is not known yet: two pages that agree are not ten.
        confidence=round(sum(f1s) / (len(f1s) + 1), 4),
        words=int(min(words)),
        title=_write_field(fields.title),
        author=_write_field(fields.author),
        date=_write_field(fields.date),
        lead=_write_field(fields.lead),
        image=_write_field(fields.image),
    )


def _write(locators: Sequence[Locator]) -> tuple[str, ...]:
    return tuple(write_xpath(locator) for locator in locators)


def _write_field(locator: Locator | None) -> str | None:
    return write_xpath(locator) if locator else None
