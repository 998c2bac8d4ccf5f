"""What the demo's page shows of a site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ShownText:
    """What one program made of the page: an HTML document, and its F1 against the gold."""

    name: str
    document: str
    f1: float | None


@dataclass(frozen=True, slots=True)
class ShownPage:
    """One page of a site: as it was, and the articles that were made of it."""

    name: str
    document: str  # with marks
    signifiers: Mapping[str, float]  # with their weights, heaviest first
    articles: tuple[ShownText, ...]  # ours first


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A candidate for the body, and the figures by which it was ranked."""

    pattern: str
    is_taken: bool
    pages: int
    level: float
    j: float
    u: float
    relevance: float


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A crawled site: its score, its rules, one of its pages, and the ranking."""

    name: str
    articles: int
    f1: float | None
    fallback: str  # extractors of pages that no wrapper fits
    body: str  # the rules in CSS, or as XPath if CSS cannot say them
    strip: str = ""
    page: ShownPage | None = None  # none if the site has no article
    ranking: tuple[RankedRow, ...] = ()
