"""Assemble the report: its sections in order, in one file that loads nothing.

A content security policy in the file allows its own style sheet and nothing else, so that even a
mistake here could not make a page's text run or fetch anything.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final

from lxml import etree

from forest_crawler.evaluation.report.charts import box_chart, legend, swatch, time_chart
from forest_crawler.evaluation.report.influence import influence_charts
from forest_crawler.evaluation.report.markup import element, slug
from forest_crawler.evaluation.report.runs import group_by_method, group_by_set, pick_main_runs
from forest_crawler.evaluation.report.tables import glance_table, set_table
from forest_crawler.evaluation.report.worst import WORST_PAGES, worst_section
from forest_crawler.evaluation.results import BYTES_PER_KB, PROTOCOLS, EvaluationResult, RunResult
from forest_crawler.evaluation.tables import ENTRY_NOTE, FIGURES_NOTES, MEASURE_TITLES
from forest_crawler.page.xpath import Element
from forest_crawler.text.counts import count

FILE_NAME: Final = "index.html"

BOX_NOTE: Final = (
    "Whiskers: 9th and 91st percentile of the pages' F1; box: quartiles; line: median; dot and "
    "number: mean."
)
TIME_NOTE: Final = (
    "Milliseconds per kilobyte of source, over all sets: parsing, extraction, and a page's share "
    "of its site's induction. The axis is logarithmic."
)
WORST_NOTE: Final = (
    f"The {WORST_PAGES} pages of lowest F1 of every method. Words that the other text lacks are "
    "marked; long stretches are cut in the middle."
)

_PROTOCOL_NAMES = {"page": "each page alone", "in-sample": "in-sample", "unseen": "unseen"}


def write_report(result: EvaluationResult, directory: str | Path) -> Path:
    """Write `index.html` into a directory, which is created if it is missing.

    The worst pages show texts only if the result has them.
    """
    path = Path(directory, FILE_NAME)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(format_report(result), encoding="utf-8")
    return path


def format_report(result: EvaluationResult) -> str:
    """Write the report as HTML."""
    style = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    html = element("html", _head(style), _body(result), lang="en")
    return etree.tostring(html, method="html", encoding="unicode", doctype="<!DOCTYPE html>") + "\n"


def _head(style: str) -> Element:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = element("meta", content=f"default-src 'none'; style-src 'sha256-{digest}'")
    policy.set("http-equiv", "Content-Security-Policy")
    return element(
        "head",
        element("meta", charset="utf-8"),
        policy,
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", "Evaluation of extraction methods"),
        element("style", style),
    )


def _body(result: EvaluationResult) -> Element:
    sets, measure = group_by_set(result), result.measures[0]
    sections = [*_sections(result, sets, measure)]
    links = (
        element("li", element("a", section.findtext("h2"), href=f"#{section.get('id')}"))
        for section in sections
    )
    return element(
        "body",
        element("header", element("h1", "How good is each method?"), _about(result, sets)),
        element("nav", element("ul", *links)),
        element("main", *sections),
    )


def _about(result: EvaluationResult, sets: Mapping[str, Sequence[RunResult]]) -> Element:
    pages = sum(len(runs[0].pages) for runs in sets.values())
    measures = ", ".join(MEASURE_TITLES.get(name, name) for name in result.measures)
    return element(
        "p",
        f"{len({run.method for run in result.runs})} methods on {pages:,} pages of "
        f"{', '.join(sets)}, measured by {measures}. forest-crawler {result.version}.",
    )


def _sections(
    result: EvaluationResult, sets: Mapping[str, Sequence[RunResult]], measure: str
) -> Iterator[Element]:
    if len(sets) > 1:
        glance = glance_table(sets, measure)
        yield element("section", element("h2", "At a glance"), glance, id="glance")
    for name, runs in sets.items():
        yield _set_section(name, runs, result.measures)
    yield _time_section(sets, measure)
    yield _worst_pages(sets, measure)


def _set_section(name: str, runs: Sequence[RunResult], measures: Sequence[str]) -> Element:
    pages, sites = len(runs[0].pages), runs[0].sites
    section = element("section", element("h2", name), id=slug("set", name))
    size = f"{count(pages, 'page', ',')} of {count(sites, 'site', ',')}."
    section.append(element("p", size))
    section.append(set_table(runs, measures))
    section.append(element("p", " ".join(FIGURES_NOTES), class_="note"))
    if any(run.entry_from_metadata for run in runs):
        section.append(element("p", ENTRY_NOTE + ".", class_="note"))
    section.append(element("h3", "Distribution of F1"))
    section.append(_protocol_legend(runs))
    section.append(box_chart(pick_main_runs(runs, measures[0]), measures[0]))
    section.append(element("p", BOX_NOTE, class_="note"))
    for setting, chart in influence_charts(runs, measures[0]):
        section.append(element("h3", f"Influence of {setting}"))
        section.append(chart)
    return section


def _protocol_legend(runs: Sequence[RunResult]) -> Element:
    seen = {run.protocol for run in runs}
    return legend(
        (_PROTOCOL_NAMES[protocol], swatch(_small_box(), kind=protocol))
        for protocol in PROTOCOLS
        if protocol in seen
    )


def _small_box() -> Element:
    return element("rect", x=2, y=3, width=20, height=10, class_="box")


def _time_section(sets: Mapping[str, Sequence[RunResult]], measure: str) -> Element:
    main = [run for runs in sets.values() for run in pick_main_runs(runs, measure)]
    times = [(group[0], _milliseconds(group)) for group in group_by_method(main).values()]
    times.sort(key=lambda pair: pair[1])
    return element(
        "section",
        element("h2", "Time"),
        time_chart(times),
        element("p", TIME_NOTE, class_="note"),
        id="time",
    )


def _milliseconds(runs: Sequence[RunResult]) -> float:
    """Compute milliseconds per kilobyte, over the pages of several runs."""
    size = sum(page.size for run in runs for page in run.pages) / BYTES_PER_KB
    seconds = sum(page.seconds for run in runs for page in run.pages)
    return 1000 * seconds / size if size else 0.0


def _worst_pages(sets: Mapping[str, Sequence[RunResult]], measure: str) -> Element:
    section = element("section", element("h2", "Worst pages"), id="worst")
    section.append(element("p", WORST_NOTE, class_="note"))
    for name, runs in sets.items():
        section.append(element("h3", name))
        section.extend(worst_section(pick_main_runs(runs, measure), measure))
    return section
