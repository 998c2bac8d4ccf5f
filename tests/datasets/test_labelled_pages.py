"""Pages are read from packages, directories and JSON lines; errors name files."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import InputError
from forest_crawler.feed.records import FeedEntry

FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>T</title><item>
<title>Storm &amp;amp; rain</title><link>http://gazette.example/a</link>
<description>It &lt;b&gt;rained&lt;/b&gt;.</description></item></channel></rss>"""


def make_package(path: Path, **description: object) -> Path:
    path.mkdir()
    (path / "package.json").write_text(json.dumps({"name": "gazette", **description}))
    for name in "ab":
        (path / f"{name}.html").write_bytes(f"<p>page {name} \xe9".encode("latin-1"))
        (path / f"{name}.txt").write_text(f"gold {name}")
    (path / "a.json").write_text('{"url": "http://gazette.example/a", "author": "Ann"}')
    return path


def write_lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_package_is_read_as_its_documents_by_name_with_gold_and_metadata(tmp_path: Path) -> None:
    first, second = read_pages(make_package(tmp_path / "p", language="en"))
    assert first == LabelledPage(
        id="a",
        site="gazette",
        url="http://gazette.example/a",
        source=b"<p>page a \xe9",
        gold="gold a",
        author="Ann",
        language="en",
    )
    assert (second.id, second.url, second.gold) == ("b", None, "gold b")


