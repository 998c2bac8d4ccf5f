"""Show the worst pages of a method, gold and extracted text side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from forest_crawler.evaluation.report.charts import format_share
from forest_crawler.evaluation.report.differences import Side, Stretch, compare_texts
from forest_crawler.evaluation.report.markup import element
from forest_crawler.evaluation.report.runs import name_run
from forest_crawler.evaluation.results import PageResult, RunResult
from forest_crawler.page.xpath import Element

WORST_PAGES: Final = 5
"""Pages per run: enough to see what fails repeatedly."""


def worst_section(runs: Sequence[RunResult], measure: str) -> Iterator[Element]:
    """Make a collapsible part per run."""
    for run in runs:
        pages = find_worst(run, measure)
        scores = element("small", _describe(pages, measure))
        summary = element("summary", name_run(run), " ", scores)
        yield element(
            "details", summary, *(_page_part(page, measure) for page in pages), class_="run"
        )


def find_worst(run: RunResult, measure: str, max_pages: int = WORST_PAGES) -> list[PageResult]:
    """Find the pages of lowest F1, worst first; ties are in the set's order.

    Pages with F1 1 are never among them.
    """
    faulty = [page for page in run.pages if page.scores[measure].f1 < 1]
    return sorted(faulty, key=lambda page: page.scores[measure].f1)[:max_pages]


def _describe(pages: Sequence[PageResult], measure: str) -> str:
    if not pages:
        return "all pages are perfect"
    shares = ", ".join(format_share(page.scores[measure].f1) for page in pages)
    return f"worst F1: {shares}"


def _page_part(page: PageResult, measure: str) -> Element:
    score = page.scores[measure]
    figures = (("F1", score.f1), ("P", score.precision), ("R", score.recall))
    facts = " · ".join(f"{name} {format_share(share)}" for name, share in figures)
    where = page.url or page.site
    part = element("article", element("h4", page.id, " ", element("small", facts)))
    part.append(element("p", where, class_="where"))
    if page.failure:
        detail = f": {page.detail}" if page.detail else ""
        part.append(element("p", f"{page.failure}{detail}", class_="failure"))
    part.append(_texts(page.gold, page.text))
    return part


def _texts(gold: str | None, text: str | None) -> Element:
    if gold is None or text is None:
        return element("p", "The result was saved without texts.", class_="note")
    wanted, found = compare_texts(gold, text)
    return element(
        "div",
        _side("Gold", wanted, "missing"),
        _side("Extracted", found, "superfluous"),
        class_="sides",
    )


def _side(title: str, side: Side, kind: str) -> Element:
    count = f"{side.different:,} of {side.words:,} words {kind}"
    body = element("div", *(_stretch(stretch, kind) for stretch in side.stretches), dir="auto")
    body.set("class", "text")
    if not side.stretches:
        body.append(element("i", "no text"))
    return element("div", element("h5", title, " ", element("small", count)), body, class_="side")


def _stretch(stretch: Stretch, kind: str) -> Element:
    if stretch.kind == "cut":
        noun = "word" if stretch.words == 1 else "words"
        return element("i", f" [… {stretch.words:,} {noun} cut …] ")
    if stretch.kind == "same":
        return element("span", stretch.text)
    return element("mark", stretch.text, class_=kind)
