"""`forest crawl`: a feed list in, an archive of articles and a store of wrappers out."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from forest_crawler.cli._messages import count, say
from forest_crawler.crawl.workers import load_ahead
from forest_crawler.errors import InputError, MissingPackageError
from forest_crawler.feed.feed_list import FeedList, read_feed_list
from forest_crawler.settings import FOREST_STORE
from forest_crawler.urls.networks import read_networks

NAMED_REFUSALS = 20
"""Entries of a list that are named with what is wrong with them; more are counted."""


@click.command()
@click.argument("lists", nargs=-1, metavar="LIST…")
@click.option(
    "--store",
    default=FOREST_STORE,  # not from the store: SQLAlchemy loads later, with Scrapy,
    show_default=True,
    metavar="URL",
    help="The database that knows what was fetched: sqlite:///FILE or postgresql://…",
)
@click.option(
    "-o",
    "--output",
    default="articles.jsonl",
    show_default=True,
    metavar="FILE",
    help="The file of articles, a JSON line each.",
)
@click.option("--watch", is_flag=True, help="Go on polling the feeds until interrupted.")
@click.option("--now", is_flag=True, help="Ask feeds that are not due yet, too.")
@click.option(
    "--allow-network",
    "networks",
    multiple=True,
    metavar="CIDR",
    help="A network that may be fetched from though it is not public; repeatable.",
)
@click.option(
    "--allow-port",
    "ports",
    multiple=True,
    metavar="PORT",
    help="A port beside those of web servers, or `any`; repeatable.",
)
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="Between two requests to a site; 1 by default, more where a site is slow.",
)
@click.option("--contact", metavar="TEXT", help="A page or mail address for the User-Agent.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    metavar="N",
    help="Processes that read feeds and pages; one for each processor by default.",
)
@click.option(
    "--full-text-feeds",
    "feeds_directory",
    metavar="DIR",
    help="Keep a feed with full content there for every feed of the list.",
)
@click.option("--warc", metavar="DIR", help="Also keep what was fetched, as WARC files.")
@click.option(
    "--from-warc",
    "warcs",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    multiple=True,
    metavar="FILE",
    help="Take the pages from a WARC file, without a network; repeatable.",
)
@click.option(
    "-s",
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="A setting of Scrapy or of this crawler; repeatable.",
)
@click.option("-q", "--quiet", is_flag=True, help="Say only what went wrong.")
@click.option("-v", "--verbose", is_flag=True, help="Log every step.")
@click.option("--json-log", is_flag=True, help="Log as JSON objects, one a line.")
def command(lists: tuple[str, ...], **options: Any) -> None:
    """Crawl the feeds and sites of LIST (text, OPML, `-`, or addresses) into an archive.

    Interrupted at any moment, the next run goes on where this one was; every article is in the
    archive once.

    Exit codes: 0 done, 1 some sites failed, 2 wrong usage, 3 nothing extracted, 4 store or disk
    trouble or lost workers, 130 interrupted.
    """
    if bool(lists) == bool(options["warcs"]):
        raise click.UsageError("give a LIST of feeds, or pages by --from-warc")
    load_ahead()
    from forest_crawler.cli._crawl_run import CrawlOptions, run_crawl  # Scrapy: half a second

    crawl = CrawlOptions(
        store=options["store"],
        output=options["output"],
        settings=_settings(options),
        quiet=options["quiet"],
        json_log=options["json_log"],
        verbose=options["verbose"],
    )
    for option, value in (("--warc", options["warc"]), ("--from-warc", options["warcs"])):
        if value:
            _require_warcio(option)
    if options["warcs"]:
        raise SystemExit(run_crawl("warc", {"files": options["warcs"]}, crawl))
    feeds = read_feed_list(lists)
    _say_refusals(feeds)
    arguments = {"feeds": feeds, "watch": options["watch"], "now": options["now"]}
    code = run_crawl("feeds", arguments, crawl)
    if options["feeds_directory"]:
        _write_feeds(options["store"], options["feeds_directory"])
    raise SystemExit(code)


def _require_warcio(option: str) -> None:
    """Say what is missing before anything begins."""
    try:
        import_module("warcio")
    except ImportError as err:
        raise MissingPackageError(option, "warcio", extra="warc") from err


def _write_feeds(store: str, directory: str) -> None:
    from forest_crawler.export.source_feeds import write_source_feeds
    from forest_crawler.store import open_store

    with open_store(store) as opened:
        written = write_source_feeds(opened, directory)
    say(f"{directory}: {count(len(written), 'full-text feed')} written")


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    read_networks(options["networks"])  # says which one is wrong
    settings: dict[str, Any] = {
        "FOREST_ALLOW_NETWORKS": list(options["networks"]),
        "FOREST_ALLOW_PORTS": list(options["ports"]),
        "FOREST_CONTACT": options["contact"],
        "FOREST_WORKERS": options["workers"] or 0,
        "FOREST_WARC": options["warc"],
    }
    if options["delay"] is not None:
        settings["DOWNLOAD_DELAY"] = options["delay"]
        settings["AUTOTHROTTLE_START_DELAY"] = options["delay"]
    return settings | _read_pairs(options["pairs"])


def _read_pairs(pairs: Sequence[str]) -> dict[str, str]:
    wrong = [pair for pair in pairs if "=" not in pair]
    if wrong:
        raise InputError("a setting is given as NAME=VALUE", wrong[0])
    return dict(pair.split("=", 1) for pair in pairs)


def _say_refusals(feeds: FeedList) -> None:
    for row in feeds.refused[:NAMED_REFUSALS]:
        say(f"{row.location}: {row.reason}: {row.text}")
    if len(feeds.refused) > NAMED_REFUSALS:
        say(f"{count(len(feeds.refused) - NAMED_REFUSALS, 'more entry')} cannot be used")
    if feeds.left_out:
        say(f"{count(feeds.left_out, 'feed')} beyond the first of a file left out; split the list")
