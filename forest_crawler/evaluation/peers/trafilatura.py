"""trafilatura: rules on the tree, and two other extractors as fallback unless fast.

It runs with its defaults (precision and recall balanced, tables kept), except that readers'
comments, which it otherwise appends, are left out: they aren't part of an article. Its text
includes the headline. On 540 news pages, `favor_recall` and `include_tables=False` each gain on one
set what they lose on the other, so we keep the defaults.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("trafilatura", "trafilatura")


@dataclass(frozen=True, slots=True)
class Trafilatura:
    """`trafilatura.extract`."""

    name: str
    fast: bool

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the article's text, a line per block."""
        text: str | None = _PACKAGE.load().extract(
            html, url=url, include_comments=False, fast=self.fast
        )
        return text or ""


register(Trafilatura("trafilatura", fast=False))
register(Trafilatura("trafilatura-fast", fast=True))
