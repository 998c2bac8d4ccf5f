"""readability-lxml: scores paragraphs and parents; keeps the best one and siblings.

Its summary is the HTML of the article. We request a fragment: as a whole document it is empty for
some short pages. Mostly it doesn't include the headline, which is in `short_title`: the page's
title without the site's name. A reader view shows both, and so does the variant `-title`. Version
0.9 finds other articles than 0.8 on many pages, so compare the same versions.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.markup import strip_markup
from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("readability-lxml", "readability")


@dataclass(frozen=True, slots=True)
class Readability:
    """`readability.Document`."""

    name: str
    with_title: bool

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the summary's text, a line per block."""
        document = _PACKAGE.load().Document(html, url=url)
        text = strip_markup(document.summary(html_partial=True))
        return f"{document.short_title()}\n{text}" if self.with_title else text


register(Readability("readability-lxml", with_title=False))
register(Readability("readability-lxml-title", with_title=True))
