"""Build results for reports, and read the reports."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxml import html as lxml_html

from forest_crawler.evaluation.report import write_report
from forest_crawler.evaluation.results import (
    EvaluationResult,
    PageResult,
    Protocol,
    RunResult,
)
from forest_crawler.evaluation.score import Score


def make_page(f1: float, name: str = "p", **fields: Any) -> PageResult:
    """Make a page of 2 kB that took 10 ms, with equal precision, recall and F1."""
    defaults: dict[str, Any] = {"site": "site", "size": 2000, "seconds": 0.01}
    return PageResult(id=name, scores={"bigrams": Score(f1, f1, f1)}, **{**defaults, **fields})


def make_run(
    method: str, scores: Sequence[float], protocol: Protocol = "page", **fields: Any
) -> RunResult:
    """Make a run on the set `news`."""
    pages = tuple(make_page(f1, f"p{i}") for i, f1 in enumerate(scores))
    return RunResult(
        **{"set": "news", "method": method, "protocol": protocol, "pages": pages} | fields
    )


def report_of(tmp_path: Path, *runs: RunResult, measures: tuple[str, ...] = ("bigrams",)) -> Any:
    """Write the report on some runs, and parse it."""
    path = write_report(EvaluationResult("1.2.3", measures, runs), tmp_path)
    return parse(path.read_text(encoding="utf-8"))


def parse(source: str) -> Any:
    """Parse a document."""
    return lxml_html.document_fromstring(source)


def rows_of(section: Any) -> dict[str, list[str]]:
    """Return the cells of a table's rows, by the row's header."""
    return {
        " ".join(row.find("th").text_content().split()): [
            cell.text_content() for cell in row.findall("td")
        ]
        for row in section.iterfind(".//tbody/tr")
        if row.find("td") is not None
    }


def bold_of(section: Any) -> list[tuple[str, str]]:
    """Return the bold numbers, with the header of their row."""
    return [
        (row.find("th").text, bold.text)
        for row in section.iterfind(".//tbody/tr")
        for bold in row.iterfind(".//b")
    ]


def shape_positions(page: Any, kind: str, attribute: str) -> list[str]:
    """Return an attribute of all shapes of a kind."""
    return [shape.get(attribute) for shape in page.iterfind(f".//*[@class='{kind}']")]
