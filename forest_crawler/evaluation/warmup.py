"""Warm methods up: what they load at first use must not count in a page's time."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Final

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.evaluation.limits import attempt
from forest_crawler.evaluation.methods import Method, PageMethod, resolve_method
from forest_crawler.evaluation.subject import Subject
from forest_crawler.induction import SamplePage

# Pages without a language, so that it must be detected, which loads a model.
_SOURCES: Final = tuple(
    f"<title>{topic}</title><div id=menu>Home</div><div id=story><p>The {topic} opens today, and "
    f"everybody who loves the {topic} came early to see what is new.</p></div>"
    for topic in ("ferry", "bakery")
)


def load_site_method(method: Method) -> None:
    """Let a site-level method load in the process from which workers are forked."""
    if isinstance(method, PageMethod):
        return
    subjects = [Subject(LabelledPage("", "", None, source)) for source in _SOURCES]
    with suppress(Exception):  # a broken method will fail on every page
        method.fit([SamplePage(subject.tree, subject.entry) for subject in subjects], "warm-up")


@cache
def load_page_method(name: str, limit: float) -> None:
    """Let a page-level method load once per worker, with a time limit, as it may hang."""
    method = resolve_method(name)
    if isinstance(method, PageMethod):
        subject = Subject(LabelledPage("", "", None, _SOURCES[0]))
        attempt(lambda: method.extract(subject), limit)
