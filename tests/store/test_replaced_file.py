"""A file that is written anew: of one store, one crawl at a time, and no change is lost."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from forest_crawler.errors import StoreError
from forest_crawler.store.replaced_file import ReplacedFile

STORE = "/crawls/forest.db"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.csv"


def write(path: Path, text: str, store: str = STORE) -> None:
    """Write the file as a run does, in one step."""
    with ReplacedFile(path, store) as file:
        file.keep_changed()
        path.write_text(text)
        file.record()


def test_file_of_the_store_is_replaced_and_nothing_else_is_left(path: Path) -> None:
    write(path, "one")
    write(path, "two")
    assert path.read_text() == "two"
    assert {it.name for it in path.parent.iterdir()} == {"a.csv", "a.csv.lock"}


def test_file_that_somebody_else_wrote_is_refused_and_untouched(path: Path) -> None:
    path.write_text("mine")
    with pytest.raises(StoreError, match="has 4 bytes that are not from the store /crawls/f"):
        ReplacedFile(path, STORE)
    assert path.read_text() == "mine"
    assert list(path.parent.iterdir()) == [path]


def test_file_of_another_store_is_refused_and_untouched(path: Path) -> None:
    write(path, "one")
    with pytest.raises(StoreError, match="not from the store /other"):
        ReplacedFile(path, "/other")
    assert path.read_text() == "one"


@pytest.mark.parametrize("name", ["a.csv", "link.csv", "down/../a.csv"])
def test_file_is_refused_while_another_crawl_writes_it(path: Path, name: str) -> None:
    (path.parent / "link.csv").symlink_to("a.csv")
    (path.parent / "down").mkdir()
    with ReplacedFile(path, STORE), pytest.raises(StoreError, match="in use by another crawl"):
        ReplacedFile(path.parent / name, "/other")


@pytest.mark.parametrize("change", ["one, two", "ONE", "o"])
def test_file_that_somebody_changed_is_kept_under_another_name(
    path: Path, change: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(path, "one")
    path.write_text(change)
    with caplog.at_level(logging.ERROR):
        write(path, "two")
    assert path.read_text() == "two"
    assert (path.parent / "a.csv.changed-1").read_text() == change
    assert "changed by another program: kept as a.csv.changed-1" in caplog.text


def test_record_that_cannot_be_read_is_not_of_this_store(path: Path) -> None:
    write(path, "one")
    (path.parent / "a.csv.lock").write_text("{")
    with pytest.raises(StoreError, match="not from the store"):
        ReplacedFile(path, STORE)


def test_device_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="isn't a regular file"):
        ReplacedFile("/dev/null", STORE)
