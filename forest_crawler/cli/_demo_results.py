"""`SiteResult`: what the crawl of `forest demo` made of one bundled site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from forest_crawler.cli._messages import count
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import WrapperError
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.titles import join_title
from forest_crawler.export.rules import css_list
from forest_crawler.extraction.extraction import BY_WRAPPER
from forest_crawler.wrapper.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class SiteResult:
    """The articles and wrappers of one site."""

    name: str
    pages: tuple[LabelledPage, ...]
    articles: dict[str, dict[str, Any]]  # by the page's id
    wrappers: tuple[Wrapper, ...]

    @property
    def f1(self) -> float | None:
        """The mean F1 of the pages with gold text; a page without an article scores 0."""
        scores = [self.score(page) for page in self.pages]
        known = [score for score in scores if score is not None]
        return fmean(known) if known else None

    def score(self, page: LabelledPage, text: str | None = None) -> float | None:
        """Score the article of a page, or another text; `None` without gold text."""
        article = self.articles.get(page.id, {})
        if page.gold is None:
            return None
        title, own = article.get("title"), article.get("text", "")
        joined = join_title(own if text is None else text, page.gold, [title] if title else [])
        return bigram_score(page.gold, joined).f1

    @property
    def body(self) -> str:
        """The rules of the wrappers' bodies, each once."""
        return write_rules(wrapper.body for wrapper in self.wrappers) or "none"

    @property
    def fallback(self) -> str:
        """How many pages no wrapper fits, and what they were read by; empty without any."""
        names = Counter(
            self.articles[page.id]["extractor"] if page.id in self.articles else "nothing"
            for page in self.pages
        )
        del names[BY_WRAPPER]
        return ", ".join(f"{count(n, 'page')} by {_describe(it)}" for it, n in names.items())


def _describe(extractor: str) -> str:
    """Name an extractor in words.

    >>> _describe("page:page"), _describe("feed")
    ('the method page', 'feed')
    """
    method = extractor.removeprefix("page:")
    return extractor if method == extractor else f"the method {method}"


def write_rules(expressions: Iterable[tuple[str, ...]]) -> str:
    """Write rules in CSS, each once; as XPath where CSS cannot say them.

    >>> write_rules([("//div[@id='text']",), ("//p[@dfs='7']/..",)])
    'div[id="text"], //p[@dfs=\\'7\\']/..'
    """
    unique = dict.fromkeys(path for paths in expressions for path in paths)
    return ", ".join(map(_write_rule, unique))


def _write_rule(path: str) -> str:
    try:
        return css_list([path], "")
    except WrapperError:  # the dfs form of the paper's methods, or written by hand
        return path
