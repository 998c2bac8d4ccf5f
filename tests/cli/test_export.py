"""`forest export` writes the articles of a store; `forest crawl -o` does it when a run ends."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import fsspec
import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.store import Candidate, NewArticle, Store, open_store

ARTICLES: list[dict[str, Any]] = [
    {"id": "1", "site": "a.example", "title": "Rain", "language": "en-GB", "authors": ["Ann"],
     "date_publish": "2026-03-06T10:00:00+01:00", "text": "It rained."},
    {"id": "2", "site": "b.example", "title": "Schnee", "language": "de", "authors": [],
     "date_publish": "2026-03-07T00:30:00+01:00", "text": "Es schneite."},
    {"id": "3", "site": "a.example", "title": "Hail", "language": "en", "authors": [],
     "date_publish": None, "date_download": "2026-03-08T00:00:00+00:00", "text": "It hailed."},
]  # fmt: skip


def fill(store: Store, rows: list[dict[str, Any]]) -> None:
    for row in rows:
        key = f"{row['site']}/{row['id']}"
        store.schedule([Candidate(key, f"https://{key}", row["site"])])
        line = json.dumps(row)
        new = NewArticle(
            row["id"], key, row["site"], f"https://{key}", "page:page", None, "h", line
        )
        assert store.archive([new]) == 1


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    with open_store(url) as opened:
        fill(opened, ARTICLES)
    return url


def export(store: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["export", "--store", store, *arguments])


def titles(result: Result) -> list[str]:
    return [json.loads(line)["title"] for line in result.stdout.splitlines()]


def test_all_articles_go_to_stdout_as_lines(store: str) -> None:
    result = export(store)
    assert (result.exit_code, titles(result)) == (0, ["Rain", "Schnee", "Hail"])


def test_a_folder_of_parts_has_what_the_last_export_wrote(store: str, tmp_path: Path) -> None:
    path = f"{tmp_path}/articles.jsonl/"
    assert export(store, "-o", path).exit_code == 0
    assert export(store, "-o", path, "--lang", "de", "--fields", "title").exit_code == 0
    assert (Path(path) / "export-0000.jsonl").read_bytes() == b'{"title": "Schnee"}\n'


def test_a_folder_of_parts_in_the_memory_of_fsspec(store: str) -> None:
    files = fsspec.filesystem("memory")
    assert export(store, "-o", "memory://exported/articles.jsonl").exit_code == 0
    lines = files.cat_file("/exported/articles.jsonl/export-0000.jsonl").splitlines()
    assert [json.loads(line)["title"] for line in lines] == ["Rain", "Schnee", "Hail"]


def test_an_address_that_cannot_be_opened_is_wrong_usage(store: str) -> None:
    result = export(store, "-o", "nosuch://bucket/articles")
    assert result.exit_code == 2
    assert "nosuch" in result.stderr


@pytest.mark.parametrize(
    ("options", "found"),
    [
        (["--site", "a.example"], ["Rain", "Hail"]),
        (["--lang", "en"], ["Rain", "Hail"]),
        (["--lang", "de", "--lang", "EN-gb"], ["Rain", "Schnee"]),
        (["--since", "2026-03-07"], ["Schnee", "Hail"]),
        (["--until", "2026-03-07"], ["Rain", "Schnee"]),
        (["--since", "2026-03-07", "--until", "2026-03-07"], ["Schnee"]),
        (["--site", "a.example", "--since", "2026-03-07"], ["Hail"]),
    ],
)
def test_articles_are_chosen_by_site_language_and_day(
    store: str, options: list[str], found: list[str]
) -> None:
    assert titles(export(store, *options)) == found


def test_nothing_chosen_is_said(store: str) -> None:
    result = export(store, "--lang", "fr")
    assert (result.exit_code, result.stdout) == (3, "")
    assert "no article fits" in result.stderr


def test_fields_of_another_schema_become_columns(store: str, tmp_path: Path) -> None:
    file = tmp_path / "out" / "a.csv"
    options = ["--schema", "trafilatura", "--fields", "title,author,date"]
    result = export(store, "-o", str(file), *options)
    assert "3 articles in" in result.stderr
    with file.open(newline="") as stream:
        assert list(csv.reader(stream)) == [
            ["title", "author", "date"],
            ["Rain", "Ann", "2026-03-06"],
            ["Schnee", "", "2026-03-07"],
            ["Hail", "", ""],
        ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fields", "nonsense"], "unknown field 'nonsense'"),
        (["-o", "notes/", "--fields", "title"], "Markdown files have their own fields"),
        (["-o", "a.parquet.gz"], "compressed already"),
        (["--since", "yesterday"], "'yesterday' isn't a day, as 2026-03-06"),
    ],
)
def test_wrong_options_are_refused(store: str, options: list[str], message: str) -> None:
    result = export(store, *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_file_that_cannot_be_written_is_reported(store: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = export(store, "-o", str(tmp_path / "file" / "a.csv"))
    assert result.exit_code == 4
    assert "cannot be written" in result.stderr


# In a crawl


@pytest.fixture
def crawled(store: str, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Replace the crawl by one that finds another article."""
    seen: list[Any] = []

    def run_crawl(spider: str, arguments: Any, options: Any) -> int:
        seen.append(options)
        with open_store(options.store) as opened:
            fill(opened, [ARTICLES[0] | {"id": "4", "title": "Fog"}])
        return 0

    monkeypatch.setattr("forest_crawler.cli._crawl_run.run_crawl", run_crawl)
    return seen


def crawl(store: str, *arguments: str) -> Result:
    words = ["crawl", "http://a.example/feed", "--store", store, *arguments]
    return CliRunner().invoke(main, words)


def test_stdout_gets_the_articles_of_the_run(store: str, crawled: list[Any]) -> None:
    result = crawl(store, "-o", "-", "--fields", "title")
    assert result.stdout == '{"title": "Fog"}\n'
    assert not crawled[0].appends


def test_other_forms_get_all_articles_when_the_run_ends(
    store: str, crawled: list[Any], tmp_path: Path
) -> None:
    assert crawl(store, "-o", str(tmp_path / "a.csv")).exit_code == 0
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 5
    assert not crawled[0].appends


def test_plain_lines_are_appended_as_articles_come(
    store: str, crawled: list[Any], tmp_path: Path
) -> None:
    assert crawl(store, "-o", str(tmp_path / "a.jsonl")).exit_code == 0
    assert crawled[0].appends
    assert not (tmp_path / "a.jsonl").exists()
