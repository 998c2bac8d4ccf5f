"""newspaper4k: scores paragraphs by stop words; keeps the best node and siblings.

It runs as `newspaper.article` does, with two exceptions: the page's own language is used instead of
English, and images aren't fetched, which its parser otherwise does for every page. Its text doesn't
include the headline; the variant `-title` puts `title` before it.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package, without_warnings
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("newspaper4k", "newspaper")
_NO_URL = "http://localhost/"  # it requires a URL


@dataclass(frozen=True, slots=True)
class Newspaper:
    """`newspaper.Article`."""

    name: str
    with_title: bool

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the article's text, with empty lines between paragraphs."""
        article = _PACKAGE.load().Article(url or _NO_URL, fetch_images=False)
        with without_warnings():
            article.download(input_html=html)
            article.parse()
        text: str = article.text
        return f"{article.title}\n{text}" if self.with_title else text


register(Newspaper("newspaper4k", with_title=False))
register(Newspaper("newspaper4k-title", with_title=True))
