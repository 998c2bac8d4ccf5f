"""Choose per site and program the form of the rules that shows most of the articles.

The program's own semantics (`consumers`) decide, on the pages that the store has. Without pages,
the first form is taken and nothing is claimed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from forest_crawler.export.checked_page import CheckedPage
from forest_crawler.export.forms import (
    Form,
    container_forms,
    shorter_forms,
    single_forms,
    wrapper_forms,
)
from forest_crawler.export.strip_rules import further_strips, relative_strips
from forest_crawler.wrapper.wrapper import Wrapper

MIN_GAIN = 0.002
"""F1 that a longer form must gain: less is noise of a dozen pages."""

WHOLE = 0.9
"""Share of words from which a program shows a site's articles whole."""

PARTLY = 0.5
"""Share of words from which it shows them partly; below, the rules are of no use there."""

Written = TypeVar("Written")


@dataclass(frozen=True, slots=True)
class Target(Generic[Written]):
    """A program: how its rules are written, and what it shows of a page by them.

    `write` yields the ways to write a form, the plainest first; none if its rules cannot.
    """

    name: str
    write: Callable[[Form], Iterable[Written]]
    show: Callable[[CheckedPage, Written], str]
    is_relative: bool = False  # removals see only what was taken
    takes_one: bool = False  # only the first element is taken
    takes_all: bool = False  # the rules of all templates fit in


@dataclass(frozen=True, slots=True)
class Choice(Generic[Written]):
    """The rules of a site for a program, and the share of words that it will show."""

    form: Form
    written: Written
    share: float | None  # mean F1 over the pages; `None` without pages
    pages: int

    @property
    def verdict(self) -> str:
        """Say in a word how much of the articles will be shown."""
        return judge_share(self.share)


def judge_share(share: float | None) -> str:
    """Say in a word how much a share of words is.

    >>> judge_share(0.95), judge_share(0.6), judge_share(0.1), judge_share(None)
    ('whole', 'partly', 'not', 'unchecked')
    """
    if share is None:
        return "unchecked"
    return "whole" if share >= WHOLE else "partly" if share >= PARTLY else "not"


def choose_form(
    target: Target[Written], wrappers: Sequence[Wrapper], pages: Sequence[CheckedPage]
) -> Choice[Written] | None:
    """Choose the form that shows most; `None` if the program can express none."""
    choices: Iterator[Choice[Written]] = (
        choice for form in _forms(target, wrappers, pages) if (choice := _try(target, form, pages))
    )
    best = next(choices, None)
    if best is None or best.share is None:
        return best
    for choice in choices:
        best = _better(best, choice)
    return _refine(target, best, pages)


def _forms(
    target: Target[Written], wrappers: Sequence[Wrapper], pages: Sequence[CheckedPage]
) -> Iterator[Form]:
    """Yield the forms to try, the plainest first."""
    plain = wrapper_forms(wrappers)[-1:] if target.takes_all else wrapper_forms(wrappers)
    for form in plain:
        yield form
        if target.is_relative and pages:
            yield Form(form.body, relative_strips(pages, form.body, form.strip))
        if target.takes_one:
            yield from single_forms(form)
    if pages:
        for form in container_forms(pages, wrappers):
            strips = relative_strips(pages, form.body, plain[-1].strip)
            yield Form(form.body, strips if target.is_relative else plain[-1].strip)


def _refine(
    target: Target[Written], best: Choice[Written], pages: Sequence[CheckedPage]
) -> Choice[Written]:
    """Drop paths and add strip rules as long as that shows more."""
    while True:
        start = best
        for form in shorter_forms(best.form):
            if choice := _try(target, form, pages):
                best = _better(best, choice)
        further = further_strips(pages, best.form.body)
        strips = tuple(dict.fromkeys((*best.form.strip, *further)))
        if choice := _try(target, Form(best.form.body, strips), pages):
            best = _better(best, choice)
        if best is start:
            return best


def _try(
    target: Target[Written], form: Form, pages: Sequence[CheckedPage]
) -> Choice[Written] | None:
    best: Choice[Written] | None = None
    for written in target.write(form):
        scores = [page.score(target.show(page, written)) for page in pages]
        share = sum(scores) / len(scores) if scores else None
        choice = Choice(form, written, share, len(scores))
        best = choice if best is None else _better(best, choice)
    return best


def _better(one: Choice[Written], other: Choice[Written]) -> Choice[Written]:
    """Return the better of two; a longer form must gain something."""
    gained = (other.share or 0.0) - (one.share or 0.0)
    if other.form.size < one.form.size:
        return other if gained >= 0 else one
    return other if gained > MIN_GAIN else one
