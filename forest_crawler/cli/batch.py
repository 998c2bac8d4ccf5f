"""`forest batch`: make articles of WARC files, in the worker pool of this machine."""

from __future__ import annotations

import asyncio
import signal
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
from forest_crawler.batch.run import BatchRun
from forest_crawler.cli._messages import say
from forest_crawler.cli._value_types import COUNT
from forest_crawler.crawl.workers import PRELOADED_TO_INDUCE, Workers


@click.command()
@batch_options
@click.option(
    "--workers",
    type=COUNT,
    metavar="N",
    help="Number of processes that parse pages; one per CPU by default.",
)
@click.option("-q", "--quiet", is_flag=True, help="Report only what failed.")
def command(workers: int | None, quiet: bool, **values: Any) -> None:
    """Make articles of WARC files, without a crawl and a store.

    Ten pages of each site, chosen by hash, give its wrappers; then every page is extracted. A
    rerun writes the same files. `python -m forest_crawler.spark` does the same on a Spark cluster.

    Exit codes: 0 done, 1 some records of the files are broken, 2 wrong usage, 3 nothing extracted,
    4 disk or object store trouble or lost workers, 130 interrupted.
    """
    options = read_options(values)
    files = list_files(read_inputs(values))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    pool = Workers(workers, preloaded=PRELOADED_TO_INDUCE)
    try:
        run = BatchRun(files, options, pool, (lambda _: None) if quiet else say)
        summary = asyncio.run(run.run())
    finally:
        pool.stop()
    code = exit_code(summary)
    for line in describe(summary, options.output):
        if not quiet or code:
            say(line)
    raise SystemExit(code)
