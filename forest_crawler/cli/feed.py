"""`forest feed`: write a site's archived articles as a full-text feed."""

from __future__ import annotations

from collections.abc import Sequence

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
    write_feed,
)
from forest_crawler.export.feed_rows import FeedRow, find_source, newest_rows
from forest_crawler.export.source_feeds import common_language, feed_head, root_of
from forest_crawler.store import Store


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
        rows = (
            newest_rows(opened, source=source.id, limit=limit)
            if source
            else newest_rows(opened, site=wanted, limit=limit)
        )
        is_known = source is not None or (not rows and wanted in _crawled_sites(opened))
        meant = "" if rows or is_known else suggest_name(wanted, _known_names(opened))
        name = opened.name  # without the password of a server
    if is_known and not rows:
        say(f"{wanted}: no articles in {name} yet; `forest status` shows what is left to do")
        raise SystemExit(EXIT_NOTHING)
    if not rows:
        say(f"no articles of {wanted} in {name}{meant}; give the URL of a crawled feed, or a site")
        raise SystemExit(EXIT_NOTHING)
    head = feed_head(source, rows, address) if source else _site_head(wanted, rows, address)
    write_bytes(output, write_feed(head, rows, form, images=not no_images))
    if output != "-":
        say(f"{count(len(rows), 'article')} of {wanted} in {output}")


def _crawled_sites(store: Store) -> set[str | None]:
    return {source.site for source in store.sources()}


def _known_names(store: Store) -> list[str]:
    return [*store.archived_sites(), *(source.url for source in store.sources())]


def _site_head(site: str, rows: Sequence[FeedRow], address: str | None) -> FeedHead:
    linked = next((link for row in rows if isinstance(link := row.get("link"), str)), "")
    return FeedHead(site, root_of(linked or f"http://{site}/"), address, common_language(rows))
