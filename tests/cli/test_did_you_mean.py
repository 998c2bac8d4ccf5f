"""A misspelled command, setting or site is answered with the name that was meant."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.cli._settings import read_settings
from forest_crawler.errors import InputError
from forest_crawler.store import open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import archive_held, fetch, schedule


def test_misspelled_command_is_answered_with_the_right_one() -> None:
    result = CliRunner().invoke(main, ["crwal"])
    assert result.exit_code == 2
    assert result.stderr == (
        "forest: No such command 'crwal' (did you mean crawl?); see `forest --help`\n"
    )


def test_unlike_command_is_answered_without_a_guess() -> None:
    result = CliRunner().invoke(main, ["zzz"])
    assert result.stderr == "forest: No such command 'zzz'; see `forest --help`\n"


def test_misspelled_setting_is_answered_with_the_right_one() -> None:
    with pytest.raises(InputError, match=r"did you mean FOREST_WORKERS\?"):
        read_settings(["FOREST_WORKRES=2"])


def test_misspelled_site_is_answered_with_the_right_one(tmp_path: Path) -> None:
    url, site = f"sqlite:///{tmp_path}/store.db", "gazette.example"
    with open_store(url) as store:
        store.replace_wrappers(site, [Wrapper(site, "forest", "portable", ("//p",))], "test")
    result = CliRunner().invoke(main, ["wrappers", "show", "gazete.example", "--store", url])
    assert result.exit_code == 2
    assert "(did you mean gazette.example?)" in result.stderr


@pytest.mark.parametrize(("command", "code"), [("check", 2), ("feed", 3)])
def test_misspelled_site_of_a_command_is_answered_with_the_right_one(
    tmp_path: Path, command: str, code: int
) -> None:
    url, site = f"sqlite:///{tmp_path}/store.db", "gazette.example"
    with open_store(url) as store:
        store.replace_wrappers(site, [Wrapper(site, "forest", "portable", ("//p",))], "test")
        schedule(store, ["1"], site)
        fetch(store)
        archive_held(store)
    result = CliRunner().invoke(main, [command, "gazete.example", "--store", url])
    assert result.exit_code == code
    assert "(did you mean gazette.example?)" in result.stderr


def test_crawled_site_without_articles_is_no_misspelled_one(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with open_store(url) as store:
        schedule(store, ["1"], "gazette.example")
        fetch(store)
        archive_held(store)
        source = store.add_source("https://gazettes.example/feed")
        store.update_source(source.id, status="ok", site="gazettes.example")
    result = CliRunner().invoke(main, ["feed", "gazettes.example", "--store", url])
    assert result.exit_code == 3
    assert result.stderr.startswith("forest: gazettes.example: no articles in ")
    assert "did you mean" not in result.stderr
