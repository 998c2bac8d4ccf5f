"""The options of `forest crawl` that concern a crawl which goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from forest_crawler.cli._value_types import Interval, WebUrl

_F = TypeVar("_F", bound=Callable[..., Any])


def watch_options(function: _F) -> _F:
    """Add `--watch` and what needs it to a command."""
    watch = click.option(
        "--watch",
        is_flag=True,
        help="Keep polling the feeds until interrupted, log what happens, and read the lists again "
        "on SIGHUP.",
    )
    every = click.option(
        "--every",
        type=Interval(),
        metavar="DURATION",
        help="Poll each feed this often: 90s, 5m, 2h or 1d; by default between 15 minutes and a "
        "day, as often as it has news. A feed that allows less gets less.",
    )
    port = click.option(
        "--metrics-port",
        type=click.IntRange(1, 65_535),
        metavar="PORT",
        help="With --watch: serve the metrics of `forest status --prometheus` on this port of "
        "127.0.0.1.",
    )
    hub_url = click.option(
        "--websub",
        type=WebUrl(),
        metavar="URL",
        help="With --watch: the public URL at which hubs may report news of feeds, which are then "
        "polled at once instead of often.",
    )
    hub_port = click.option(
        "--websub-port",
        type=click.IntRange(1, 65_535),
        metavar="PORT",
        help="The port of 127.0.0.1 to which your web server passes on requests for that URL.",
    )
    return watch(every(port(hub_url(hub_port(function)))))


def check_watch_options(options: dict[str, Any]) -> None:
    """Raise for options that need others."""
    if options["metrics_port"] is not None and not options["watch"]:
        raise click.UsageError("--metrics-port needs --watch; without it, use `forest status`")
    if bool(options["websub"]) != bool(options["websub_port"]):
        raise click.UsageError("--websub and --websub-port need each other")
    if options["websub"] and not options["watch"]:
        raise click.UsageError("--websub needs --watch: hubs report to a crawl that goes on")
    if options["watch"] and options["warcs"]:
        raise click.UsageError("--watch polls feeds; --from-warc reads files and ends")
