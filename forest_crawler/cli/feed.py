"""`forest feed`: write a site's archived articles as a full-text feed."""

from __future__ import annotations

import click

from forest_crawler.cli._files import write_bytes
from forest_crawler.cli._messages import count, say, suggest_name
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._value_types import COUNT, OutputFile
from forest_crawler.cli.main import EXIT_NOTHING
from forest_crawler.export.feed import (
    FEED_FORMATS,
    MAX_ITEMS,
    FeedFormat,
    FeedHead,
    read_lines,
    write_feed,
)
from forest_crawler.export.source_feeds import feed_head
from forest_crawler.store import Source, Store
from forest_crawler.urls.canonical import url_key


@click.command()
@click.argument("wanted", metavar="URL|SITE")
@store_option
@click.option(
    "-o",
    "--output",
    type=OutputFile(stdout=True),
    default="-",
    metavar="FILE",
    help="The file of the feed; - is stdout.  [default: -]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FEED_FORMATS),
    default="rss",
    show_default=True,
    help="RSS 2.0 or Atom.",
)
@click.option(
    "--limit",
    default=MAX_ITEMS,
    show_default=True,
    type=COUNT,
    help="Max number of articles.",
)
@click.option("--address", metavar="URL", help="The URL at which the feed will be served, if any.")
@click.option("--no-images", is_flag=True, help="Remove all images.")
def command(
    wanted: str,
    store: str,
    output: str,
    form: FeedFormat,
    limit: int,
    address: str | None,
    no_images: bool,
) -> None:
    """Write archived articles as a full-text feed.

    URL is that of a crawled feed, or of a page whose feed was crawled; SITE is a site's name. The
    newest article comes first. Images at URLs that aren't public are removed.

    Exit codes: 0 done, 2 wrong usage or no such store, 3 no articles, 4 store or disk trouble.
    """
    with open_existing_store(store) as opened:
        source = find_source(opened, wanted)
        lines = (
            opened.articles(source=source.id, limit=limit)
            if source
            else opened.articles(site=wanted, limit=limit)
        )
        meant = "" if lines else suggest_name(wanted, _known_names(opened))
    if not lines:
        say(f"no articles of {wanted} in {store}{meant}; give the URL of a crawled feed, or a site")
        raise SystemExit(EXIT_NOTHING)
    head = feed_head(source, address) if source else FeedHead(wanted, f"http://{wanted}/", address)
    write_bytes(output, write_feed(head, read_lines(lines), form, images=not no_images))
    if output != "-":
        say(f"{count(len(lines), 'article')} of {wanted} in {output}")


def _known_names(store: Store) -> list[str]:
    sources = store.sources()
    return [*store.archived_sites(), *(source.url for source in sources)]


def find_source(store: Store, wanted: str) -> Source | None:
    """Find the source of a URL: its own, or that of its feed."""
    key = url_key(wanted)
    if key is None:
        return None
    for source in store.sources():
        if key in (url_key(source.url), url_key(source.feed_url or "")):
            return source
    return None
