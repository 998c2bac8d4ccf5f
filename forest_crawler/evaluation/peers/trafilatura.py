"""trafilatura: rules on the tree, with two other extractors to fall back on; or fast, without.

Called with its defaults (precision and recall balanced, tables kept), except that readers'
comments, which it appends otherwise, are left out: they are no part of an article. The headline is
in its text already. Tried on 540 news pages and left alone: `favor_recall` wins on one set what
it loses on the other, and so does `include_tables=False`.
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
        """The installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """The article's text, a line a block."""
        text: str | None = _PACKAGE.load().extract(
            html, url=url, include_comments=False, fast=self.fast
        )
        return text or ""


register(Trafilatura("trafilatura", fast=False))
register(Trafilatura("trafilatura-fast", fast=True))