def test_package_page_without_gold_is_not_a_document(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p")
    (package / "index.html").write_text("<p>home")
    assert [page.id for page in read_pages(package)] == ["a", "b"]


def test_feed_entry_belongs_to_the_document_it_links_to(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p", feed="feed.xml")
    (package / "feed.xml").write_text(FEED)
    first, second = read_pages(package)
    assert first.entry == FeedEntry("Storm & rain", "It rained.", "http://gazette.example/a")
    assert second.entry is None


def test_entry_and_flags_of_a_document_are_in_its_metadata(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p", feed="feed.xml")
    (package / "feed.xml").write_text(FEED)
    row = {"url": "http://gazette.example/a", "entry": {"title": "Own"}, "fragmented": True}
    (package / "a.json").write_text(json.dumps(row))
    first, second = read_pages(package)
    assert first.entry == FeedEntry("Own")  # and not that of the feed
    assert (first.fragmented, first.multiple, second.fragmented) == (True, None, None)


def test_directory_without_gold_is_read_as_every_page_but_the_home_page(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p", home="index.html")
    for name in "ab":
        (package / f"{name}.txt").unlink()
    (package / "index.html").write_text("<p>home")
    pages = list(read_pages(package))
    assert [page.id for page in pages] == ["a", "b"]
    assert {page.gold for page in pages} == {None}


def test_plain_directory_is_a_site_named_after_it(tmp_path: Path) -> None:
    folder = tmp_path / "harbour"
    folder.mkdir()
    (folder / "x.htm").write_text("<p>x")
    (page,) = read_pages(folder)
    assert (page.site, page.id, page.source) == ("harbour", "x", b"<p>x")


def test_single_page_is_read_with_the_gold_beside_it(tmp_path: Path) -> None:
    package = make_package(tmp_path / "p")
    (page,) = read_pages(package / "a.html")
    assert (page.id, page.site, page.gold, page.author) == ("a", "p", "gold a", "Ann")


def test_directory_of_packages_is_read_as_the_pages_of_all(tmp_path: Path) -> None:
    make_package(tmp_path / "two", name="second")
    make_package(tmp_path / "one", name="first")
    assert [page.site for page in read_pages(tmp_path)] == ["first", "first", "second", "second"]


def test_every_known_field_of_a_line_is_read(tmp_path: Path) -> None:
    row = {
        "id": "7",
        "site": "s",
        "url": "http://h.example/7",
        "html": "<p>x",
        "gold": "x",
        "title": "T",
        "author": None,
        "date": "2020-01-02",
        "kind": "article",
        "lang": "de",
        "fragmented": True,
        "multiple": False,
        "entry": {"title": "E", "description": "D"},
        "must": ["ignored"],
    }
    (page,) = read_pages(write_lines(tmp_path / "set.jsonl", row))
    assert page == LabelledPage(
        id="7",
        site="s",
        url="http://h.example/7",
        source="<p>x",
        gold="x",
        entry=FeedEntry("E", "D"),
        title="T",
        date="2020-01-02",
        kind="article",
        language="de",
        fragmented=True,
        multiple=False,
    )


@pytest.mark.parametrize(
    ("row", "page_id", "site"),
    [
        pytest.param({"url": "http://h.example/7"}, "http://h.example/7", "h.example", id="url"),
        pytest.param({}, "1", "set", id="line-number-and-file-name"),
        pytest.param({"id": "x", "site": "y", "url": "http://z.example"}, "x", "y", id="own"),
    ],
)
def test_missing_id_and_site_come_from_the_url_or_the_file(
    tmp_path: Path, row: dict[str, str], page_id: str, site: str
) -> None:
    (page,) = read_pages(write_lines(tmp_path / "set.jsonl", {"html": "<p>x", **row}))
    assert (page.id, page.site, page.gold) == (page_id, site, None)


def test_gzip_is_recognised_by_its_content(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(gzip.compress(b'{"html": "<p>x"}\n\n{"html": "<p>y"}\n'))
    assert [page.source for page in read_pages(path)] == ["<p>x", "<p>y"]


def test_dash_reads_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    stdin = io.TextIOWrapper(io.BytesIO(b'{"html": "<p>x", "id": "1"}\n'))
    monkeypatch.setattr(sys, "stdin", stdin)
    assert [page.source for page in read_pages("-")] == ["<p>x"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param(b'{"html": "x"}\n{"html": \n', "set.jsonl:2: not JSON", id="cut-line"),
        pytest.param(b'{"html": "x"}\n[1]\n', "set.jsonl:2: a JSON object", id="not-an-object"),
        pytest.param(b'{"id": "x"}\n', "set.jsonl:1: no field 'html'", id="no-html"),
        pytest.param(b'{"html": 1}', "set.jsonl:1: field 'html' isn't text but int", id="number"),
        pytest.param(b'{"html": "", "entry": 1}', "set.jsonl:1: field 'entry'", id="entry"),
        pytest.param(b'{"html": "\xff"}', "set.jsonl:1: not UTF-8", id="not-utf-8"),
        pytest.param(b"\x1f\x8b\x08rest", "set.jsonl: broken gzip", id="broken-gzip"),
        pytest.param(gzip.compress(b"x" * 99)[:-9], "set.jsonl: broken gzip", id="cut-gzip"),
        pytest.param(b"\n", "set.jsonl: no pages", id="empty"),
        pytest.param(b"<p>x", "a page's name must end in .html", id="a-page-under-another-name"),
        pytest.param(b"[" * 100_000, "set.jsonl:1: JSON nested too deeply", id="too-deep"),
    ],
)
def test_broken_lines_are_named_with_file_and_line(
    tmp_path: Path, content: bytes, message: str
) -> None:
    path = tmp_path / "set.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_pages(path))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        pytest.param("package.json", b"{", "package.json: not JSON", id="description"),
        pytest.param("a.json", b'{"url": 3}', "a.json: field 'url' isn't text", id="metadata"),
        pytest.param("a.json", b'{"multiple": 1}', "'multiple' is neither true nor", id="flag"),
        pytest.param("a.txt", b"\xff", "a.txt: not UTF-8", id="gold"),
        pytest.param("package.json", b'{"feed": "no.xml"}', "no.xml: cannot be read", id="feed"),
        pytest.param("package.json", b'{"feed": "a.txt"}', "a.txt: no entries", id="no-feed"),
    ],
)
def test_broken_files_of_a_package_are_named(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    package = make_package(tmp_path / "p")
    (package / file).write_bytes(content)
    with pytest.raises(InputError) as caught:
        list(read_pages(package))
    assert message in str(caught.value)


def test_missing_path_and_empty_directory_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_pages(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="no pages"):
        list(read_pages(tmp_path))


def test_size_counts_bytes() -> None:
    # é is one byte as given in Latin-1, two bytes as UTF-8
    assert LabelledPage("1", "s", None, "é".encode("latin-1")).size == 1
    assert LabelledPage("1", "s", None, "é").size == 2
