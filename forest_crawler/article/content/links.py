"""URLs inside an article: absolute, and with web schemes only."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

from forest_crawler.page.tree import PageTree
from forest_crawler.text.cleaning import FORBIDDEN

LINK_SCHEMES = frozenset({"http", "https", "mailto"})
IMAGE_SCHEMES = frozenset({"http", "https"})

MAX_LINK_LENGTH = 4000
"""Max characters of a URL; longer ones are inline data, or whole forms in a query."""

# Browsers drop these characters anywhere in a URL.
_UNSEEN = re.compile(r"[\t\n\r]")
# Most URLs are plain: `urljoin` gives them back as they are, or after the page's origin. It drops a
# sign before nothing (`?`, `#`, `;`), and resolves a relative path's segments of dots.
_QUERY = r"(?:\?[!\"$-~]+)?"
_SEGMENT = r"/[!\"$-\-0-:<-\>@-~][!\"$-.0-:<-\>@-~]*"
_PLAIN = re.compile(rf"(?:{_SEGMENT})+/?{_QUERY}")
_PLAIN_ABSOLUTE = re.compile(rf"https?://[a-zA-Z0-9.-]+(?:/[!\"$-:<-\>@-~]*)?{_QUERY}")
_PLAIN_ORIGIN = re.compile(r"https?://[a-zA-Z0-9.-]+(?=/|$)", re.ASCII)


class Resolver:
    """Makes the URLs of one page absolute."""

    def __init__(self, tree: PageTree) -> None:
        self._base = tree.url or ""
        self._origin = _origin(self._base)
        base = next(tree.head_elements("base"), None)
        if base is not None and base.get("href"):
            self._base = self._join(base.get("href", "")) or self._base
            self._origin = _origin(self._base)

    def link(self, href: str) -> str | None:
        """Resolve a link; `None` if its scheme isn't one of `LINK_SCHEMES`."""
        return self._resolve(href, LINK_SCHEMES)

    def image(self, src: str) -> str | None:
        """Resolve an image's URL; `None` if its scheme isn't one of `IMAGE_SCHEMES`."""
        return self._resolve(src, IMAGE_SCHEMES)

    def _resolve(self, href: str, schemes: frozenset[str]) -> str | None:
        if len(href) <= MAX_LINK_LENGTH:
            if _PLAIN_ABSOLUTE.fullmatch(href):
                return href
            if self._origin and _PLAIN.fullmatch(href):
                return self._origin + href
        url = self._join(href)
        if not url:
            return None
        # Without the page's own URL, a relative one stays as it is.
        scheme = urlsplit(url).scheme.lower()
        if scheme in schemes or (not scheme and not self._base and ":" not in url):
            return url
        return None

    def _join(self, href: str) -> str | None:
        if len(href) > MAX_LINK_LENGTH:
            return None
        try:
            joined = urljoin(self._base, FORBIDDEN.sub("", _UNSEEN.sub("", href)).strip())
            urlsplit(joined)
        except ValueError:
            return None
        return joined


def _origin(url: str) -> str:
    """Return scheme and host of a plain URL, else nothing."""
    found = _PLAIN_ORIGIN.match(url)
    return found.group() if found else ""
