"""`forest demo` crawls every bundled site, scores its articles, and writes files."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.titles import join_title
from forest_crawler.wrapper.wrapper import load_wrappers

SITES = bundled_sites()


def run_demo(output: Path, columns: int = 80) -> Result:
    return CliRunner().invoke(main, ["demo", "-o", str(output)], env={"COLUMNS": str(columns)})


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("demo")


@pytest.fixture(scope="module")
def demo(directory: Path) -> Result:
    return run_demo(directory)


def site_rows(table: str) -> dict[str, list[str]]:
    """Return the first line of each site's row: pages, F1, fallback and XPath."""
    rows = (re.split(r"\s{2,}", line.strip()) for line in table.splitlines())
    return {row[0]: row[1:] for row in rows if len(row) > 3}


def archived(directory: Path) -> dict[tuple[str, str], dict[str, Any]]:
    """Read the articles of a demo by site and path."""
    lines = (directory / "articles.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return {(row["site"].removesuffix(".localhost"), path_of(row["url"])): row for row in rows}


def path_of(url: str | None) -> str:
    parts = urlsplit(url or "")
    return f"{parts.path}?{parts.query}"


def test_demo_shows_every_bundled_site(demo: Result) -> None:
    assert demo.exit_code == 0
    rows = site_rows(demo.stdout)
    for site in SITES:
        assert int(rows[site.name][0]) == len(list(read_pages(site)))


def test_the_ranker_speaks_for_every_wrapper(demo: Result, directory: Path) -> None:
    wrappers = load_wrappers((directory / "wrappers.json").read_text())
    assert {wrapper.site.removesuffix(".localhost") for wrapper in wrappers} == {
        site.name for site in SITES
    }
    for wrapper in wrappers:
        assert wrapper.relevance > 0
        assert min(wrapper.density, wrapper.unexpectedness, wrapper.level) > 0
        assert 0 < wrapper.frequency <= wrapper.pages
        assert wrapper.signifiers
        assert wrapper.frequencies


def test_every_article_has_keywords(demo: Result, directory: Path) -> None:
    for article in archived(directory).values():
        weights = list(article["keywords"].values())
        assert weights
        assert weights == sorted(weights, reverse=True)


def test_archived_articles_have_the_scores_of_the_table(demo: Result, directory: Path) -> None:
    articles = archived(directory)
    for site in SITES:
        scores = []
        for page in read_pages(site):
            article, gold = articles[site.name, path_of(page.url)], page.gold or ""
            scores.append(bigram_score(gold, join_title(article["text"], gold, [article["title"]])))
        f1 = fmean(score.f1 for score in scores)
        assert float(site_rows(demo.stdout)[site.name][1]) == pytest.approx(f1, abs=0.0006)


def test_the_fallback_column_counts_the_pages_that_no_wrapper_fits(
    demo: Result, directory: Path
) -> None:
    by_others = Counter(
        site for (site, _), row in archived(directory).items() if row["extractor"] != "wrapper"
    )
    for site in SITES:
        row = site_rows(demo.stdout)[site.name]
        assert sum(map(int, re.findall(r"(?<=: )\d+", row[2]))) == by_others[site.name]


def test_saved_wrappers_are_those_of_the_table(demo: Result, directory: Path) -> None:
    folded = "".join(demo.stdout.split())
    wrappers = load_wrappers((directory / "wrappers.json").read_text())
    assert {w.site for w in wrappers} == {f"{site.name}.localhost" for site in SITES}
    for wrapper in wrappers:
        assert "".join(wrapper.body[0].split()) in folded


def test_the_demo_reports_where_its_files_are(demo: Result, directory: Path) -> None:
    assert str(directory / "wrappers.json") in demo.stderr
    assert str(directory / "articles.jsonl") in demo.stderr


def test_the_table_fits_80_columns_with_f1_right_aligned(demo: Result) -> None:
    lines = [line.rstrip() for line in demo.stdout.splitlines()]
    assert max(map(len, lines)) <= 80
    column = lines[1].index(" F1") + len(" F1")
    for site in SITES:
        (row,) = (line for line in lines if line.startswith(site.name))
        assert re.search(r" [01]\.\d{3}$", row[:column])


def test_a_second_demo_starts_afresh_and_an_ascii_terminal_can_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forest_crawler.cli.demo.bundled_sites", lambda: SITES[:1])
    (tmp_path / "demo.db").write_bytes(b"left by an interrupted demo")
    result = CliRunner(charset="ascii").invoke(main, ["demo", "-o", str(tmp_path)])
    assert result.exit_code == 0
    assert SITES[0].name in result.stdout
