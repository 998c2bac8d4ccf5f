"""`forest store`: look after the database of crawls."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from forest_crawler.cli._messages import count
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._terminal import echo, echo_data
from forest_crawler.cli._value_types import COUNT, BodyFolder
from forest_crawler.store import Store, open_store, read_store
from forest_crawler.text.durations import describe_seconds

DEFAULT_DAYS = 90
"""Days after which `vacuum` forgets pages without an article, and feed entries of those with one:
feeds no longer name them."""


@click.group()
def command() -> None:
    """Look after a store: who shares it, its version, size and waste."""


@command.command()
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object.")
def status(store: str, as_json: bool) -> None:
    """Show the processes that share a store, their leases, what waits, and sizes.

    Works while crawls run. Exit codes: 0 done, 2 no such store, 4 store trouble.
    """
    with open_existing_store(store) as opened:
        found = _read(opened)
    if as_json:
        echo_data(json.dumps(found, ensure_ascii=True) + "\n")
        return
    for name, shown in _rows(found):
        echo(f"{name + ':':<17}{shown}")


@command.command()
@store_option
def migrate(store: str) -> None:
    """Upgrade the tables of a store to this version of the program.

    Commands do so by themselves, unless other crawls share the store: end them first.

    Exit codes: 0 done, 2 no such store, 4 in use or store trouble.
    """
    read_store(store).close()  # refuses what isn't a store; upgrades an older one
    with open_store(store) as opened:
        name = opened.name  # without the password of a server
    echo(f"{name}: up to date")


@command.command()
@store_option
@click.option(
    "--store-bodies",
    type=BodyFolder(),
    metavar="DIR|URL",
    help="Also remove files from there that no page refers to, as kills leave them.",
)
@click.option(
    "--days",
    type=COUNT,
    default=DEFAULT_DAYS,
    show_default=True,
    metavar="N",
    help="Forget pages without an article, and feed entries of those with one, after so many days; "
    "no page is fetched again.",
)
def vacuum(store: str, store_bodies: str | None, days: int) -> None:
    """Delete rows and files that are of no use any more, and give their space back.

    No crawl may run meanwhile. Articles, wrappers and sources stay.

    Exit codes: 0 done, 2 no such store, 4 in use or store trouble.
    """
    with open_existing_store(store, writing=True) as opened:
        before = opened.total_size()
        done = opened.vacuum(days * 86_400.0, opened.open_bodies(store_bodies))
        after = opened.total_size()
    parts = (count(done.pages, "page"), count(done.sites, "site"), count(done.runs, "run"))
    echo(f"deleted: {', '.join(parts)}, {count(done.bodies, 'file')} of bodies")
    echo(f"forgotten: the feed entries of {count(done.entries, 'archived page')}")
    if before is not None and after is not None:
        echo(f"size: {_bytes(before)} before, {_bytes(after)} now")


def _read(store: Store) -> dict[str, Any]:
    waiting, lag = store.waiting_sites()
    return {
        "runs": [asdict(run) for run in store.live_runs()],
        "leased_sites": sum(store.count_leased()),
        "waiting_sites": waiting,
        "waiting_seconds": lag,
        "unexported": store.export_lags(),
        "bytes": store.total_size(),
        "tables": {
            name: {"rows": rows, "bytes": size} for name, (rows, size) in store.sizes().items()
        },
    }


def _rows(found: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for run in found["runs"]:
        left = run["expires_in"]
        until = "alone" if left is None else f"leases hold for {max(0.0, left):.0f} s"
        name = f"{run['machine'] or 'unknown machine'}, process {run['pid']}"
        yield "crawl", f"{name}: {count(run['sites'], 'site')}, {until}"
    if not found["runs"]:
        yield "crawl", "none is running"
    yield "sites", f"{found['leased_sites']} leased, {found['waiting_sites']} waiting"
    if found["waiting_seconds"] is not None:
        yield "longest wait", describe_seconds(found["waiting_seconds"])
    for file, number in found["unexported"].items():
        yield "not yet written", f"{file}: {count(number, 'article')}"
    if found["bytes"] is not None:
        yield "size", _bytes(found["bytes"])
    for name, row in found["tables"].items():
        size = "" if row["bytes"] is None else f", {_bytes(row['bytes'])}"
        yield name, f"{count(row['rows'], 'row')}{size}"


def _bytes(number: int) -> str:
    """Write a size for people.

    >>> _bytes(2048), _bytes(5_500_000)
    ('2.0 KiB', '5.2 MiB')
    """
    size = float(number)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"
