"""resiliparse: a fast parser whose text extraction can drop what isn't content.

`main_content` turns that on; `alt_texts=False` drops the descriptions of images, which people don't
mark as an article's text. Readers' comments are kept by default, which suits forums, and dropped in
the variant `-no-comments`, which suits articles.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("resiliparse", "resiliparse.extract.html2text")


@dataclass(frozen=True, slots=True)
class Resiliparse:
    """`extract_plain_text`."""

    name: str
    comments: bool

    def version(self) -> str:
        """Return the installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the text of the main content."""
        text: str = _PACKAGE.load().extract_plain_text(
            html, main_content=True, alt_texts=False, comments=self.comments
        )
        return text


register(Resiliparse("resiliparse", comments=True))
register(Resiliparse("resiliparse-no-comments", comments=False))
