"""Test packages are written so that they are read as the same pages."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.datasets.package_writer import PackageWriter, file_source
from forest_crawler.errors import InputError
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.encoding import decode_page

FULL = LabelledPage(
    id="rain",
    site="gazette.example",
    url="https://gazette.example/rain",
    source=b"<meta charset=latin-1><p>Caf\xe9",
    gold="Café",
    entry=FeedEntry("Rain", "It rained.", "https://gazette.example/rain"),
    title="Rain",
    author="Ann Lee",
    date="2026-03-06",
    kind="article",
    language="fr",
    fragmented=True,
    multiple=False,
)


def test_a_page_is_read_as_it_was_written(tmp_path: Path) -> None:
    assert PackageWriter(tmp_path / "new" / "gazette").write("rain", FULL)
    (page,) = read_pages(tmp_path / "new" / "gazette")
    assert page == replace(FULL, gold="Café\n")


def test_unknown_fields_are_left_out(tmp_path: Path) -> None:
    bare = LabelledPage("a", "s", None, b"<p>x", gold="x")
    PackageWriter(tmp_path).write("a", bare, proposed_by="wrapper")
    assert json.loads((tmp_path / "a.json").read_bytes()) == {"site": "s", "proposed_by": "wrapper"}
    assert json.loads((tmp_path / "package.json").read_bytes()) == {"name": tmp_path.name}


def test_decoded_page_is_read_as_utf_8_whatever_it_declares(tmp_path: Path) -> None:
    page = replace(FULL, source="<meta charset=latin-1><p>Café")
    PackageWriter(tmp_path).write("a", page)
    (found,) = read_pages(tmp_path)
    assert isinstance(found.source, bytes)
    assert decode_page(found.source)[1] == page.source


def test_lone_surrogates_are_written(tmp_path: Path) -> None:
    page = replace(FULL, source="\ud800", gold="a\ud800", title="b\ud800")
    PackageWriter(tmp_path).write("a", page)
    (found,) = read_pages(tmp_path)
    assert (found.source, found.gold, found.title) == (b"\xef\xbb\xbf?", "a?\n", "b\ud800")


def test_a_page_of_the_package_is_never_written_again(tmp_path: Path) -> None:
    PackageWriter(tmp_path).write("rain", FULL)
    (tmp_path / "rain.txt").write_text("corrected")
    writer = PackageWriter(tmp_path, add=True)
    assert not writer.write("rain", FULL)
    assert writer.write("fog", FULL)
    assert [page.gold for page in read_pages(tmp_path)] == ["Café\n", "corrected"]


def test_an_unfinished_page_is_written_again(tmp_path: Path) -> None:
    writer = PackageWriter(tmp_path)
    writer.write("fog", FULL)
    (tmp_path / "rain.html").write_text("half")
    assert writer.write("rain", FULL)
    assert (tmp_path / "rain.html").read_bytes() == FULL.source


def test_the_description_of_a_package_stays_when_pages_are_added(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"name": "own", "language": "de"}')
    PackageWriter(tmp_path, add=True).write("rain", FULL)
    assert json.loads((tmp_path / "package.json").read_text())["language"] == "de"


@pytest.mark.parametrize("add", [False, True])
def test_only_packages_and_empty_directories_are_written_to(tmp_path: Path, add: bool) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match="has files but isn't a test package"):
        PackageWriter(tmp_path, add=add)
    with pytest.raises(InputError, match="isn't a directory"):
        PackageWriter(tmp_path / "file", add=add)
    PackageWriter(tmp_path / "new", add=add)
    assert not (tmp_path / "new").exists()  # only the first page creates it


def test_an_existing_package_is_refused_without_add(tmp_path: Path) -> None:
    PackageWriter(tmp_path).write("rain", FULL)
    with pytest.raises(InputError, match="is a test package already; --add adds"):
        PackageWriter(tmp_path)


def test_a_page_without_gold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no gold text"):
        PackageWriter(tmp_path).write("a", replace(FULL, gold=None))


def test_source_stays_if_the_page_alone_has_the_encoding_of_its_header() -> None:
    body = b"<meta charset=iso-8859-2><p>P\xf8\xedli\xb9"
    assert file_source(body, "iso-8859-2") is body
    assert file_source(body, None) is body
