"""`forest crawl`: crawl a feed list into an archive of articles."""

from __future__ import annotations

import signal
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from forest_crawler.cli._archive_options import ARCHIVE_HELP, archive_options
from forest_crawler.cli._fetch_options import fetch_options, fetch_settings
from forest_crawler.cli._form_options import form_options
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._scope_options import scope_options, scope_settings
from forest_crawler.cli._value_types import (
    COUNT,
    ArchivePath,
    BodyFolder,
    OutputDirectory,
    Seconds,
    WebUrl,
)
from forest_crawler.cli._watch_options import check_watch_options, watch_options
from forest_crawler.cli.main import EXIT_STORE
from forest_crawler.crawl.workers import start_fork_server
from forest_crawler.errors import MissingPackageError
from forest_crawler.feed.feed_list import FeedList, read_feed_list
from forest_crawler.settings import FOREST_FALLBACK, FOREST_METHOD, FOREST_STORE

if TYPE_CHECKING:
    from forest_crawler.cli._archive_target import ArchiveTarget
    from forest_crawler.cli._outputs import Output

DEFAULT_ARCHIVE = "articles.jsonl"

MAX_REFUSALS = 20
"""Unusable entries of a list that are reported one by one; the rest is counted."""


@click.command()
@click.argument("lists", nargs=-1, metavar="LIST…")
@click.option(
    "--store",
    default=FOREST_STORE,  # not from the store: SQLAlchemy loads later, with Scrapy,
    show_default=True,
    metavar="URL",
    help="The database of pages, wrappers and articles: sqlite:///FILE or postgresql://…",
)
@click.option(
    "--store-bodies",
    type=BodyFolder(),
    metavar="db|DIR|URL",
    default="db",
    show_default=True,
    help="Keep the bodies of pages, until they are archived, in the database, or as files in a "
    "directory or an object store (s3://…) that all processes see.",
)
@click.option(
    "--join",
    is_flag=True,
    help="Share the store, in PostgreSQL, with other crawls of the same list, on any number of "
    "machines. Without -o the articles stay in the store.",
)
@click.option(
    "-o",
    "--output",
    type=ArchivePath(),
    default=DEFAULT_ARCHIVE,
    show_default=True,
    metavar="FILE|DIR",
    help=f"The archive of articles: {ARCHIVE_HELP} Other forms than a file of JSON lines with all "
    "fields are written when the run ends, and with --watch while it goes on.",
)
@archive_options
@watch_options
@click.option("--now", is_flag=True, help="Also poll feeds that are not due yet.")
@fetch_options
@click.option(
    "--delay",
    type=Seconds(),
    metavar="SECONDS",
    help="Wait this long between two requests to a site; 1 by default, more for a slow site.",
)
@click.option(
    "--workers",
    type=COUNT,
    metavar="N",
    help="Number of processes that parse feeds and pages; one per CPU by default.",
)
@click.option(
    "--method",
    default=FOREST_METHOD,
    show_default=True,
    metavar="NAME",
    help="The site-level method that induces wrappers; `forest evaluate --help` names them.",
)
@click.option(
    "--fallback",
    default=FOREST_FALLBACK,
    show_default=True,
    metavar="NAME",
    help="The page-level method for pages that no wrapper fits.",
)
@scope_options
@form_options
@click.option(
    "--full-text-feeds",
    "feeds_directory",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write a full-text version of every feed into this directory.",
)
@click.option(
    "--feeds-url",
    type=WebUrl(),
    metavar="URL",
    help="With --full-text-feeds, the address at which you serve the directory.",
)
@click.option(
    "--warc",
    type=OutputDirectory(),
    metavar="DIR",
    help="Also write all responses to WARC files.",
)
@click.option(
    "--from-warc",
    "warcs",
    type=click.Path(exists=True, dir_okay=False, readable=True),
    multiple=True,
    metavar="FILE",
    help="Read the pages from a WARC file instead of the network; repeatable.",
)
@click.option(
    "-s",
    "--set",
    "pairs",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting of Scrapy or of this crawler; repeatable.",
)
@click.option(
    "--progress/--no-progress",
    default=None,
    help="Show progress on a terminal, though --quiet; or don't.",
)
@click.option("-q", "--quiet", is_flag=True, help="Report only what failed.")
@click.option("-v", "--verbose", is_flag=True, help="Log every step.")
@click.option("--json-log", is_flag=True, help="Log JSON objects, one per line.")
def command(lists: tuple[str, ...], **options: Any) -> None:
    """Crawl feeds and sites into an archive of articles.

    LIST is a text file with a URL or domain per line, an OPML file, `-` for stdin, a URL, or a
    domain, as example.org. A crawl may be interrupted at any moment: the next run continues from
    there, and every article is in the archive once.

    Exit codes: 0 done, 1 some sites failed, 2 wrong usage, 3 nothing extracted, 4 store or disk
    trouble or lost workers, 130 interrupted.
    """
    _check_methods(options["method"], options["fallback"])
    if bool(lists) == bool(options["warcs"]):
        raise click.UsageError("give either a LIST of feeds or --from-warc")
    if options["feeds_url"] and not options["feeds_directory"]:
        raise click.UsageError("--feeds-url is the address of the directory of --full-text-feeds")
    check_watch_options(options)
    if options["join"]:
        _set_up_join(options)
    target = _archive_target(options)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # until Scrapy handles it
    if options["watch"]:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # until the crawl can read its lists again
    start_fork_server(will_induce=_is_new(options["store"]))
    from forest_crawler.cli._crawl_run import (  # Scrapy: half a second
        EXIT_FENCED,
        CrawlOptions,
        join_again,
        make_directories,
        run_crawl,
    )
    from forest_crawler.cli._watch import WatchOptions

    for option, value in (("--warc", options["warc"]), ("--from-warc", options["warcs"])):
        if value:
            _require_warcio(option)
    crawl = CrawlOptions(
        store=options["store"],
        output=options["output"],
        appends=target is None,
        settings=_settings(options),
        changed=options["pairs"],
        quiet=options["quiet"],
        json_log=options["json_log"],
        verbose=options["verbose"],
        progress=options["progress"],
        joins=options["join"],
    )
    make_directories(crawl)
    outputs = _outputs(options, target)
    if options["watch"]:
        crawl = replace(
            crawl, watch=WatchOptions(options["metrics_port"], options["websub_port"], outputs)
        )
    if options["warcs"]:
        code = run_crawl("warc", {"files": options["warcs"]}, crawl)
    else:
        feeds = read_feed_list(lists)
        _say_refusals(feeds)
        chosen = {name: options[name] for name in ("watch", "now", "every", "websub")}
        code = run_crawl("feeds", {"feeds": feeds, "names": lists, **chosen}, crawl)
    if code == EXIT_FENCED:
        join_again(lists)
        code = EXIT_STORE
    if code != EXIT_STORE:
        _finish_outputs(outputs, options["store"])
    raise SystemExit(code)


