"""The command of the Spark job: the options of `forest batch`, and a few of Spark's own."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from forest_crawler.batch.command import (
    batch_options,
    describe,
    exit_code,
    read_inputs,
    read_options,
)
from forest_crawler.batch.inputs import list_files
from forest_crawler.errors import FatalError, ForestError, MissingPackageError

MAX_BROADCAST_MB = 256


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@batch_options
@click.option(
    "--master",
    metavar="URL",
    help="Spark's master; by default that of spark-submit or of Spark's settings, else local[*].",
)
@click.option(
    "--max-broadcast",
    type=click.IntRange(0),
    default=MAX_BROADCAST_MB,
    show_default=True,
    metavar="MB",
    help="Wrappers up to this size are sent to every executor; beyond, they are joined by file.",
)
def command(master: str | None, max_broadcast: int, **values: Any) -> None:
    """Make articles of WARC files on a Spark cluster.

    The same as `forest batch`, with the same result. Run it as `python -m forest_crawler.spark`,
    or give the file forest_crawler/spark/__main__.py to spark-submit, which takes no modules.
    The package must be installed on all machines, and paths must mean the same on all.

    Exit codes: those of `forest batch`.
    """
    options = read_options(values)
    files = list_files(read_inputs(values))
    with _open_context(master) as context:
        from forest_crawler.spark.job import SparkBatch

        job = SparkBatch(context, files, options, max_broadcast << 20, _say)
        summary = job.run()
    for line in describe(summary, options.output):
        _say(line)
    raise SystemExit(exit_code(summary))


def main() -> None:
    """Run the command; errors of ours are one line on stderr, with the codes of `forest`."""
    try:
        command()
    except ForestError as err:
        _say(str(err))
        sys.exit(4 if isinstance(err, FatalError) else 2)


def _open_context(master: str | None) -> Any:
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError as err:
        raise MissingPackageError("the Spark job", "pyspark", extra="spark") from err
    conf = SparkConf().setIfMissing("spark.app.name", "forest-crawler")
    if master:
        conf.setMaster(master)
    conf.setIfMissing("spark.master", "local[*]")
    if str(conf.get("spark.master")).startswith("local"):
        # Spark would take the `python3` of the path, which may not have this package.
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkContext(conf=conf)


def _say(message: str) -> None:
    click.echo(f"forest: {message}", err=True)
