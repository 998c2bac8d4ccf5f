"""goose3: scores paragraphs by stop words, as newspaper4k does.

It runs with its defaults: the page's own language, and no images fetched (which is set explicitly,
because it would use the network). Its text doesn't include the headline; the variant `-title` puts
`title` before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("goose3", "goose3")


@dataclass(frozen=True, slots=True)
class Goose:
    """`goose3.Goose.extract`."""

    name: str
    with_title: bool

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the article's text, with empty lines between paragraphs."""
        article = _goose().extract(raw_html=html)
        text: str = article.cleaned_text
        return f"{article.title}\n{text}" if self.with_title else text


@cache
def _goose() -> Any:
    return _PACKAGE.load().Goose({"enable_image_fetching": False})


register(Goose("goose3", with_title=False))
register(Goose("goose3-title", with_title=True))
