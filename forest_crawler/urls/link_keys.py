"""The keys of one document's links: what differs in a feed is not one article.

`url_key` drops parameters that look like tracking, sessions or marks of variants. If that makes
links of one feed, sitemap or page equal, the parameters are ids there, and are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forest_crawler.urls.canonical import canonical_url, url_key


@dataclass(frozen=True, slots=True)
class LinkKey:
    """The URL to fetch for a link, and the key of its article."""

    url: str
    key: str


def key_links(links: Sequence[str | None]) -> list[LinkKey | None]:
    """Return the URL and the key of each link; `None` for what isn't a web URL.

    >>> [it.key for it in key_links(["http://g.example/a?m=1", "http://g.example/b"]) if it]
    ['g.example/a', 'g.example/b']
    >>> [it.key for it in key_links(["http://g.example/?m=0", "http://g.example/?m=1"]) if it]
    ['g.example?m=0', 'g.example?m=1']
    """
    short = [url_key(link) if link else None for link in links]
    exact = [url_key(link, exact=True) if link else None for link in links]
    seen: dict[str, set[str]] = {}
    for one, other in zip(short, exact, strict=True):
        if one is not None and other is not None:
            seen.setdefault(one, set()).add(other)
    return [
        _key_link(link, exact=key is not None and len(seen[key]) > 1) if link else None
        for link, key in zip(links, short, strict=True)
    ]


def key_redirect(url: str, requested: str | None) -> str | None:
    """Return the key of the URL at which the page with a requested key was found.

    A key that kept a parameter which others drop is one of several that differ in it; so is that of
    the page it redirects to.
    """
    is_exact = requested is not None and url_key(f"http://{requested}") != requested
    return url_key(url, exact=is_exact)


def _key_link(link: str, *, exact: bool) -> LinkKey | None:
    url, key = canonical_url(link, exact=exact), url_key(link, exact=exact)
    return LinkKey(url, key) if url is not None and key is not None else None
