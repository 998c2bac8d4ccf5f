"""`forest demo` crawls every bundled site, scores its articles, and writes files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner, Result
from lxml import etree, html

from forest_crawler.cli import main
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.titles import join_title
from forest_crawler.wrapper.locators import read_xpath, write_css
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
    """Return the first line of each site's row: pages, F1 and CSS."""
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


def test_saved_wrappers_are_those_of_the_table(demo: Result, directory: Path) -> None:
    folded = "".join(demo.stdout.split())
    wrappers = load_wrappers((directory / "wrappers.json").read_text())
    assert {w.site for w in wrappers} == {f"{site.name}.localhost" for site in SITES}
    for wrapper in wrappers:
        css = write_css(read_xpath(wrapper.body[0]))
        assert "".join(css.split()) in folded


def test_the_demo_reports_where_its_files_are(demo: Result, directory: Path) -> None:
    assert str(directory / "wrappers.json") in demo.stderr
    assert str(directory / "articles.jsonl") in demo.stderr
    assert str(directory / "index.html") in demo.stderr


@pytest.fixture(scope="module")
def shown(demo: Result, directory: Path) -> dict[str, etree._Element]:
    """The sections of the demo's page by site."""
    page = html.document_fromstring((directory / "index.html").read_text())
    return {section.get("id", ""): section for section in page.iter("section")}


def frames(section: etree._Element) -> list[etree._Element]:
    """The documents in a section's frames: page, article, and what a peer made of it."""
    found = list(section.iter("iframe"))
    assert {frame.get("sandbox") for frame in found} == {""}
    return [html.document_fromstring(frame.get("srcdoc", "")) for frame in found]


def text_of(element: etree._Element) -> str:
    return "".join(map(str, element.itertext()))


def test_the_page_shows_a_page_of_every_site_with_its_marks(
    shown: dict[str, etree._Element],
) -> None:
    assert list(shown) == [site.name for site in SITES]
    for section in shown.values():
        page, article, *_ = frames(section)
        marks = {name for e in page.iter("*") for name in e.get("class", "").split()}
        assert {"forest-body", "forest-signifier"} <= marks
        assert "forest-signifier" in {e.get("class") for e in article.iter("mark")}
    harbour = {e.get("class") for e in frames(shown["harbour-gazette"])[0].iter("*")}
    assert {"forest-strip", "forest-title", "forest-author", "forest-date"} <= harbour


def test_the_page_shows_the_article_that_was_archived(
    shown: dict[str, etree._Element], directory: Path
) -> None:
    titles = {article["title"] for article in archived(directory).values()}
    for section in shown.values():
        (title,) = frames(section)[1].iter("h1")
        assert text_of(title) in titles


def test_the_page_ranks_the_candidates_of_the_body(
    shown: dict[str, etree._Element], directory: Path
) -> None:
    wrappers = load_wrappers((directory / "wrappers.json").read_text())
    # Ten pages: all of them are the sample of the crawl.
    (wrapper,) = (w for w in wrappers if w.site == "stadtlicht.localhost")
    (taken,) = (row for row in shown["stadtlicht"].iter("tr") if row.get("class") == "taken")
    star, pattern, pages, *_, j, u, relevance = map(text_of, taken)
    assert (star, pattern, pages) == ("★", "div.sl-story", "10")
    figures = [wrapper.density, wrapper.unexpectedness, wrapper.relevance]
    assert [float(j), float(u), float(relevance)] == pytest.approx(figures, rel=0.002)


def test_the_page_loads_nothing(demo: Result, directory: Path) -> None:
    text = (directory / "index.html").read_text()
    assert "default-src 'none'" in text
    page = html.document_fromstring(text)
    framed = [html.document_fromstring(it.get("srcdoc", "")) for it in page.iter("iframe")]
    elements = [element for root in (page, *framed) for element in root.iter("*")]
    assert not {"script", "link", "base", "form", "object", "embed"} & {e.tag for e in elements}
    sources = [e.get("src", "data:") for e in elements]
    assert [source for source in sources if not source.startswith("data:")] == []
    links = [e.get("href", "#") for e in elements]
    assert [link for link in links if not link.startswith("#")] == []


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
