"""`forest tree`: print a page's tree as Forest reads it."""

from __future__ import annotations

import click

from forest_crawler.cli._files import read_bytes
from forest_crawler.cli._messages import say
from forest_crawler.errors import EmptyPageError, InputError
from forest_crawler.page.tree import parse_page


@click.command()
@click.argument("page", metavar="PAGE|-")
def command(page: str) -> None:
    """Print a page's cleaned tree as XML.

    PAGE is an HTML file; - is stdin. Scripts, styles and hidden elements are removed. Each element
    has its dfs number and its level; body has dfs 1 and level 1. The dfs form of a wrapper is an
    XPath over this tree.

    Exit codes: 0 done, 2 wrong usage or unusable input.
    """
    try:
        tree = parse_page(read_bytes(page))
    except EmptyPageError as err:
        raise InputError(str(err), page) from err
    if tree.truncated:
        say(f"{page}: nested too deeply; its end is missing")
    # As bytes: XML without a declaration is UTF-8, whatever the terminal's encoding.
    click.echo(tree.annotated_xml().encode(), nl=False)
