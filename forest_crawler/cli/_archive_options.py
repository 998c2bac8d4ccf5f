"""The options of commands that write archives of articles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from forest_crawler.article.schemas import SCHEMAS

_F = TypeVar("_F", bound=Callable[..., Any])

ARCHIVE_HELP = (
    "its ending chooses JSON lines, .csv or .parquet, .gz or .zst after it compresses; a directory "
    "or a name with / at the end gets Markdown files; an address as s3://BUCKET/NAME.parquet, or "
    "NAME.jsonl/ or NAME.parquet/, gets parts with a manifest; - is stdout."
)


def archive_options(function: _F) -> _F:
    """Add `--schema` and `--fields` to a command."""
    schema = click.option(
        "--schema",
        type=click.Choice(SCHEMAS),
        default="forest",
        show_default=True,
        help="The tool whose field names to use.",
    )
    fields = click.option(
        "--fields", metavar="NAME,...", help="Write only these fields, in this order."
    )
    return schema(fields(function))
