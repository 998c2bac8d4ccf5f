"""Addresses inside an article: absolute, and of the web only."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from forest_crawler.page.tree import PageTree
from forest_crawler.text.cleaning import FORBIDDEN

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})

MAX_LINK_LENGTH = 4000
"""Characters; longer ones are inline data, or whole forms in a query."""

# Browsers read an address without these, wherever they stand in it.
_UNSEEN = re.compile(r"[\t\n\r]")


class Resolver:
    """Makes addresses of one page absolute."""

    def __init__(self, tree: PageTree) -> None:
        self._base = tree.url or ""
        base = tree.html.find(".//base")
        if base is not None and base.get("href"):
            self._base = self._join(base.get("href", "")) or self._base

    def link(self, said: str) -> str | None:
        """The address of a link, or nothing where it leads out of the web."""
        return self._resolve(said, LINK_SCHEMES)

    def image(self, said: str) -> str | None:
        """The address of an image."""
        return self._resolve(said, IMAGE_SCHEMES)

    def _resolve(self, said: str, schemes: frozenset[str]) -> str | None:
        address = self._join(said)
        if not address:
            return None
        # Without the page's own address a relative one stays as it is.
        scheme = urlsplit(address).scheme.lower()
        if scheme in schemes or (not scheme and not self._base and ":" not in address):
            return address
        return None

    def _join(self, said: str) -> str | None:
        if len(said) > MAX_LINK_LENGTH:
            return None
        try:
            joined = urljoin(self._base, FORBIDDEN.sub("", _UNSEEN.sub("", said)).strip())
            urlsplit(joined)
        except ValueError:
            return None
        return joined
