"""What commands say about a store in which nothing is archived yet."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.store import Store, open_store

FEED = "https://gazette.example/feed"


@pytest.fixture
def store(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path / 'forest.db'}"
    with open_store(url) as opened:
        opened.add_source(FEED)
    return url


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["export", "-o", "all.csv"], "the store has no articles yet; `forest crawl` archives"),
        (["export", "--site", "a.example", "-o", "all.csv"], "no article fits; without options"),
        (["feed", FEED], f"{FEED}: no articles in /"),
        (["wrappers", "export", "-o", "all.json"], "no wrappers in the store yet"),
        (["wrappers", "export", "--check"], "no wrappers in the store yet"),
    ],
    ids=["export", "export a site", "feed", "wrappers export", "wrappers export --check"],
)
def test_nothing_to_write_has_its_exit_code_and_a_reason(
    store: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, [*command, "--store", store])
    assert result.exit_code == 3, result.output
    assert message in result.stderr
    assert "did you mean" not in result.stderr
    assert not (tmp_path / "all.json").exists()


@pytest.mark.parametrize("command", [["feed", FEED], ["feed", "no.example"], ["store", "migrate"]])
def test_a_store_is_shown_by_its_name_which_has_no_password(
    store: str, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setattr(Store, "name", "postgresql://ann:***@db.example/forest")
    result = CliRunner().invoke(main, [*command, "--store", store])
    assert "postgresql://ann:***@db.example/forest" in result.output
    assert store not in result.output
