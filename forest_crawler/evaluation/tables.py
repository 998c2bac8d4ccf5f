"""Format results as tables, in plain text or Markdown.

There is a row per run and measure. Scores are means over the pages, in per cent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from forest_crawler.evaluation.results import EvaluationResult, RunResult

MEASURE_TITLES: Final = {
    "bigrams": "sets of 2-grams",
    "characters": "characters by LCS",
    "sequence": "words by LCS",
    "bag": "bag of words",
    "set": "set of words",
    "cetd": "words with marks by LCS (CETD)",
    "cleaneval": "CleanEval score",
    "nodes": "DOM nodes",
}
SETTING_TITLES: Final = {
    "pages": "sample pages",
    "signifiers": "signifiers",
    "measure": "informativeness",
    "types": "element types",
    "level": "level factor",
    "frequency": "frequency factor",
}
ENTRY_MARK: Final = "*"
ENTRY_NOTE: Final = "* feed entries made from the pages' metadata, because the set has no feeds"
FIGURES_NOTES: Final = (
    "P, R, F1: means over the pages, in per cent. sd: standard deviation of F1. Q1, median, Q3:",
    "its quartiles. ms/kB: milliseconds of parsing, induction and extraction per kB of source.",
)


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; the first `names` columns are names, the others numbers."""

    header: tuple[str, ...]
    names: int
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...]


def make_table(result: EvaluationResult) -> Table:
    """Make a table with a row per run and measure."""
    settings = sorted({name for run in result.runs for name in run.setting})
    measure = ("measure",) if len(result.measures) > 1 else ()
    varied = (SETTING_TITLES.get(name, name) for name in settings)
    names = ("set", "method", "protocol", *varied, *measure)
    figures = ("pages", "sites", "P", "R", "F1", "sd", "Q1", "median", "Q3", "ms/kB", "failed")
    return Table(
        header=(*names, *figures),
        names=len(names),
        rows=tuple(
            (*_names(run, settings), *measure_cell, *_figures(run, name))
            for run in result.runs
            for name in result.measures
            for measure_cell in ([(name,)] if measure else [()])
        ),
        notes=tuple(_notes(result)),
    )


def format_text(table: Table) -> str:
    """Align the columns; omit a name that is also in the row above."""
    lines = [table.header, *_without_repeats(table)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.header))]
    cells = (
        (
            cell.ljust(width) if i < table.names else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
    text = "\n".join("  ".join(line).rstrip() for line in cells)
    return f"{text}\n\n" + "".join(f"{note}\n" for note in table.notes)


def format_markdown(table: Table) -> str:
    """Write the table for a README."""
    rule = ["---"] * table.names + ["---:"] * (len(table.header) - table.names)
    lines = [table.header, rule, *table.rows]
    escaped = ((cell.replace("|", "\\|") for cell in line) for line in lines)
    text = "\n".join(f"| {' | '.join(line)} |" for line in escaped)
    notes = "\n".join(table.notes).replace("*", "\\*")
    return f"{text}\n\n{notes}\n"


def count_failures(run: RunResult) -> str:
    """Describe how many pages failed and why; empty if none did.

    >>> count_failures(RunResult("set", "method", "page", ()))
    ''
    """
    return ", ".join(f"{count} {reason}" for reason, count in sorted(run.failures.items()))


def _names(run: RunResult, settings: Sequence[str]) -> Iterator[str]:
    yield run.set
    mark = ENTRY_MARK if run.entry_from_metadata else ""
    yield " ".join(part for part in (run.method + mark, run.version) if part)
    yield run.protocol
    for name in settings:
        yield str(run.setting.get(name, ""))


def _figures(run: RunResult, measure: str) -> Iterator[str]:
    summary = run.summarize(measure)
    yield str(len(run.pages))
    yield str(run.sites)
    for figure in (
        summary.precision,
        summary.recall,
        summary.f1,
        summary.deviation,
        summary.quartile1,
        summary.median,
        summary.quartile3,
    ):
        yield f"{100 * figure:.1f}"
    yield f"{1000 * run.seconds_per_kilobyte:.2f}"
    yield count_failures(run) or "-"


def _notes(result: EvaluationResult) -> Iterator[str]:
    titles = ", ".join(MEASURE_TITLES.get(name, name) for name in result.measures)
    yield f"Measured by {titles}."
    yield from FIGURES_NOTES
    if any(run.entry_from_metadata for run in result.runs):
        yield ENTRY_NOTE


def _without_repeats(table: Table) -> Iterator[tuple[str, ...]]:
    above: tuple[str, ...] = ("",) * len(table.header)
    for row in table.rows:
        same = 0
        while same < table.names and row[same] == above[same]:
            same += 1
        yield ("",) * same + row[same:]
        above = row
