"""Outputs of a crawl that goes on: they grow with the store, whole at any moment."""

from __future__ import annotations

import csv
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.cli import _live_writer
from forest_crawler.cli._archive_target import ArchiveTarget
from forest_crawler.cli._live_writer import LiveWriter
from forest_crawler.cli._outputs import ArchiveOutput, FeedsOutput, PartsOutput, StoppedWriting
from forest_crawler.export.archives import open_archive
from forest_crawler.export.folders import open_folder
from forest_crawler.export.manifest import list_parts
from forest_crawler.store import Candidate, NewArticle, Store, open_store
from tests.support.store_builders import fetch

SITE = "gazette.example"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/s.db") as opened:
        yield opened


def archive(store: Store, *names: str, source: int | None = None) -> None:
    """Archive an article per name, which is its title."""
    found = [Candidate(f"{SITE}/{it}", f"https://{SITE}/{it}", SITE, source) for it in names]
    store.schedule(found)
    fetch(store)
    store.archive(
        [
            NewArticle(it.key, it.key, SITE, it.url, "forest", None, it.key, line)
            for it, name in zip(found, names, strict=True)
            if (line := json.dumps({"id": it.key, "title": name, "site": SITE, "url": it.url}))
        ]
    )


def titles(path: Path) -> list[str]:
    with path.open(newline="") as stream:
        return [row[0] for row in csv.reader(stream)][1:]


def test_file_is_replaced_as_a_whole_when_there_are_new_articles(
    store: Store, tmp_path: Path
) -> None:
    path = tmp_path / "a.csv"
    output = ArchiveOutput(ArchiveTarget(str(path), chosen=["title"]))
    archive(store, "one")
    output.write(store)
    first = path.stat().st_ino
    output.write(store)
    assert path.stat().st_ino == first  # nothing is new
    archive(store, "two")
    output.write(store)
    assert titles(path) == ["one", "two"]
    assert path.stat().st_ino != first


def test_folder_of_parts_grows_by_new_articles(store: Store, tmp_path: Path) -> None:
    path = f"{tmp_path}/articles.jsonl/"
    output = PartsOutput(ArchiveTarget(path, chosen=["title"]))
    archive(store, "one", "two")
    output.write(store)
    output.write(store)
    archive(store, "three")
    store.schedule([Candidate(f"{SITE}/four", f"https://{SITE}/four", SITE)])
    store.skip(f"{SITE}/four", "no-article-listing")
    output.finish(store)
    folder = open_folder(path)
    texts = [folder.read(part.name) for part in list_parts(folder)]
    assert texts == [b'{"title": "one"}\n{"title": "two"}\n', b'{"title": "three"}\n']
    skipped = json.loads(folder.read("_skipped.jsonl") or b"")
    assert (skipped["url"], skipped["reason"]) == (f"https://{SITE}/four", "no-article-listing")


def test_stop_in_the_middle_leaves_the_file_of_before(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    output = ArchiveOutput(ArchiveTarget(str(path), chosen=["title"]))
    archive(store, "one")
    output.write(store)
    archive(store, "two")

    def stop() -> None:
        raise StoppedWriting

    with pytest.raises(StoppedWriting):
        output.write(store, stop)
    assert titles(path) == ["one"]
    output.finish(store)
    assert titles(path) == ["one", "two"]
    assert not list(tmp_path.glob("*.new"))


def test_markdown_gets_only_what_is_new(store: Store, tmp_path: Path) -> None:
    output = ArchiveOutput(ArchiveTarget(f"{tmp_path}/notes/"))
    archive(store, "one")
    output.write(store)
    (first,) = (tmp_path / "notes").rglob("*.md")
    first.unlink()
    archive(store, "two")
    output.write(store)
    (second,) = (tmp_path / "notes").rglob("*.md")
    assert 'title: "two"' in second.read_text()


def test_markdown_that_somebody_edited_stays_as_it_is(store: Store, tmp_path: Path) -> None:
    archive(store, "one")
    ArchiveOutput(ArchiveTarget(f"{tmp_path}/notes/")).write(store)
    (first,) = (tmp_path / "notes").rglob("*.md")
    first.write_text("my notes on it")
    ArchiveOutput(ArchiveTarget(f"{tmp_path}/notes/")).write(store)  # the next run
    assert first.read_text() == "my notes on it"


def test_stdout_gets_each_article_of_the_run_once(
    store: Store, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    archive(store, "earlier")
    output = ArchiveOutput(ArchiveTarget("-", chosen=["title"]), after=store.last_article())
    for name in ("one", "two"):
        archive(store, name)
        output.write(store)
    output.finish(store)
    assert capfdbinary.readouterr().out == b'{"title": "one"}\n{"title": "two"}\n'


def test_only_feeds_with_new_articles_are_written(store: Store, tmp_path: Path) -> None:
    first, second = (store.add_source(f"https://{SITE}/{n}.xml").id for n in (1, 2))
    archive(store, "one", source=first)
    archive(store, "two", source=second)
    output = FeedsOutput(str(tmp_path / "feeds"))
    output.write(store)
    files = sorted((tmp_path / "feeds").glob("*.xml"))
    assert len(files) == 2
    files[0].unlink()
    archive(store, "three", source=second)
    output.write(store)
    assert sorted((tmp_path / "feeds").glob("*.xml")) == files[1:]
    assert "three" in files[1].read_text()
    output.finish(store)
    assert sorted((tmp_path / "feeds").glob("*.xml")) == files


def test_leftovers_of_killed_processes_are_removed(store: Store, tmp_path: Path) -> None:
    dead = 2**22 + 1  # above the largest number of a process
    for name in (f"a.csv.{dead}.new", f"a.csv.{os.getppid()}.new", f"b.csv.{dead}.new"):
        (tmp_path / name).touch()
    archive(store, "one")
    ArchiveOutput(ArchiveTarget(str(tmp_path / "a.csv"))).write(store)
    left = {path.name for path in tmp_path.glob("*.new")}
    assert left == {f"a.csv.{os.getppid()}.new", f"b.csv.{dead}.new"}


class SlowOutput:
    """Takes a second of a clock that a test moves."""

    def __init__(self, clock: list[float]) -> None:
        self._clock, self.times = clock, 0

    def write(self, store: Store, check: object = None) -> None:
        self.times += 1
        self._clock[0] += 1.0

    def finish(self, store: Store) -> None:
        raise AssertionError


def test_writing_takes_a_small_share_of_the_time(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    output = SlowOutput(clock)
    writer = LiveWriter(store.name, [output])
    monkeypatch.setattr(_live_writer, "read_store", lambda url: store)
    for _ in range(1000):
        writer.write_due()
        clock[0] += 1.0
    # 1 s of writing, then 20 s of rest: a twentieth of 1,000 s of other work.
    assert 46 <= output.times <= 50


def test_disk_error_is_logged_and_tried_again_later(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    archive(store, "one")
    target = ArchiveTarget(f"{tmp_path}/file/a.csv")
    writer = LiveWriter(f"sqlite:///{tmp_path}/s.db", [ArchiveOutput(target)])
    writer.write_due()
    writer.write_due()
    writer.stop()
    assert caplog.text.count("cannot be written") == 1
    assert "tried again in 60 s" in caplog.text


def test_archive_is_written_to_the_disk_before_it_gets_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda number: synced.append((tmp_path / "a.csv").exists()))
    with open_archive(str(tmp_path / "a.csv"), ["title"]) as opened:
        opened.write({"title": "one"})
    assert synced == [False]
