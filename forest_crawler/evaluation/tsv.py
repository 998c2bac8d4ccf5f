"""Format results as tab-separated values (Gottron): a row per page, then a summary.

These are two tables with a header each, and an empty line between them. Scores are from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields

from forest_crawler.evaluation.results import EvaluationResult, PageResult, RunResult
from forest_crawler.evaluation.summary import Summary

_RUN_COLUMNS = ("set", "method", "version", "protocol", "setting")
_PAGE_COLUMNS = ("id", "site", "kB", "seconds", "failure", "fragmented", "multiple")
_SCORES = ("precision", "recall", "f1")


def format_tsv(result: EvaluationResult) -> str:
    """Write a row per page of every run, then a row per run and measure."""
    scores = [f"{measure} {score}" for measure in result.measures for score in _SCORES]
    lines: list[str] = [_line([*_RUN_COLUMNS, *_PAGE_COLUMNS, *scores])]
    for run in result.runs:
        lines += [_line([*_run_cells(run), *_page_cells(page, result)]) for page in run.pages]
    lines += ["", _line([*_RUN_COLUMNS, "measure", *_summary_columns(), "seconds/kB", "failed"])]
    for run in result.runs:
        lines += [_line(_summary_cells(run, measure)) for measure in result.measures]
    return "".join(f"{line}\n" for line in lines)


def _run_cells(run: RunResult) -> list[object]:
    setting = ",".join(f"{name}={value}" for name, value in run.setting.items())
    return [run.set, run.method, run.version or "", run.protocol, setting]


def _page_cells(page: PageResult, result: EvaluationResult) -> Iterator[object]:
    yield from (page.id, page.site, page.kilobytes, page.seconds, page.failure or "")
    yield from (_yes_or_no(page.fragmented), _yes_or_no(page.multiple))
    for measure in result.measures:
        score = page.scores[measure]
        yield from (score.precision, score.recall, score.f1)


def _yes_or_no(flag: bool | None) -> str:
    return "" if flag is None else "yes" if flag else "no"


def _summary_columns() -> list[str]:
    return [field.name for field in fields(Summary)]


def _summary_cells(run: RunResult, measure: str) -> Iterator[object]:
    yield from _run_cells(run)
    yield measure
    yield from asdict(run.summarize(measure)).values()
    yield run.seconds_per_kilobyte
    yield sum(run.failures.values())


def _line(cells: Iterable[object]) -> str:
    return "\t".join(_cell(value) for value in cells)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6f}"
    return " ".join(str(value).split())  # a tab or line break in a name would break the table
