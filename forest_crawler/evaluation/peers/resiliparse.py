"""resiliparse: a fast parser whose text extraction drops what looks like no content.

`main_content` turns that on. `comments=False` drops readers' comments and `alt_texts=False` the
descriptions of images: a person who marks an article's text marks neither.
"""

from __future__ import annotations

from dataclasses import dataclass

from forest_crawler.evaluation.peers.packages import Package
from forest_crawler.evaluation.peers.registry import register

_PACKAGE = Package("resiliparse", "resiliparse.extract.html2text")


@dataclass(frozen=True, slots=True)
class Resiliparse:
    """`extract_plain_text`."""

    name: str = "resiliparse"

    def version(self) -> str:
        """The installed version."""
        return _PACKAGE.version()

    def extract_text(self, html: str, url: str | None) -> str:
        """The main content's text."""
        text: str = _PACKAGE.load().extract_plain_text(
            html, main_content=True, alt_texts=False, comments=False
        )
        return text


register(Resiliparse())