def _set_up_join(options: dict[str, Any]) -> None:
    """Check the options of a crawl that shares its store."""
    if options["warcs"]:
        raise click.UsageError("--join is for a LIST of feeds, not for --from-warc")
    if options["output"] == "-":
        raise click.UsageError("with --join, articles go to a file, a folder, or only the store")
    context = click.get_current_context()
    if context.get_parameter_source("output") is ParameterSource.DEFAULT:
        options["output"] = ""


def _archive_target(options: dict[str, Any]) -> ArchiveTarget | None:
    """Return what to write when the run ends; `None` if lines are appended as articles come."""
    path, schema, fields = options["output"], options["schema"], options["fields"]
    if not path:
        return None
    if (path, schema, fields) == (DEFAULT_ARCHIVE, "forest", None):
        return None  # the modules for other forms take a while to load
    from forest_crawler.cli._archive_target import ArchiveTarget
    from forest_crawler.export.archives import is_plain_lines

    target = ArchiveTarget.from_options(path, schema, fields)
    return None if is_plain_lines(path) and schema == "forest" and not fields else target


def _last_article(store: str) -> int:
    from forest_crawler.store import open_store

    with open_store(store) as opened:
        return opened.last_article()


def _outputs(options: dict[str, Any], target: ArchiveTarget | None) -> list[Output]:
    """Return what is written beside the file of JSON lines."""
    if target is None and not options["feeds_directory"]:
        return []
    from forest_crawler.cli._outputs import ArchiveOutput, FeedsOutput, PartsOutput
    from forest_crawler.store import store_name

    outputs: list[Output] = []
    if target is not None and target.is_parts:
        outputs.append(PartsOutput(target))
    elif target is not None:
        # Standard output gets the articles of this run, a file those of all runs.
        known = _last_article(options["store"]) if options["output"] == "-" else 0
        outputs.append(ArchiveOutput(target, known, store_name(options["store"])))
    if options["feeds_directory"]:
        outputs.append(FeedsOutput(options["feeds_directory"], options["feeds_url"]))
    return outputs


