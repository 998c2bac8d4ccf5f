"""newspaper4k: scores paragraphs by stop words, and keeps the best node and its kin.

Called as `newspaper.article` does, but for two things: the page's own language is used instead of
English, and images are not fetched, which its parser otherwise does over the network for every
page. The headline is not in its text; the variant `-title` puts `title` before it.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package, without_warnings
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("newspaper4k", "newspaper")
_NO_URL = "http://localhost/"  # it insists on an address


@dataclass(frozen=True, slots=True)
class Newspaper:
    """`newspaper.Article`."""

    name: str
    with_title: bool

    def version(self) -> str:
        """The installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """The article's text, an empty line between paragraphs."""
        article = _PACKAGE.load().Article(url or _NO_URL, fetch_images=False)
        with without_warnings():
            article.download(input_html=html)
            article.parse()
        text: str = article.text
        return f"{article.title}\n{text}" if self.with_title else text


register(Newspaper("newspaper4k", with_title=False))
register(Newspaper("newspaper4k-title", with_title=True))
