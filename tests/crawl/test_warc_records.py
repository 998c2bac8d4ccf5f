"""A WARC file is read record by record: a broken one costs no other (row 78)."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from forest_crawler.crawl.warc_records import MAX_RECORD, Damage, read_documents
from tests.support.warc_builders import PACKINGS, http_response, warc_record

PAGE = b"<html><p>Rain until Monday</p></html>"


def record(number: int, **changes: object) -> bytes:
    return warc_record(f"http://a.example/{number}", http_response(PAGE), **changes)  # type: ignore[arg-type]


def other(kind: str) -> bytes:
    return warc_record("http://a.example/0", b"a: b\r\n", kind=kind)


def read(path: Path, data: bytes) -> tuple[list[str], Damage]:
    """Return the numbers of the pages in a file, and its damage."""
    path.write_bytes(data)
    damage = Damage()
    return [page.url.rpartition("/")[2] for page, _ in read_documents(str(path), damage)], damage


BROKEN = {
    "length too short": record(2, length=20),
    "length too long": record(2, length=500),
    "length of a gigabyte": record(2, length=1 << 30),
    "length below zero": record(2, length=-5),
    "length in words": record(2, length="many"),
    "no target": warc_record(None, http_response(PAGE)),
    "no record": b"Rain until Monday\r\n\r\n",
    "headers without end": b"WARC/1.0\r\nWARC-Type: response\r\n" + b"X: y\r\n" * 20_000,
}
NO_PAGES = {
    "no HTTP in it": warc_record("http://a.example/2", b"Rain until Monday"),
    "nothing in it": warc_record("http://a.example/2", b""),
    "status in words": warc_record("http://a.example/2", b"HTTP/1.1 fine\r\n\r\n" + PAGE),
    "larger than a page may be": warc_record(
        "http://a.example/2", http_response(bytes(MAX_RECORD))
    ),
    "gzip bomb": warc_record(
        "http://a.example/2",
        http_response(gzip.compress(bytes(50 << 20)), "text/html", "Content-Encoding: gzip"),
    ),
    **{kind: other(kind) for kind in ("warcinfo", "request", "metadata", "resource", "unknown")},
}


def read_between_pages(directory: Path, packing: str, middle: bytes) -> Damage:
    """Read a file with something between two pages, which must both be found."""
    data = PACKINGS[packing](record(1), middle, record(3))
    pages, damage = read(directory / "file.warc", data)
    assert pages == ["1", "3"]
    return damage


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_broken_record_costs_no_other_and_is_reported(
    tmp_path: Path, packing: str, broken: bytes
) -> None:
    damage = read_between_pages(tmp_path, packing, broken)
    first = len(PACKINGS[packing](record(1)))
    assert str(damage) == f"1 record cannot be read, the first at byte {first}"


@pytest.mark.parametrize("packing", PACKINGS)
@pytest.mark.parametrize("other", NO_PAGES.values(), ids=NO_PAGES)
def test_record_without_a_page_is_skipped_and_not_damage(
    tmp_path: Path, packing: str, other: bytes
) -> None:
    assert read_between_pages(tmp_path, packing, other).broken == 0


MEMBER = gzip.compress(record(2))
TORN = {
    "cut in the middle": MEMBER[: len(MEMBER) // 2],
    "wrong checksum": MEMBER[:-8] + b"\0\0\0\0" + MEMBER[-4:],
    "a byte changed": MEMBER[:40] + bytes([MEMBER[40] ^ 255]) + MEMBER[41:],
}


@pytest.mark.parametrize("torn", TORN.values(), ids=TORN)
def test_torn_gzip_member_costs_no_other(tmp_path: Path, torn: bytes) -> None:
    whole = gzip.compress(record(1))
    pages, damage = read(tmp_path / "file.warc.gz", whole + torn + gzip.compress(record(3)))
    assert pages == ["1", "3"]
    assert damage.first_broken == len(whole)
    pages, damage = read(tmp_path / "file.warc.gz", whole + torn)
    assert pages == ["1"]
    assert damage.broken >= 1


def test_one_gzip_member_for_all_records_is_read(tmp_path: Path) -> None:
    data = gzip.compress(record(1) + record(2) + record(3))
    assert read(tmp_path / "file.warc.gz", data)[0] == ["1", "2", "3"]


def test_record_inside_a_page_is_text_of_the_page(tmp_path: Path) -> None:
    hostile = http_response(PAGE + b"\r\n\r\n" + record(666))
    data = record(1) + warc_record("http://a.example/2", hostile) + record(3)
    assert read(tmp_path / "file.warc", data)[0] == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"Rain until Monday\n" * 20, "no WARC file"),
        (gzip.compress(b"Rain until Monday\n" * 20), "no WARC file"),
        (bytes(100_000), "no WARC file"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 50, "no WARC file"),
    ],
    ids=["empty", "text", "packed text", "zeros", "image"],
)
def test_file_that_is_not_a_warc_is_reported_in_a_few_words(
    tmp_path: Path, data: bytes, message: str
) -> None:
    pages, damage = read(tmp_path / "file.warc", data)
    assert pages == []
    assert str(damage) == message


def test_bomb_of_a_member_takes_little_memory(tmp_path: Path) -> None:
    bomb = warc_record("http://a.example/2", http_response(bytes(100 << 20)))
    path = tmp_path / "file.warc.gz"
    path.write_bytes(PACKINGS["gzip"](record(1), bomb, record(3)))
    del bomb
    tracemalloc.start()
    try:
        pages = [page.url[-1] for page, _ in read_documents(str(path), Damage())]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert pages == ["1", "3"]
    assert peak < 3 * MAX_RECORD  # of a hundred megabytes, no more than a page may have


@given(
    noise=st.binary(max_size=300),
    at=st.integers(min_value=0, max_value=2000),
    packing=st.sampled_from(sorted(PACKINGS)),
)
@example(noise=b"\x1f\x8b\x08", at=0, packing="plain")  # as gzip begins
def test_noise_in_a_file_leaves_other_records_readable(
    tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int, packing: str
) -> None:
    path = tmp_path_factory.getbasetemp() / f"noise-{packing}.warc"
    data = PACKINGS[packing](*map(record, range(1, 6)))
    at %= len(data)
    pages, _ = read(path, data[:at] + noise + data[at:])
    # At most the record that the noise is in, and the one whose end it hides.
    assert len(set(pages) & set("12345")) >= 3