def _finish_outputs(outputs: list[Output], store: str) -> None:
    if not outputs:
        return
    from forest_crawler.store import read_store

    with read_store(store) as opened:
        for output in outputs:
            output.finish(opened)


def _is_new(store: str) -> bool:
    """Whether a store is a file that doesn't exist yet; seen without loading SQLAlchemy."""
    file = store.partition("?")[0].removeprefix("sqlite:///")
    return store.startswith("sqlite:///") and not Path(file).exists()


def _check_methods(method: str, fallback: str) -> None:
    """Raise for a method that does not exist, before anything starts."""
    if (method, fallback) == (FOREST_METHOD, FOREST_FALLBACK):
        return  # their modules load later, in the workers
    from forest_crawler.extraction.extraction import get_fallback
    from forest_crawler.induction.induce import get_site_method

    get_site_method(method)
    get_fallback(fallback)


def _require_warcio(option: str) -> None:
    """Raise `MissingPackageError` before anything starts."""
    try:
        import_module("warcio")
    except ImportError as err:
        raise MissingPackageError(option, "warcio", extra="warc") from err


def _settings(options: dict[str, Any]) -> dict[str, Any]:
    settings: dict[str, Any] = (
        fetch_settings(options)
        | scope_settings(options)
        | {
            "FOREST_METHOD": options["method"],
            "FOREST_FALLBACK": options["fallback"],
            "FOREST_WORKERS": options["workers"] or 0,
            "FOREST_WARC": options["warc"],
            "FOREST_JOIN": options["join"],
            "FOREST_STORE_BODIES": options["store_bodies"],
            # Without a setting there are no pipelines or exports that would see them.
            "FOREST_ITEMS": bool(options["pairs"]),
            "FOREST_WITH_TITLE": options["with_title"],
            "FOREST_CAPTIONS": not options["no_captions"],
        }
    )
    if options["delay"] is not None:
        settings["DOWNLOAD_DELAY"] = options["delay"]
        settings["AUTOTHROTTLE_START_DELAY"] = options["delay"]
    if options["pairs"]:
        from forest_crawler.cli._settings import read_settings  # Scrapy

        settings |= read_settings(options["pairs"])
    return settings


def _say_refusals(feeds: FeedList) -> None:
    for row in feeds.refused[:MAX_REFUSALS]:
        say(f"{row.location}: {row.reason}: {row.text}")
    if (more := len(feeds.refused) - MAX_REFUSALS) > 0:
        say(f"{more} more {'entry' if more == 1 else 'entries'} cannot be used")
    if feeds.left_out:
        say(f"{count(feeds.left_out, 'feed')} skipped: the file is too long; split the list")
