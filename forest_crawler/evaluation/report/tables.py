"""Tables of the report: the methods' results per set, and on all sets at a glance.

The best number of a column is bold: per set among the methods of one protocol, at a glance among
all. Numbers that look the same are equally good.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from forest_crawler.evaluation.report.charts import format_share, format_time
from forest_crawler.evaluation.report.markup import element
from forest_crawler.evaluation.report.runs import name_method, name_setting, pick_main_runs
from forest_crawler.evaluation.results import PROTOCOLS, Protocol, RunResult
from forest_crawler.evaluation.tables import ENTRY_MARK, count_failures
from forest_crawler.page.xpath import Element

PROTOCOL_TITLES: Final[dict[Protocol, str]] = {
    "page": "each page alone",
    "in-sample": "in-sample: wrappers from all of a site's pages, applied to them",
    "unseen": "unseen: wrappers from two thirds of a site's pages, applied to the rest",
}

_Row: TypeAlias = tuple[RunResult, list[float]]
_F1 = 2  # its position among the numbers


@dataclass(frozen=True, slots=True)
class Column:
    """How to format a number, and which one is best."""

    title: str
    show: Callable[[float], str] = format_share
    best: Callable[[Sequence[float]], float] = max


def set_table(runs: Sequence[RunResult], measures: Sequence[str]) -> Element:
    """Make a table of the runs on one set, a part per protocol, best F1 first."""
    columns = _columns(measures)
    titles = ["method", *(column.title for column in columns)]
    head = element("tr", *(element("th", title, scope="col") for title in titles))
    head.append(element("th", "failed", scope="col", class_="failures"))
    table = element("table", element("thead", head))
    for protocol in PROTOCOLS:
        rows = [(run, _figures(run, measures)) for run in runs if run.protocol == protocol]
        if rows:
            table.append(_protocol_part(protocol, rows, columns))
    return element("div", table, class_="scroll")


def glance_table(sets: Mapping[str, Sequence[RunResult]], measure: str) -> Element:
    """Make a table of F1 per method and set, the best mean over the sets first."""
    shares: dict[str, dict[str, float]] = {}
    for name, runs in sets.items():
        for run in pick_main_runs(runs, measure):
            shares.setdefault(name_method(run), {})[name] = run.summarize(measure).f1
    column = Column("F1")
    best = {
        name: _find_best([row[name] for row in shares.values() if name in row], column)
        for name in sets
    }
    head = element("tr", element("th", column.title, scope="col"))
    head.extend(element("th", name, scope="col") for name in sets)
    body = element("tbody")
    for method, row in sorted(shares.items(), key=lambda item: -_mean(item[1])):
        shown = {name: column.show(share) for name, share in row.items()}
        cells = (_cell(shown.get(name, "–"), best[name]) for name in sets)
        body.append(element("tr", element("th", method, scope="row"), *cells))
    return element("div", element("table", element("thead", head), body), class_="scroll")


def _columns(measures: Sequence[str]) -> list[Column]:
    return [
        *map(Column, ("P", "R", "F1")),
        Column("sd", best=min),
        *map(Column, ("Q1", "median", "Q3")),
        *(Column(f"F1 {name}") for name in measures[1:]),
        Column("ms/kB", format_time, min),
    ]


def _figures(run: RunResult, measures: Sequence[str]) -> list[float]:
    """List the numbers of a run, in the order of the columns."""
    first, *others = (run.summarize(measure) for measure in measures)
    return [
        first.precision,
        first.recall,
        first.f1,
        first.deviation,
        first.quartile1,
        first.median,
        first.quartile3,
        *(other.f1 for other in others),
        1000 * run.seconds_per_kilobyte,
    ]


def _protocol_part(protocol: Protocol, rows: Sequence[_Row], columns: Sequence[Column]) -> Element:
    title = element("th", PROTOCOL_TITLES[protocol], scope="rowgroup", colspan=len(columns) + 2)
    body = element("tbody", element("tr", title, class_=f"protocol {protocol}"))
    best = [
        _find_best([figures[i] for _, figures in rows], column) for i, column in enumerate(columns)
    ]
    for run, figures in _ranked(rows):
        row = element("tr", _method_cell(run))
        for column, figure, goal in zip(columns, figures, best, strict=True):
            row.append(_cell(column.show(figure), goal))
        row.append(element("td", count_failures(run) or "–", class_="failures"))
        body.append(row)
    return body


def _find_best(figures: Sequence[float], column: Column) -> str | None:
    """Return the best number as formatted; None if all look the same."""
    alike = len({column.show(figure) for figure in figures}) == 1
    return None if alike else column.show(column.best(figures))


def _ranked(rows: Sequence[_Row]) -> Sequence[_Row]:
    """Sort by F1, best first; the points of a study stay in its order."""
    if any(run.setting for run, _ in rows):
        return rows
    return sorted(rows, key=lambda row: -row[1][_F1])


def _method_cell(run: RunResult) -> Element:
    mark = ENTRY_MARK if run.entry_from_metadata else ""
    cell = element("th", run.method + mark, scope="row")
    small = [run.version] if run.version else name_setting(run)
    if small:
        cell.append(element("small", " ", ", ".join(small)))
    return cell


def _cell(shown: str, best: str | None) -> Element:
    return element("td", element("b", shown) if shown == best else shown)


def _mean(row: Mapping[str, float]) -> float:
    return sum(row.values()) / len(row)
