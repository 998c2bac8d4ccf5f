"""One page in, one article out: the shortest way through the library.

`forest page` and users of the library begin here; a crawl has its own jobs.
"""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler.article.article import Article, ArticleSource, make_article
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.extraction.stated_text import prefer_stated
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.urls.hosts import site_of
from forest_crawler.wrapper.wrapper import Wrapper


def extract_article(
    html: str | bytes,
    url: str | None = None,
    wrappers: Sequence[Wrapper] | None = None,
    *,
    method: str = FALLBACK,
) -> Article:
    """Extract the article of a page, by its site's wrappers or else by a page-level method.

    Where the page has no text, the one that its JSON-LD states is the article. A page without an
    article gives one whose text is empty. Raises `EmptyPageError` for a document without any
    element. `article.asdict()` has all fields as a dictionary.

    >>> page = "<html lang=en><title>Rain</title><h1>Rain</h1><p>It <b>rained</b> on."
    >>> article = extract_article(page, "http://gazette.example/rain", method="plain")
    >>> article.title, article.site, article.asdict()["language"]
    ('Rain', 'gazette.example', 'en')
    """
    return read_article(parse_page(html, url=url), wrappers, method)


def read_article(
    tree: PageTree, wrappers: Sequence[Wrapper] | None = None, method: str = FALLBACK
) -> Article:
    """Do what `extract_article` does with a page that is parsed already."""
    url = tree.url
    found = extract(tree, wrappers or (), method)
    found = prefer_stated(found, tree) or found
    return make_article(tree, found, ArticleSource(url=url, site=site_of(url) if url else None))
