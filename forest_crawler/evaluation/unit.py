"""Run a unit of work in a worker process: the pages of one site with one method.

Every failure becomes the page's result here: a method that raises an error or exceeds the limit
fails on that page, and continues with the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.evaluation.limits import Attempt, attempt, clean_up_on_sigterm
from forest_crawler.evaluation.methods import Method, PageMethod, resolve_method
from forest_crawler.evaluation.protocols import split_site
from forest_crawler.evaluation.results import BREAKDOWNS, EntrySource, PageResult, Protocol
from forest_crawler.evaluation.score import ZERO
from forest_crawler.evaluation.scoring import extracted_text, score_page
from forest_crawler.evaluation.site_methods import FittedSite, SiteMethod
from forest_crawler.evaluation.studies import Setting
from forest_crawler.evaluation.subject import Subject
from forest_crawler.evaluation.warmup import load_page_method
from forest_crawler.induction import SamplePage
from forest_crawler.page.selection import Selection


@dataclass(frozen=True, slots=True)
class Unit:
    """Pages of one site, and how to extract and score them."""

    method: str
    protocol: Protocol
    pages: tuple[LabelledPage, ...]
    measures: tuple[str, ...]
    timeout: float  # seconds per page
    setting: Setting


def run_unit(unit: Unit) -> list[PageResult]:
    """Extract and score every page of a unit, in order, in a worker's main thread."""
    method = resolve_method(unit.method, unit.setting)
    with clean_up_on_sigterm():
        if isinstance(method, PageMethod):
            load_page_method(unit.method, unit.timeout)
            return [_run_page(method, Subject(page), unit) for page in unit.pages]
        results = dict(_run_site(method, [Subject(page) for page in unit.pages], unit))
        return [results[i] for i in range(len(unit.pages))]


def broken_result(page: LabelledPage, tried: Attempt[Any], measures: Sequence[str]) -> PageResult:
    """Make the result of a page on which the method failed: zero by every measure."""
    return PageResult(
        id=page.id,
        site=page.site,
        size=page.size,
        seconds=tried.seconds,
        scores=dict.fromkeys(measures, ZERO),
        url=page.url,
        kind=page.kind,
        fragmented=page.fragmented,
        multiple=page.multiple,
        failure=tried.failure,
        detail=tried.detail,
        text="",
    )


def _run_page(method: PageMethod, subject: Subject, unit: Unit) -> PageResult:
    tried = attempt(lambda: _with_text(method.extract(subject)), unit.timeout)
    return _result(method, subject, tried, unit)


def _run_site(
    method: SiteMethod, subjects: Sequence[Subject], unit: Unit
) -> Iterator[tuple[int, PageResult]]:
    """Learn and extract, split by split; yield each result with its page's position."""
    site = unit.pages[0].site
    opened = [attempt(partial(_sample_page, method, s), unit.timeout) for s in subjects]
    for split in split_site(len(subjects), unit.protocol, unit.setting.pages):
        sample = [page for i in split.sample if (page := opened[i].value)]
        limit = unit.timeout * max(1, len(sample))
        fitted = attempt(partial(method.fit, sample, site), limit)
        share = replace(fitted, seconds=fitted.seconds / len(split.targets))
        for i in split.targets:
            tried = _extract_fitted(opened[i], share, unit.timeout)
            yield i, _result(method, subjects[i], tried, unit)


def _sample_page(method: SiteMethod, subject: Subject) -> SamplePage:
    entry = subject.entry if method.needs_entry else subject.page.entry
    return SamplePage(subject.tree, entry)


def _extract_fitted(
    opened: Attempt[SamplePage], fitted: Attempt[FittedSite], limit: float
) -> Attempt[Selection | str]:
    page, site = opened.value, fitted.value
    if page is None:
        return Attempt(None, opened.seconds, opened.failure, opened.detail)
    spent = opened.seconds + fitted.seconds
    if site is None:
        return Attempt(None, spent, fitted.failure, fitted.detail)
    if not site:
        return Attempt(None, spent, "no-wrapper", "no pattern that the sample's pages share")
    tried: Attempt[Selection | str] = attempt(lambda: _with_text(site.extract(page)), limit)
    return replace(tried, seconds=spent + tried.seconds)


def _with_text(extracted: Selection | str) -> Selection | str:
    """Compute the text of nodes now, because it is part of a method's time."""
    extracted_text(extracted)
    return extracted


def _result(
    method: Method, subject: Subject, tried: Attempt[Selection | str], unit: Unit
) -> PageResult:
    result = broken_result(subject.page, tried, unit.measures)
    if method.needs_entry:
        source: EntrySource = "feed" if subject.page.entry else "metadata"
        result = replace(result, entry=source)
    if tried.failure in BREAKDOWNS:
        return result
    extracted = "" if tried.value is None else tried.value
    return replace(
        result,
        scores=score_page(subject, extracted, unit.measures),
        text=extracted_text(extracted),
    )
