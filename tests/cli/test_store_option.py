"""Commands that only read a store refuse one that does not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.store import open_store

READING = {
    "check": ["check"],
    "duplicates": ["duplicates"],
    "feed": ["feed", "gazette.example"],
    "sources": ["sources"],
    "status": ["status"],
    "wrappers-export": ["wrappers", "export"],
    "wrappers-list": ["wrappers", "list"],
    "wrappers-rm": ["wrappers", "rm", "gazette.example"],
    "wrappers-show": ["wrappers", "show", "gazette.example"],
}


@pytest.mark.parametrize("arguments", READING.values(), ids=READING)
@pytest.mark.parametrize("url", [None, "sqlite:///other.db?timeout=5"], ids=["default", "named"])
def test_a_missing_store_is_named_and_not_created(
    arguments: list[str], url: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, [*arguments, *(["--store", url] if url else [])])
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert ("other.db" if url else "forest.db") in line
    assert "forest crawl" in line
    assert "--store" in line
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["check", "duplicates", "wrappers-list"])
def test_a_store_with_options_in_its_url_is_found(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    open_store("sqlite:///forest.db").close()
    result = CliRunner().invoke(main, [*READING[name], "--store", "sqlite:///forest.db?timeout=5"])
    assert result.exit_code == 0, result.output


def test_check_of_a_store_without_wrappers_says_so(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/forest.db"
    open_store(url).close()
    result = CliRunner().invoke(main, ["check", "--store", url])
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr == "forest: no wrappers yet; `forest crawl` induces them\n"
