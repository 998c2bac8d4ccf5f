"""boilerpy3: Boilerpipe's ArticleExtractor, which the Forest paper measures itself against.

Our own `boilerpipe` methods drive the same filters over our tree; this is the package as its users
call it, with its own parser.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("boilerpy3", "boilerpy3.extractors")


@dataclass(frozen=True, slots=True)
class Boilerpipe:
    """`ArticleExtractor.get_content`."""

    name: str = "boilerpy3"

    def version(self) -> str:
        """The installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """The text of the blocks that it keeps."""
        # Markup that its parser stumbles over then gives the text so far, not an exception.
        extractor = _PACKAGE.load().ArticleExtractor(raise_on_failure=False)
        text: str = extractor.get_content(html)
        return text


register(Boilerpipe())
