"""`forest demo` shows every bundled site, scored, at any width, and leaves files behind."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean

import pytest
from click.testing import CliRunner, Result

from forest_crawler.bundle import bundled_sites
from forest_crawler.cli import main
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.pages import read_pages
from forest_crawler.wrapper import load_wrappers

SITES = bundled_sites()


def run_demo(output: Path, columns: int = 80) -> Result:
    return CliRunner().invoke(main, ["demo", "-o", str(output)], env={"COLUMNS": str(columns)})


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(directory: Path) -> Result:
    return run_demo(directory)


@pytest.fixture
def few_sites(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forest_crawler.cli.demo.bundled_sites", lambda: SITES[:2])


def site_rows(table: str) -> dict[str, list[str]]:
    """The first line of each site's row: pages, F1, fallback, and what follows."""
    rows = (re.split(r"\s{2,}", line.strip()) for line in table.splitlines())
    return {row[0]: row[1:] for row in rows if len(row) > 3}


def test_demo_shows_every_bundled_site(demo: Result) -> None:
    assert demo.exit_code == 0
    rows = site_rows(demo.stdout)
    for site in SITES:
        assert int(rows[site.name][0]) == len(list(read_pages(site)))


def test_saved_articles_have_the_scores_of_the_table(demo: Result, directory: Path) -> None:
    lines = (directory / "articles.jsonl").read_text().splitlines()
    texts = {(row["site"], row["id"]): row["text"] for row in map(json.loads, lines)}
    for site in SITES:
        pages = list(read_pages(site))
        f1 = fmean(bigram_score(p.gold or "", texts[p.site, p.id]).f1 for p in pages)
        assert float(site_rows(demo.stdout)[site.name][1]) == pytest.approx(f1, abs=0.0006)


def test_fallback_counts_the_pages_without_wrapper(demo: Result, directory: Path) -> None:
    lines = (directory / "articles.jsonl").read_text().splitlines()
    by_others: dict[str, int] = {}
    for row in map(json.loads, lines):
        by_others[row["site"]] = by_others.get(row["site"], 0) + (row["extractor"] != "wrapper")
    for site, row in site_rows(demo.stdout).items():
        if site in by_others:
            shown = sum(map(int, re.findall(r"(?<=: )\d+", row[2])))
            assert shown == by_others[site]


def test_saved_wrappers_are_those_of_the_table(demo: Result, directory: Path) -> None:
    folded = "".join(demo.stdout.split())
    wrappers = load_wrappers((directory / "wrappers.json").read_text())
    assert {wrapper.site for wrapper in wrappers} == {site.name for site in SITES}
    for wrapper in wrappers:
        assert "".join(wrapper.body[0].split()) in folded


def test_demo_says_where_the_files_are(demo: Result, directory: Path) -> None:
    assert str(directory / "wrappers.json") in demo.stderr
    assert str(directory / "articles.jsonl") in demo.stderr


@pytest.mark.usefixtures("few_sites")
@pytest.mark.parametrize("columns", [80, 160])
def test_table_fits_the_terminal_with_f1_right_aligned(tmp_path: Path, columns: int) -> None:
    lines = [line.rstrip() for line in run_demo(tmp_path, columns).stdout.splitlines()]
    assert max(map(len, lines)) <= columns
    column = lines[1].index(" F1") + len(" F1")
    for site in SITES[:2]:
        (row,) = (line for line in lines if line.startswith(site.name))
        assert re.search(r" [01]\.\d{3}$", row[:column])


@pytest.mark.usefixtures("few_sites")
def test_table_comes_out_where_the_terminal_knows_ascii_only(tmp_path: Path) -> None:
    result = CliRunner(charset="ascii").invoke(main, ["demo", "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert SITES[0].name in result.stdout
