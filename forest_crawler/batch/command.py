"""The options of the two commands that run a batch, and what they report."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import click

from forest_crawler.article.content.forms import FormOptions
from forest_crawler.article.schemas import SCHEMAS
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.report import REPORT, BatchSummary
from forest_crawler.export.parts import ENDINGS, Ending, ending_in
from forest_crawler.extraction.extraction import FALLBACK
from forest_crawler.induction.induce import DEFAULT_METHOD
from forest_crawler.text.counts import count

DEFAULT_ENDING: Ending = "parquet"

_F = TypeVar("_F", bound=Callable[..., Any])

_OPTIONS = (
    click.argument("paths", nargs=-1, metavar="[WARC]…"),
    click.option(
        "--warc",
        "warcs",
        multiple=True,
        metavar="PATH",
        help="A WARC file, or a directory that is searched for them, also in an object store, as "
        "s3://BUCKET/PATH; repeatable.",
    ),
    click.option(
        "-o",
        "--output",
        required=True,
        metavar="DIR|URL",
        help="The folder of articles, by day of download: a directory, or s3://BUCKET/PATH.",
    ),
    click.option(
        "--wrappers",
        metavar="DIR|URL|FILE.json",
        help="The wrappers: sites that are in it skip induction, others are added. By default "
        "_wrappers in the folder of articles.",
    ),
    click.option(
        "--format",
        "ending",
        type=click.Choice(ENDINGS),
        help="The form of the articles; by default that of the folder's ending, or else Parquet.",
    ),
    click.option(
        "--schema",
        type=click.Choice(SCHEMAS),
        default="forest",
        show_default=True,
        help="The tool whose field names to use.",
    ),
    click.option("--fields", metavar="NAME,...", help="Write only these fields, in this order."),
    click.option(
        "--method",
        default=DEFAULT_METHOD,
        show_default=True,
        metavar="NAME",
        help="The site-level method that induces wrappers.",
    ),
    click.option(
        "--fallback",
        default=FALLBACK,
        show_default=True,
        metavar="NAME",
        help="The page-level method for pages that no wrapper fits.",
    ),
    click.option(
        "--with-title", is_flag=True, help="Begin text, HTML and Markdown with the headline."
    ),
    click.option(
        "--no-captions", is_flag=True, help="Leave the captions of pictures out of all three."
    ),
)


def batch_options(command: _F) -> _F:
    """Add the options of a batch to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def read_inputs(values: dict[str, Any]) -> list[str]:
    """Return the WARC files that the command line names, as they are given."""
    inputs = [*values["warcs"], *values["paths"]]
    if not inputs:
        raise click.UsageError("give WARC files, by --warc or as arguments")
    return inputs


def read_options(values: dict[str, Any]) -> BatchOptions:
    """Make a batch's options of a command's values; raises for those that cannot be."""
    fields = [name.strip() for name in (values["fields"] or "").split(",") if name.strip()]
    options = BatchOptions(
        output=values["output"],
        wrappers=values["wrappers"],
        ending=values["ending"] or ending_in(values["output"]) or DEFAULT_ENDING,
        schema=values["schema"],
        chosen=tuple(fields) or None,
        method=values["method"],
        fallback=values["fallback"],
        forms=FormOptions(values["with_title"], not values["no_captions"]),
    )
    options.check()
    return options


def describe(summary: BatchSummary, output: str) -> Iterator[str]:
    """Yield the lines that a command reports at the end."""
    for name, damage in sorted(summary.damaged.items()):
        yield f"{name}: {damage}"
    read = f"{count(summary.sites, 'site')} in {count(summary.files, 'file')}"
    yield f"{count(summary.articles, 'article')} of {read}: {output}"
    if summary.repeated:
        yield f"{count(summary.repeated, 'page')} left out, in the files more than once"
    if summary.attention:
        reasons = ", ".join(f"{reason}: {n}" for reason, n in summary.attention.items())
        yield f"sites that need a look ({reasons}) are in {output.rstrip('/')}/{REPORT}"


def exit_code(summary: BatchSummary) -> int:
    """Return 3 if there is no article, 1 if records are broken, else 0."""
    if not summary.articles:
        return 3
    return 1 if summary.damaged else 0
