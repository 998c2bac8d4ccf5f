"""`forest status`: show what a store holds, and what is left to do."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

import click

from forest_crawler.cli._messages import list_names
from forest_crawler.cli._prometheus import status_metrics, write_metrics
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._store_status import StoreStatus, read_status
from forest_crawler.cli._terminal import echo, echo_data
from forest_crawler.text.durations import describe_seconds


@click.command()
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
@click.option("--prometheus", is_flag=True, help="Print text metrics for Prometheus.")
def command(store: str, as_json: bool, prometheus: bool) -> None:
    """Show what a crawl has done and what is left to do.

    Sources by health, pages by state, pages without an article and postponed pages by reason,
    articles per day (UTC), wrappers by confidence, sites with drifted wrappers, and the age of
    the oldest page to fetch. Works while a crawl runs.

    Exit codes: 0 done, 2 wrong usage or no such store, 4 store trouble.
    """
    if as_json and prometheus:
        raise click.UsageError("--json and --prometheus exclude each other")
    with open_existing_store(store) as opened:
        status = read_status(opened)
    if as_json:
        echo_data(json.dumps(asdict(status), ensure_ascii=True) + "\n")
    elif prometheus:
        echo_data(write_metrics(status_metrics(status)))
    else:
        for name, shown in _rows(status):
            echo(f"{name + ':':<18}{shown}")


def _rows(status: StoreStatus) -> Iterator[tuple[str, str]]:
    yield "sources", _counts(status.sources)
    yield "sites", str(status.sites)
    yield "pages", _counts(status.pages)
    yield "skipped", _counts(status.skipped)
    yield "failed", _counts(status.failed)
    yield "postponed", _counts(status.postponed)
    yield "articles", str(status.articles)
    yield "articles per day", _counts(status.articles_per_day)
    bands = status.wrappers.items()
    yield "wrappers", ", ".join(f"{n} of confidence {band}" for band, n in bands) or "none"
    yield "drifted", list_names(status.drifted) or "none"
    age = status.queue_age
    yield "queue age", "nothing to fetch" if age is None else describe_seconds(age)


def _counts(numbers: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {number}" for name, number in numbers.items()) or "none"
