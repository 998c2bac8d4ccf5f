"""Articles over several pages: the link to the next part, and the parts joined.

A link is the next part's where the page declares it (`rel=next`) or its text and address say so:
the same address with a number one higher. What all pages of a site link to alike is its menu.
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
"""Parts of an article that are followed and joined."""

# What a page's number is called in addresses: ?page=2, /2/, -2.html, /page/2, /seite-2.
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
    """The address of the article's next part; `None` where the page links to none.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = '<p>It rained.</p><a href="/rain?page=2">2</a><a href="/rain?page=3">3</a>'
    >>> find_next_page(parse_page(page, url="http://gazette.example/rain"))
    'http://gazette.example/rain?page=2'
    """
    url = tree.url
    if not url:
        return None
    number, stem = _numbered(url)
    links = [*_declared(tree), *_shown(tree)]
    for said in links:
        # A page has hundreds of links, and reading an address takes a tenth of a millisecond.
        ending = _LAST_NUMBER.search(said.strip())
        if not ending or int(ending["number"]) != number + 1:
            continue
        address = _absolute(url, said)
        if address and _is_next(address, number, stem, url):
            return address
    return None


def find_second_page(tree: PageTree) -> str | None:
    """The address of the second part of the article that begins on a page.

    `None` for a page that has a number itself: where articles are numbered, the next number is
    another article's.
    """
    return None if _part_number(tree.url or "") else find_next_page(tree)


def shared_next_pages(trees: Sequence[PageTree]) -> list[str | None]:
    """The next part of each page of a site, less what several articles link to alike."""
    return leave_out_shared([find_next_page(tree) for tree in trees])


def leave_out_shared(found: Sequence[str | None]) -> list[str | None]:
    """The next parts of a site's pages, less those that several pages name."""
    keys = [url_key(it) if it else None for it in found]
    return [
        it if it and keys.count(key) == 1 else None for it, key in zip(found, keys, strict=True)
    ]


def _declared(tree: PageTree) -> Iterator[str]:
    for tag in ("link", "a"):
        for element in tree.html.iter(tag):
            if "next" in (element.get("rel") or "").lower().split() and element.get("href"):
                yield element.get("href", "")


def _shown(tree: PageTree) -> Iterator[str]:
    """Links whose text is a number, or stands for going on."""
    for element in tree.body.iter("a"):
        if element.get("href") and _says_next(element):
            yield element.get("href", "")


def _says_next(element: Element) -> bool:
    text = "".join(str(piece) for piece in element.itertext()).strip()
    return len(text) <= 40 and bool(text)


def _absolute(url: str, said: str) -> str | None:
    try:
        address = urljoin(url, said.strip())
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or host_of(address) != host_of(url):
        return None
    return parts._replace(fragment="").geturl()


def _is_next(address: str, number: int, stem: str, url: str) -> bool:
    """Whether an address is the page's own with the next number."""
    other, other_stem = _numbered(address)
    return address != url and other == number + 1 and other_stem == stem


def _numbered(url: str) -> tuple[int, str]:
    """The number of a part and what all its siblings' addresses share; 1 where there is none."""
    bare = url.partition("#")[0]
    if match := _part_number(url):
        stem = bare[: match.start()] + _ENDING.sub("", match["after"])
        return int(match["number"]), _stem(stem)
    return 1, _stem(bare)


def _part_number(url: str) -> re.Match[str] | None:
    match = _NUMBER.search(url.partition("#")[0])
    return match if match and 1 <= int(match["number"]) <= 50 else None


def _stem(address: str) -> str:
    return url_key(_ENDING.sub("", address)) or address


def follow_parts(first: str, seen: Iterable[str]) -> bool:
    """Whether a further part may be fetched: not one that was, and not more than the cap."""
    known = {url_key(address) for address in seen}
    return url_key(first) not in known and len(known) < MAX_PARTS
