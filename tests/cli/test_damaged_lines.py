"""A stored article whose JSON line is damaged is named, and no file is lost by it."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from forest_crawler.cli import main
from forest_crawler.errors import StoreError
from forest_crawler.export.folders import open_folder
from forest_crawler.export.outbox_parts import OutboxParts
from forest_crawler.export.parts import PartForm
from forest_crawler.store import open_store, read_store
from forest_crawler.studio.app import make_app
from forest_crawler.studio.options import StudioOptions
from tests.studio.test_studio import Browser
from tests.support.inline_jobs import Inline
from tests.support.store_builders import archive_held, change_file, fetch, schedule

SITE = "gazette.example"
TROUBLE = "the JSON line of article 2 is damaged"


@pytest.fixture(params=['{"id": "b", "text": "The fer', "[]"], ids=["cut", "list"])
def url(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    file = tmp_path / "forest.db"
    with open_store(f"sqlite:///{file}") as store:
        schedule(store, ["a", "b", "c"])
        fetch(store)
        archive_held(store)
    packed = zlib.compress(request.param.encode()).hex()
    change_file(file, f"UPDATE articles SET line = x'{packed}' WHERE seq = 2")  # noqa: S608
    return f"sqlite:///{file}"


@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "-o", "a.csv"],
        ["export", "-o", "articles.jsonl/"],
        ["feed", SITE],
        ["duplicates"],
    ],
    ids=" ".join,
)
def test_a_command_names_store_and_article(
    arguments: list[str],
    url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.csv").write_text("earlier")
    with pytest.raises(SystemExit) as ended:
        main([*arguments, "--store", url])
    assert ended.value.code == 4
    (line,) = capsys.readouterr().err.splitlines()
    assert "forest.db" in line
    assert TROUBLE in line
    assert (tmp_path / "a.csv").read_text() == "earlier"


@pytest.mark.parametrize("target", ["/articles", "/articles?q=ferry", f"/sites/{SITE}"])
def test_the_studio_names_it(target: str, url: str) -> None:
    status, text = Browser(make_app(StudioOptions(url), Inline())).get(target)
    assert status == 409
    assert TROUBLE in text


def test_parts_of_a_crawl_name_it(url: str, tmp_path: Path) -> None:
    folder = open_folder(f"{tmp_path}/parts")
    with read_store(url) as store, pytest.raises(StoreError, match=TROUBLE):
        OutboxParts(store, folder, PartForm("jsonl", chosen=["id"])).export()
    assert folder.names() == []
