"""Articles over several pages: find the link to the next part.

A link leads to the next part if its URL is the page's own with a number one higher, and the page
declares it (`rel=next`) or shows it with a short text. A link that several pages of a site share
belongs to a menu.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import urljoin, urlsplit

from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import host_of

MAX_PARTS = 10
"""Max parts of an article that are followed and joined."""

# The forms of a page's number in URLs: ?page=2, /2/, -2.html, /page/2, /seite-2.
_NUMBER = re.compile(
    r"(?P<before>[?&;](?:page|p|pg|seite|pagina|part|paged)=|/(?:page|seite|pagina|part)[/-]?|"
    r"[-_,](?:page|seite|part|p)?[-_]?|/)(?P<number>[0-9]{1,2})(?P<after>(?:\.[a-z]{2,5})?/?)$",
    re.IGNORECASE,
)
_LAST_NUMBER = re.compile(
    r"(?<![0-9])(?P<number>[0-9]{1,2})(?:\.[a-z]{2,5})?/?(?:#.*)?$", re.IGNORECASE | re.DOTALL
)
_ENDING = re.compile(r"(?:\.[a-z]{2,5})?/?$", re.IGNORECASE)


def find_next_page(tree: PageTree) -> str | None:
    """Find the URL of the article's next part; `None` if the page links to none.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = '<p>It rained.</p><a href="/rain?page=2">2</a><a href="/rain?page=3">3</a>'
    >>> find_next_page(parse_page(page, url="http://gazette.example/rain"))
    'http://gazette.example/rain?page=2'
    """
    url = tree.url
    if not url:
        return None
    number, stem = _numbered(url)
    links = [*_declared_links(tree), *_shown_links(tree)]
    for link in links:
        # A page has hundreds of links, and parsing a URL takes a tenth of a millisecond.
        ending = _LAST_NUMBER.search(link.strip())
        if not ending or int(ending["number"]) != number + 1:
            continue
        next_url = _absolute(url, link)
        if next_url and _is_next(next_url, number, stem, url):
            return next_url
    return None


def find_second_page(tree: PageTree) -> str | None:
    """Find the URL of the second part of the article that begins on a page.

    `None` for a page with a number of its own: where articles are numbered, the next number is
    another article's.
    """
    return None if _part_number(tree.url or "") else find_next_page(tree)


def shared_next_pages(trees: Sequence[PageTree]) -> list[str | None]:
    """Find the next part of each page of a site, without links that pages share."""
    return drop_shared([find_next_page(tree) for tree in trees])


def drop_shared(found: Sequence[str | None]) -> list[str | None]:
    """Replace the next parts that several pages of a site link to with `None`."""
    keys = [url_key(it) if it else None for it in found]
    return [
        it if it and keys.count(key) == 1 else None for it, key in zip(found, keys, strict=True)
    ]


def _declared_links(tree: PageTree) -> Iterator[str]:
    for tag in ("link", "a"):
        for element in tree.html.iter(tag):
            if "next" in (element.get("rel") or "").lower().split() and element.get("href"):
                yield element.get("href", "")


def _shown_links(tree: PageTree) -> Iterator[str]:
    """Yield the links with a short text, such as a number or "next"."""
    for element in tree.body.iter("a"):
        if element.get("href") and _has_short_text(element):
            yield element.get("href", "")


def _has_short_text(element: Element) -> bool:
    text = "".join(str(piece) for piece in element.itertext()).strip()
    return len(text) <= 40 and bool(text)


def _absolute(url: str, link: str) -> str | None:
    try:
        absolute = urljoin(url, link.strip())
        parts = urlsplit(absolute)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or host_of(absolute) != host_of(url):
        return None
    return parts._replace(fragment="").geturl()


def _is_next(candidate: str, number: int, stem: str, url: str) -> bool:
    """Check whether a URL is the page's own with the next number."""
    other, other_stem = _numbered(candidate)
    return candidate != url and other == number + 1 and other_stem == stem


def _numbered(url: str) -> tuple[int, str]:
    """Split a URL into its part number (default 1) and the stem of all parts."""
    bare = url.partition("#")[0]
    if match := _part_number(url):
        stem = bare[: match.start()] + _ENDING.sub("", match["after"])
        return int(match["number"]), _stem(stem)
    return 1, _stem(bare)


def _part_number(url: str) -> re.Match[str] | None:
    match = _NUMBER.search(url.partition("#")[0])
    return match if match and 1 <= int(match["number"]) <= 50 else None


def _stem(url: str) -> str:
    return url_key(_ENDING.sub("", url)) or url


def may_follow(part: str, seen: Iterable[str]) -> bool:
    """Check whether a part may be fetched: it is new, and the cap isn't reached."""
    known = {url_key(url) for url in seen}
    return url_key(part) not in known and len(known) < MAX_PARTS
