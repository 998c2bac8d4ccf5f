"""`forest sources`: list the sources of a store, and how their polls end."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forest_crawler.cli._messages import count, say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._table import make_table, natural_width, print_table
from forest_crawler.cli._terminal import echo_data, make_console
from forest_crawler.crawl.poll_words import describe_status
from forest_crawler.store import Source
from forest_crawler.text.durations import describe_seconds

_ORDERS: dict[str, Callable[[Source], Any]] = {
    "added": lambda source: source.id,
    "url": lambda source: source.url,
    "last-poll": lambda source: -(source.last_poll or 0.0),
    "next-poll": lambda source: (source.disabled, source.next_poll),
    "entries": lambda source: -(source.entries or 0),
    "new": lambda source: -(source.new or 0),
    "failures": lambda source: (not source.disabled, -source.failures),
}


@click.command()
@store_option
@click.option("--failing", is_flag=True, help="Only sources whose last poll failed.")
@click.option("--due", is_flag=True, help="Only sources that the next run polls.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(list(_ORDERS)),
    default="added",
    show_default=True,
    help="Order: polls by time, the latest or the next first; numbers from the largest on.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines instead of a table.")
def command(store: str, failing: bool, due: bool, order: str, as_json: bool) -> None:
    """List the sources of a crawl and how their polls end.

    Each has its feed, its last and next poll, the entries of its feed, the pages that were new at
    the last poll, its failures in a row, and its status. Works while a crawl runs.

    Exit codes: 0 done, 2 wrong usage or no such store, 4 store trouble.
    """
    now = time.time()
    with open_existing_store(store) as opened:
        known = opened.sources()
    found = [
        source
        for source in sorted(known, key=_ORDERS[order])
        if (source.is_failing or not failing) and (is_due(source, now) or not due)
    ]
    if as_json:
        for source in found:
            echo_data(json.dumps(source_row(source), ensure_ascii=True) + "\n")
        return
    show_sources(found, now, make_console())
    failed = sum(source.is_failing for source in known)
    say(f"{count(len(known), 'source')}, {failed} failing")


def is_due(source: Source, now: float) -> bool:
    """Report whether the next run polls a source."""
    return not source.disabled and source.next_poll <= now


def source_row(source: Source) -> dict[str, object]:
    """Return the values of a source for its JSON line; times are seconds since the epoch."""
    return {
        "url": source.url,
        "feed": source.feed_url,
        "title": source.title,
        "site": source.site,
        "last_poll": source.last_poll,
        "next_poll": None if source.disabled or not source.next_poll else source.next_poll,
        "label": source.status,
        "status": describe_status(source),
        "entries": source.entries,
        "new": source.new,
        "failures": source.failures,
        "gone": source.disabled,
        "hub": source.hub,
    }


def show_sources(found: list[Source], now: float, console: Console) -> None:
    """Print a table; on a terminal too narrow for it, a line per source and one for its polls."""
    table = _make_table(found, now)
    if not console.is_terminal or natural_width(table, console) <= console.width:
        print_table(table, console)
        return
    for source in found:
        console.print(Text(_name(source)), soft_wrap=True)
        console.print(Text(f"  {_describe(source, now)}"), soft_wrap=True)


def _describe(source: Source, now: float) -> str:
    words = [describe_status(source)]
    if source.failures:
        words.append(f"failed {count(source.failures, 'time')} in a row")
    elif source.entries is not None:
        words.append(f"{source.entries} {'entry' if source.entries == 1 else 'entries'}")
        words.append(f"{source.new or 0} new")
    polls = f"last poll {_last(source, now)}, next poll {_next(source, now)}"
    return f"{', '.join(words)}; {polls}"


def _make_table(found: list[Source], now: float) -> Table:
    numbers = ["last poll", "next poll", "entries", "new", "failures"]
    table = make_table(count(len(found), "source"), ["source"], numbers, ["status"])
    for source in found:
        counts = ["–" if number is None else str(number) for number in (source.entries, source.new)]
        cells = (_last(source, now), _next(source, now), *counts, str(source.failures))
        table.add_row(Text(_name(source)), *cells, Text(describe_status(source)))
    return table


def _name(source: Source) -> str:
    if source.feed_url in (None, source.url):
        return source.url
    return f"{source.url}\n{source.feed_url}"


def _last(source: Source, now: float) -> str:
    return "–" if source.last_poll is None else f"{describe_seconds(now - source.last_poll)} ago"


def _next(source: Source, now: float) -> str:
    if source.disabled:
        return "never"
    return "due" if is_due(source, now) else f"in {describe_seconds(source.next_poll - now)}"
