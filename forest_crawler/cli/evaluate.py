"""`forest evaluate`: score methods on pages whose article a person has marked."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from rich.progress import Progress

from forest_crawler.cli._files import DiskError, write_text
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._value_types import COUNT, OutputDirectory, OutputFile, Seconds
from forest_crawler.cli.main import EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import FLAGS, PROPOSED_BY
from forest_crawler.evaluation.lcs import load_lcs
from forest_crawler.evaluation.report import write_report
from forest_crawler.evaluation.results import (
    BREAKDOWNS,
    PROTOCOLS,
    EvaluationResult,
    Protocol,
)
from forest_crawler.evaluation.runner import (
    DEFAULT_PROTOCOL,
    DEFAULT_TIMEOUT,
    EvaluationOptions,
    evaluate,
)
from forest_crawler.evaluation.scoring import DEFAULT_MEASURE, MEASURES
from forest_crawler.evaluation.sets import PageSet, make_names_unique, read_set, select_pages
from forest_crawler.evaluation.studies import STUDIES
from forest_crawler.evaluation.tables import (
    count_failures,
    format_markdown,
    format_text,
    make_table,
)
from forest_crawler.evaluation.texts import drop_texts, keep_texts, text_files
from forest_crawler.evaluation.tsv import format_tsv

ALL_MEASURES = "all"

FORMATS: dict[str, Callable[[EvaluationResult], str]] = {
    "table": lambda result: format_text(make_table(result)),
    "json": lambda result: result.to_json() + "\n",
    "tsv": format_tsv,
    "markdown": lambda result: format_markdown(make_table(result)),
}


@click.command()
@click.option(
    "--data",
    "paths",
    multiple=True,
    required=True,
    metavar="DIR|FILE",
    help="A test package, a directory of pages with gold text, or JSON lines (- is stdin); "
    "repeatable.",
)
@click.option(
    "--method",
    "methods",
    multiple=True,
    required=True,
    metavar="NAME",
    help="A page-level method, a site-level method or a peer (an unknown name lists them all), "
    "or cmd:PROGRAM or http://…; repeatable.",
)
@click.option(
    "--protocol",
    "protocols",
    multiple=True,
    type=click.Choice(PROTOCOLS),
    help="Which pages of a site a site-level method learns from; page-level methods see one page "
    f"at a time; repeatable.  [default: {DEFAULT_PROTOCOL}]",
)
@click.option(
    "--measure",
    "measures",
    multiple=True,
    type=click.Choice([*MEASURES, ALL_MEASURES]),
    help=f"How to compare a text with the gold text; repeatable.  [default: {DEFAULT_MEASURE}]",
)
@click.option(
    "--study",
    type=click.Choice(list(STUDIES)),
    help="Vary one thing: the number of sample pages or of signifiers, the measure of "
    "informativeness, or a step of the paper's method.",
)
@click.option(
    "--min-pages",
    type=COUNT,
    default=1,
    show_default=True,
    help="Skip sites with fewer pages.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Use only pages of this kind; repeatable.",
)
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(FLAGS),
    help="Use only pages whose metadata have this flag: an article that other content interrupts, "
    "or several articles; repeatable.",
)
@click.option(
    "--without",
    multiple=True,
    type=click.Choice(FLAGS),
    help="Leave out pages whose metadata have this flag; repeatable.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="table",
    show_default=True,
    help="The format of the results.",
)
@click.option(
    "-o",
    "--output",
    type=OutputFile(stdout=True),
    default="-",
    metavar="FILE",
    help="The file of the results; - is stdout.  [default: -]",
)
@click.option("--texts", is_flag=True, help="Include the extracted texts and the gold in the JSON.")
@click.option(
    "--outputs",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write the extracted texts to DIR/SET.METHOD.jsonl, a line {id, text} per page.",
)
@click.option(
    "--report",
    type=OutputDirectory(),
    metavar="DIR",
    help="Write DIR/index.html with tables, charts, and each method's worst pages.",
)
@click.option(
    "--jobs",
    type=COUNT,
    help="Number of worker processes.  [default: one per CPU]",
)
@click.option(
    "--timeout",
    type=Seconds(above_zero=True),
    default=DEFAULT_TIMEOUT,
    show_default=True,
    help="Max seconds per page.",
)
def command(
    paths: tuple[str, ...],
    methods: tuple[str, ...],
    protocols: tuple[Protocol, ...],
    measures: tuple[str, ...],
    study: str | None,
    min_pages: int,
    kinds: tuple[str, ...],
    only: tuple[str, ...],
    without: tuple[str, ...],
    form: str,
    output: str,
    texts: bool,
    outputs: str | None,
    report: str | None,
    jobs: int | None,
    timeout: float,
) -> None:
    """Score extraction methods on labelled pages.

    The gold text of a page is what a person has marked as its article. A page on which a method
    crashes or times out scores zero; such pages are counted on stderr and in the results, and the
    run continues.

    Exit codes: 0 done, even if pages failed, 1 a method failed on every page of a set, 2 wrong
    usage, unusable input or an unknown name, 4 the output cannot be written.
    """
    if report or set(measures) - {DEFAULT_MEASURE}:
        load_lcs()  # missing, it would fail on every page
    sets = make_names_unique(
        select_pages(pages, min_pages=min_pages, kinds=kinds, only=only, without=without)
        for pages in map(read_set, paths)
    )
    options = EvaluationOptions(
        measures=MEASURES if ALL_MEASURES in measures else measures or (DEFAULT_MEASURE,),
        protocols=protocols or (DEFAULT_PROTOCOL,),
        study=study,
        jobs=jobs or os.cpu_count() or 1,
        timeout=timeout,
    )
    with _progress_bar() as on_progress:
        result = evaluate(sets, list(dict.fromkeys(methods)), options, on_progress)
    if outputs:
        for name, lines in text_files(result):
            write_text(str(Path(outputs, name)), lines)
    if report:
        _write_report(keep_texts(result, sets), report)
    kept = keep_texts(result, sets) if texts else drop_texts(result)
    write_text(output, FORMATS[form](kept))
    _say_failures(result)
    _say_proposals(sets)
    if any(run.broke_down for run in result.runs):
        raise SystemExit(EXIT_SOME_FAILED)


def _write_report(result: EvaluationResult, directory: str) -> None:
    try:
        path = write_report(result, directory)
    except OSError as err:
        raise DiskError(
            f"{directory}: cannot be written: {err.strerror}; choose another --report"
        ) from err
    say(f"see the report in {path}")


@contextmanager
def _progress_bar() -> Iterator[Callable[[int, int], object]]:
    """Show a bar on stderr, if that is a terminal."""
    console = make_console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("Evaluating", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _say_proposals(sets: Iterable[PageSet]) -> None:
    """Name the sets whose gold is what a method extracted: scores against it mean nothing."""
    for it in sets:
        if proposed := sum(page.proposed_by is not None for page in it.pages):
            say(
                f"{it.name}: the gold of {proposed} of {count(len(it.pages), 'page')} is what a "
                f"method proposed; correct it, and remove `{PROPOSED_BY}` from NAME.json"
            )


def _say_failures(result: EvaluationResult) -> None:
    for run in result.runs:
        broken = [page for page in run.pages if page.failure in BREAKDOWNS]
        if broken:
            first = broken[0]
            say(
                f"{run.method} on {run.set}: {count_failures(run)}; "
                f"first {first.failure} on {first.id}: {first.detail}"
            )
