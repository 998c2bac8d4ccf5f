"""The options of `forest crawl` that concern a crawl which goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from forest_crawler.cli._value_types import Interval

_F = TypeVar("_F", bound=Callable[..., Any])


def watch_options(function: _F) -> _F:
    """Add `--watch`, `--every` and `--metrics-port` to a command."""
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
    return watch(every(port(function)))


def check_watch_options(options: dict[str, Any]) -> None:
    """Raise for options that need others."""
    if options["metrics_port"] is not None and not options["watch"]:
        raise click.UsageError("--metrics-port needs --watch; without it, use `forest status`")
    if options["watch"] and options["warcs"]:
        raise click.UsageError("--watch polls feeds; --from-warc reads files and ends")
