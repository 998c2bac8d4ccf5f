"""XPaths of another tool's rules that give texts: attributes, text nodes, or what a function makes.

They run on the page as it was fetched, since scripts and metadata are where such rules look.
"""

from __future__ import annotations

import re
from urllib.parse import urldefrag, urljoin, urlsplit

from lxml import etree

from forest_crawler.errors import WrapperError
from forest_crawler.page.libxml2_memory import check_memory
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.urls.hosts import host_of

# The end of a path, or of one in a union.
_GIVES_TEXT = re.compile(r"/(?:(?:@|attribute::)[\w:*-]+|text\(\)(?:\[[^][]*\])?)\s*(?:$|\|)")
_BEGINS_WITH_VALUE = re.compile(r"\s*(?:['\"]|(?!id\s*\(|node\s*\(|text\s*\()[a-z-]+\s*\()")
_BARE_PAGE = etree.fromstring("<html><body/></html>")


def is_value_path(expression: str) -> bool:
    """Whether an XPath gives texts instead of elements.

    >>> is_value_path("//meta/@content"), is_value_path("substring-after(//p, 'By ')")
    (True, True)
    >>> is_value_path("//p[contains(@class, 'a')]")
    False
    """
    return bool(_GIVES_TEXT.search(expression) or _BEGINS_WITH_VALUE.match(expression))


def check_value_path(expression: str) -> None:
    """Raise `WrapperError` for an XPath that cannot be run."""
    _read(expression, _BARE_PAGE)


def read_values(tree: PageTree, expression: str) -> list[str]:
    """Return the texts that an XPath gives on a page, without empty ones.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<meta name=author content=Ann><p>It rained.")
    >>> read_values(page, "//meta[@name='author']/@content")
    ['Ann']
    """
    found = _read(expression, _raw_page(tree))
    pieces = found if isinstance(found, list) else [found]
    texts = (_text(piece) for piece in pieces)
    return [text for text in texts if text]


def find_link(tree: PageTree, expression: str) -> str | None:
    """Return the first URL on the page's own host that an XPath leads to.

    >>> from forest_crawler.page.tree import parse_page
    >>> page = parse_page("<a class=n href='?p=2'>2</a>", url="http://gazette.example/rain")
    >>> find_link(page, "//a[@class='n']")
    'http://gazette.example/rain?p=2'
    """
    found = _read(expression, _raw_page(tree))
    for piece in found if isinstance(found, list) else [found]:
        link = piece.get("href") if isinstance(piece, etree._Element) else piece
        if isinstance(link, str) and link.strip() and tree.url:
            url = _absolute(tree.url, link)
            if url is not None:
                return url
    return None


def _absolute(url: str, link: str) -> str | None:
    try:
        made = urldefrag(urljoin(url, link.strip())).url
        is_web = urlsplit(made).scheme in ("http", "https")
    except ValueError:
        return None
    return made if is_web and host_of(made) == host_of(url) and made != url else None


def _raw_page(tree: PageTree) -> Element:
    """Parse the page with its scripts and metadata, once."""
    key = "raw page"
    if key not in tree.derived:
        parser = etree.HTMLParser(encoding="utf-8", huge_tree=True, collect_ids=False)
        root = etree.fromstring(tree.source, parser) if tree.source.strip() else None
        tree.derived[key] = tree.html if root is None else root
    made = tree.derived[key]
    return made if isinstance(made, etree._Element) else tree.html


def _read(expression: str, root: Element) -> object:
    try:
        return etree.XPath(expression, regexp=False, smart_strings=False)(root)
    except (etree.XPathError, ValueError) as err:
        check_memory(err)
        raise WrapperError(f"not an XPath that can be run: {expression[:200]!r} ({err})") from err


def _text(piece: object) -> str:
    if isinstance(piece, etree._Element):
        piece = " ".join(str(it) for it in piece.itertext())
    return " ".join(clean_text(piece).split()) if isinstance(piece, str) else ""
