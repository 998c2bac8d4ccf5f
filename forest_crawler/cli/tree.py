"""`forest tree`: print a page's tree as Forest reads it."""

from __future__ import annotations

import re

import click

from forest_crawler.cli._files import read_bytes
from forest_crawler.cli._messages import say
from forest_crawler.cli._terminal import echo_data
from forest_crawler.errors import EmptyPageError, InputError
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.urls.canonical import url_key

_CONTROLS = re.compile("[\x7f-\x9f]")  # XML has no others; written as references, they are harmless


@click.command()
@click.option(
    "--store",
    metavar="URL",
    help="Take the page from this crawl's database (sqlite:///FILE or postgresql://…); PAGE is "
    "then its URL.",
)
@click.argument("page", metavar="PAGE|-")
def command(page: str, store: str | None) -> None:
    """Print a page's cleaned tree as XML.

    PAGE is an HTML file; - is stdin. With --store it is the URL of a crawled page: a store keeps
    pages until they are archived, and those of each site's latest articles. Scripts, styles and
    hidden elements are removed. Each element has its dfs number and its level; body has dfs 1 and
    level 1. The dfs form of a wrapper is an XPath over this tree.

    Exit codes: 0 done, 2 wrong usage, unusable input, or a page that the store doesn't keep,
    4 store trouble.
    """
    try:
        tree = parse_page(read_bytes(page)) if store is None else _parse_kept(store, page)
    except EmptyPageError as err:
        raise InputError(str(err), page) from err
    if tree.truncated:
        say(f"{page}: nested too deeply; its end is missing")
    # As bytes: XML without a declaration is UTF-8, whatever the terminal's encoding.
    echo_data(_CONTROLS.sub(lambda it: f"&#{ord(it[0])};", tree.annotated_xml()).encode())


def _parse_kept(store: str, url: str) -> PageTree:
    from forest_crawler.cli._store import open_existing_store  # SQLAlchemy takes a while to load

    key = url_key(url)
    if key is None:
        raise InputError("isn't a URL; with --store, give the URL of a crawled page", url)
    with open_existing_store(store) as opened:
        page = opened.kept_page(key)
        if page is None:
            raise InputError(
                f"{opened.name} doesn't keep this page, only pages that aren't archived yet and "
                "those of each site's latest articles",
                url,
            )
    return parse_page(page.body, charset=header_charset(page.content_type))
