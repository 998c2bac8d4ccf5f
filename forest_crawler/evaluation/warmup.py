"""Let methods load what they load when first used, so that no page pays for it with its time."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import Final

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.evaluation.limits import attempt
from forest_crawler.evaluation.methods import Method, PageMethod, resolve_method
from forest_crawler.evaluation.subject import Subject
from forest_crawler.induction.induce import SamplePage

# They say no language, so that it has to be detected, for which a model is loaded.
_SOURCES: Final = tuple(
    f"<title>{topic}</title><div id=menu>Home</div><div id=story><p>The {topic} opens today, and "
    f"everybody who loves the {topic} came early to see what is new.</p></div>"
    for topic in ("ferry", "bakery")
)


def load_site_method(method: Method) -> None:
    """Have a site-level method load, in the process that workers are then forked from."""
    if isinstance(method, PageMethod):
        return
    subjects = [Subject(LabelledPage("", "", None, source)) for source in _SOURCES]
    with suppress(Exception):  # what is wrong with the method will show on every page
        method.fit([SamplePage(subject.tree, subject.entry) for subject in subjects], "warm-up")


@cache
def load_page_method(name: str, limit: float) -> None:
    """Have a page-level method load, once in each worker; it may be anybody's, so with a limit."""
    method = resolve_method(name)
    if isinstance(method, PageMethod):
        subject = Subject(LabelledPage("", "", None, _SOURCES[0]))
        attempt(lambda: method.extract(subject), limit)
