"""`forest crawl --method` and `--fallback`: names are checked, and reach the crawl."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--method", "nonsense", "unknown site method 'nonsense'; known: "),
        ("--method", "sst", "site method 'sst' induces no wrapper; measure it with "),
        ("--fallback", "nonsense", "unknown method 'nonsense'; known: "),
        ("--fallback", "sigfeed", "sigfeed: needs a feed entry, so it cannot be a fallback"),
    ],
)
def test_a_wrong_name_is_refused_before_anything_starts(
    option: str, value: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["crawl", "http://gazette.example/feed", option, value])
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_names_reach_the_settings_of_the_crawl(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def run_crawl(spider: str, arguments: Any, options: Any) -> int:
        seen.append(options.settings)
        return 0

    monkeypatch.setattr("forest_crawler.cli._crawl_run.run_crawl", run_crawl)
    words = ["crawl", "http://gazette.example/feed", "--method", "coverage", "--fallback", "bte"]
    assert CliRunner().invoke(main, [*words, "--with-title", "--no-captions"]).exit_code == 0
    assert (seen[0]["FOREST_METHOD"], seen[0]["FOREST_FALLBACK"]) == ("coverage", "bte")
    assert (seen[0]["FOREST_WITH_TITLE"], seen[0]["FOREST_CAPTIONS"]) == (True, False)
