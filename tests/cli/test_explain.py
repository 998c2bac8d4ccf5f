"""`induce --explain` prints the library's numbers, which can be checked by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.cli._table import fold_xpath
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.induction import Induction, SamplePage, explain_induction
from forest_crawler.induction.informativeness import signifier_density, unexpectedness
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.locators import read_xpath, write_css
from forest_crawler.wrapper.wrapper import load_wrappers

SITE = next(path for path in bundled_sites() if path.name == "talbote")
METHOD = "forest-paper"  # its numbers are those of the paper


def explain(columns: int) -> tuple[str, str]:
    """Return stdout and stderr."""
    arguments = ["induce", str(SITE), "--explain", "--method", METHOD]
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": str(columns)})
    assert result.exit_code == 0
    return result.stdout, result.stderr


@pytest.fixture(scope="module")
def explanation() -> str:
    return explain(200)[1]


@pytest.fixture(scope="module")
def induction() -> Induction:
    pages = [SamplePage(parse_page(p.source, url=p.url), p.entry) for p in read_pages(SITE)]
    return explain_induction(pages, site=SITE.name, method=METHOD)


def table_rows(explanation: str, title: str) -> list[list[str]]:
    """Return the rows of a table, cells split at two blanks or more."""
    lines = explanation[explanation.index(title) :].splitlines()[3:]
    rows = []
    for line in lines:
        if not line.strip() or line.startswith("x, y"):
            break
        rows.append(re.split(r"\s{2,}", line.strip()))
    return rows


def test_the_signifiers_of_every_page_are_shown_with_its_counts(
    explanation: str, induction: Induction
) -> None:
    rows = table_rows(explanation, "Signifiers")
    assert [row[0] for row in rows] == [page.id for page in read_pages(SITE)]
    for row, page in zip(rows, induction.pages, strict=True):
        assert [int(row[1]), int(row[2])] == [page.x, page.y]
        assert row[3].split(", ") == list(page.signifiers.weights)


def test_the_ranked_patterns_have_the_numbers_of_the_library(
    explanation: str, induction: Induction
) -> None:
    rows = table_rows(explanation, "Structural patterns")
    assert len(rows) == 10
    for row, ranked in zip(rows, induction.ranked, strict=False):
        pages = [induction.pages[rated.occurrence.page] for rated in ranked.occurrences]
        occurrences = [rated.occurrence for rated in ranked.occurrences]
        js = [signifier_density(occurrence.x, occurrence.y) for occurrence in occurrences]
        us = [
            unexpectedness(occurrence.x, occurrence.y, page.x, page.y)
            for occurrence, page in zip(occurrences, pages, strict=True)
        ]
        level, p, x, y, j, u, i, relevance = map(float, row[1:])
        assert (level, p) == (ranked.pattern.level, len(occurrences))
        assert (x, y) == (
            sum(occurrence.x for occurrence in occurrences),
            sum(occurrence.y for occurrence in occurrences),
        )
        assert j == pytest.approx(sum(js) / len(js), abs=0.0006)
        assert u == pytest.approx(sum(us) / len(us), abs=0.06)
        assert i == pytest.approx(sum(map(float.__mul__, js, us)), abs=0.006)
        assert relevance == pytest.approx(ranked.relevance, abs=0.06)


def test_relevance_follows_from_the_printed_numbers(explanation: str) -> None:
    for row in table_rows(explanation, "Structural patterns"):
        level, p, i, relevance = (float(row[k]) for k in (1, 2, 7, 8))
        # I is printed to 0.005
        assert relevance == pytest.approx(i * p * level, abs=0.005 * p * level + 0.06)


def test_best_pattern_is_shown_page_by_page(explanation: str, induction: Induction) -> None:
    rows = table_rows(explanation, "The best pattern")
    best = induction.ranked[0]
    assert [int(row[1]) for row in rows] == [rated.occurrence.dfs for rated in best.occurrences]
    total = sum(float(row[6]) for row in rows)
    assert total * best.pages * best.pattern.level == pytest.approx(best.relevance, rel=0.01)


def test_the_default_method_does_not_run_the_papers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **named: Any) -> Any:
        raise AssertionError("the paper's ranking was computed")

    monkeypatch.setattr("forest_crawler.induction.paper.method.rank_patterns", fail)
    result = CliRunner().invoke(main, ["induce", str(SITE), "--explain"])
    assert (result.exit_code, type(result.exception)) == (0, type(None))


@pytest.mark.parametrize("path", bundled_sites(), ids=lambda path: path.name)
def test_the_wrappers_body_is_the_marked_row_of_the_candidates(path: Path) -> None:
    result = CliRunner().invoke(main, ["induce", str(path), "--explain"], env={"COLUMNS": "2000"})
    wrappers = load_wrappers(result.stdout)
    tables = result.stderr.split("Candidates for the body")[1:]
    assert len(tables) == len(wrappers) > 0
    for table, wrapper in zip(tables, wrappers, strict=True):
        marked = [line for line in table.splitlines() if line.startswith("*")]
        (row,) = [re.split(r"\s{2,}", line.strip()) for line in marked]
        assert row[1] == write_css(read_xpath(wrapper.body[0]))
        level, p, i, relevance = (float(row[k]) for k in (2, 3, 8, 9))
        assert relevance == pytest.approx(wrapper.relevance, abs=0.06)
        # I is printed to 0.005, the level to four digits
        assert relevance == pytest.approx(i * p * level, rel=0.01)
        assert wrapper.relevance > 0


def test_every_strip_rule_is_explained() -> None:
    site = next(path for path in bundled_sites() if path.name == "valley-minutes")
    result = CliRunner().invoke(main, ["induce", str(site), "--explain"], env={"COLUMNS": "2000"})
    (wrapper,) = load_wrappers(result.stdout)
    # the caption below the table has fewer cells
    rows = [row for row in table_rows(result.stderr, "Strip rules") if len(row) == 5]
    assert [row[0] for row in rows] == [write_css(read_xpath(it)) for it in wrapper.strip]
    assert all(float(row[4]) > 0 for row in rows)


def test_the_explained_xpath_is_the_written_one() -> None:
    written, explanation = explain(80)
    (wrapper,) = load_wrappers(written)
    assert explanation.rstrip().endswith(wrapper.body[0])


def test_the_explanation_fits_80_columns() -> None:
    _, explanation = explain(80)
    *tables, _ = explanation.rstrip().splitlines()
    assert max(map(len, tables)) <= 80


@pytest.mark.parametrize(
    ("xpath", "width", "lines"),
    [
        pytest.param("//p[@dfs='1']", 20, ["//p[@dfs='1']"], id="fits"),
        pytest.param(
            "//div[@id='a' and @class='b']", 15, ["//div[@id='a'", "and @class='b']"], id="operator"
        ),
        pytest.param("//main/article/div", 14, ["//main/article", "/div"], id="step"),
        pytest.param("//section[@id='ab']", 12, ["//section", "[@id='ab']"], id="predicate"),
        pytest.param(
            "//p[contains(@class,'ab')]", 20, ["//p[contains(@class,", "'ab')]"], id="argument"
        ),
        pytest.param("//p[@id='abcdefgh']", 10, ["//p", "[@id='abcd", "efgh']"], id="cut"),
    ],
)
def test_an_xpath_is_folded_between_steps_and_tests(
    xpath: str, width: int, lines: list[str]
) -> None:
    assert fold_xpath(xpath, width) == lines
