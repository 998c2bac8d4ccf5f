"""Samples by hash, repeated pages, and records that are read again at their positions."""

from __future__ import annotations

import gzip
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.batch.inputs import open_slices
from forest_crawler.batch.repeats import find_repeats, split_hashes
from forest_crawler.batch.scan import SamplePage, merge_samples
from forest_crawler.crawl import warc_pages
from forest_crawler.crawl.source_jobs import Document
from forest_crawler.crawl.warc_pages import NamedPages, gather_named, is_feed, make_page
from forest_crawler.crawl.warc_records import (
    Damage,
    Position,
    read_response_at,
    read_responses,
)
from forest_crawler.store.records import Candidate
from tests.support.warc_builders import PACKINGS, http_response, warc_record

RECORDS = [
    warc_record(f"http://gazette.example/{n}", http_response(b"<p>%d" % n)) for n in range(4)
]


# Positions


@pytest.mark.parametrize(
    "data",
    [
        PACKINGS["plain"](*RECORDS),
        PACKINGS["gzip"](*RECORDS),
        gzip.compress(b"".join(RECORDS[:2])) + gzip.compress(b"".join(RECORDS[2:])),
    ],
    ids=["plain", "a member per record", "two records per member"],
)
def test_record_is_read_again_at_its_position(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "a.warc"
    path.write_bytes(data)
    found = list(read_responses(path, Damage()))
    assert [it.document.body for it in found] == [b"<p>0", b"<p>1", b"<p>2", b"<p>3"]
    with open_slices(str(path)) as slices:
        assert [read_response_at(slices, it.position) for it in reversed(found)] == found[::-1]


@pytest.mark.parametrize("position", [Position(0, 7), Position(5)], ids=["number", "offset"])
def test_position_without_a_record_gives_nothing(position: Position, tmp_path: Path) -> None:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(PACKINGS["gzip"](*RECORDS))
    with open_slices(str(path)) as slices:
        assert read_response_at(slices, position) is None


# Samples


def sample_page(number: int, file: int = 0) -> SamplePage:
    return SamplePage(number, file, Position(number))


def test_sample_is_the_ten_smallest_hashes_each_from_its_first_file() -> None:
    some = [sample_page(n, file=1) for n in range(0, 24, 2)]
    others = [sample_page(n) for n in (4, 5, 100)]
    merged = merge_samples(some, others)
    assert [(page.hash, page.file) for page in merged] == [
        (0, 1), (2, 1), (4, 0), (5, 0), (6, 1), (8, 1), (10, 1), (12, 1), (14, 1), (16, 1)
    ]  # fmt: skip


@given(st.lists(st.lists(st.integers(0, 40)), min_size=1, max_size=5))
def test_samples_of_files_join_in_any_order_and_grouping(files: list[list[int]]) -> None:
    pages = [[sample_page(n, file) for n in found] for file, found in enumerate(files)]
    forward = backward = merge_samples((), ())
    for some in pages:
        forward = merge_samples(forward, some)
    for some in reversed(pages):
        backward = merge_samples(some, backward)
    assert forward == backward == merge_samples([it for some in pages for it in some], ())


# Repeated pages


@given(st.lists(st.sets(st.integers(0, 2**64 - 1)), max_size=5), st.integers(1, 4))
def test_each_page_is_left_in_one_file_the_first(files: list[set[int]], groups: int) -> None:
    by_group: dict[int, list[tuple[int, bytes]]] = {}
    for file, found in enumerate(files):
        for group, hashes in split_hashes(array("Q", sorted(found)).tobytes(), groups):
            by_group.setdefault(group, []).append((file, hashes))
    left = [set(found) for found in files]
    for in_group in by_group.values():
        for file, dropped in find_repeats(reversed(in_group)).items():
            left[file] -= set(array("Q", dropped))
    seen: set[int] = set()
    for found, kept in zip(files, left, strict=True):
        assert kept == found - seen
        seen |= found


# Pages


def document(url: str, body: bytes = b"<html><p>Rain", kind: str = "text/html") -> Document:
    return Document(body, url, kind, now=1.7e9)


def test_only_named_pages_of_a_site_with_a_feed_are_taken() -> None:
    entry = Candidate("gazette.example/rain", "http://gazette.example/rain", "gazette.example")
    named = gather_named([entry])
    assert make_page(document("http://gazette.example/rain?utm_source=x"), 200, named)
    assert make_page(document("http://gazette.example/snow"), 200, named) is None
    assert make_page(document("http://herald.example/snow"), 200, named)


@pytest.mark.parametrize(
    ("url", "status", "body", "kind"),
    [
        ("http://gazette.example/a", 404, b"<p>Gone", "text/html"),
        ("http://gazette.example/a", 200, b"%PDF-1.7", "text/html"),
        ("http://gazette.example/a", 200, b'{"a": 1}', "application/json"),
        ("dns:gazette.example", 200, b"<p>Rain", "text/html"),
        ("", 200, b"<p>Rain", "text/html"),
    ],
)
def test_what_is_no_page_is_left_out(url: str, status: int, body: bytes, kind: str) -> None:
    assert make_page(document(url, body, kind), status, NamedPages()) is None


def test_feeds_are_known_by_their_beginning() -> None:
    assert is_feed(document("http://a.example/f", b"\xef\xbb\xbf<?xml version='1.0'?><rss>"))
    assert not is_feed(document("http://a.example/f", b"<?xml version='1.0'?><html>"))


def test_entries_of_feeds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warc_pages, "MAX_ENTRIES", 2)
    found = gather_named(
        Candidate(f"{site}.example/a", f"http://{site}.example/a", f"{site}.example")
        for site in ("one", "two", "three")
    )
    assert len(found.entries) == 2
    assert found.sites == {"one.example", "two.example", "three.example"}
