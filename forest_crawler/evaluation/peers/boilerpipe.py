"""boilerpy3: Boilerpipe's ArticleExtractor, a baseline of the Forest paper.

Our own `boilerpipe` methods run the same filters on our tree; this is the package with its own
parser, as its users call it.
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
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the text of the blocks that it keeps."""
        # With this option, markup that its parser cannot read gives the text so far.
        extractor = _PACKAGE.load().ArticleExtractor(raise_on_failure=False)
        text: str = extractor.get_content(html)
        return text


register(Boilerpipe())
