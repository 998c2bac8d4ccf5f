"""The records of a WARC file, each read by itself: a broken one costs no other.

The spider `warc` reads strangers' files with this. Where one record ends and the next begins is
found here, by lengths that are checked; `warcio` reads what is in a record, one at a time.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from forest_crawler.crawl.limits import MAX_BYTES
from forest_crawler.crawl.source_jobs import Document
from forest_crawler.errors import MissingPackageError
from forest_crawler.text.dates import parse_date
from forest_crawler.urls.policy import ANYWHERE

MAX_HEADER = 64 * 1024
MAX_RECORD = MAX_BYTES["feed"] + MAX_HEADER
"""Bytes; a larger record has no page that would be fetched."""

_MEMBER = b"\x1f\x8b\x08"
_MEMBER_FORM = 16 + zlib.MAX_WBITS
_CHUNK = 1 << 16
_RECORD = b"WARC/"
_BLANK = b"\r\n\r\n"
_START = re.compile(rb"\n(?=WARC/[01]\.\d\r?\n)")
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)


class Slices(Protocol):
    """Bytes that are read by slices: a mapped file, or an object at its server."""

    def __getitem__(self, part: slice, /) -> bytes:
        """Read a part."""

    def __len__(self) -> int:
        """Return the number of bytes."""


_Bytes = bytes | mmap.mmap


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where a record is in its file."""

    offset: int
    number: int = 0  # within its gzip member, which has one record in nearly all files


@dataclass(frozen=True, slots=True)
class Response:
    """A response of a file."""

    position: Position
    document: Document
    status: int


@dataclass(slots=True)
class Damage:
    """How many records of a file are broken, and how many readable."""

    broken: int = 0
    first_broken: int = 0  # its offset
    readable: int = 0

    def note(self, offset: int) -> None:
        """Count what is at an offset as a broken record."""
        self.first_broken = self.first_broken if self.broken else offset
        self.broken += 1

    def __str__(self) -> str:
        if not self.readable:
            return "no WARC file" if self.broken else "empty"
        noun = "record" if self.broken == 1 else "records"
        return f"{self.broken} {noun} cannot be read, the first at byte {self.first_broken}"


def read_documents(name: str | Path, damage: Damage) -> Iterator[tuple[Document, int]]:
    """Yield the responses of a file with their statuses, except too large ones."""
    for response in read_responses(name, damage):
        yield response.document, response.status


def read_responses(name: str | Path, damage: Damage) -> Iterator[Response]:
    """Yield the responses of a file, except too large ones; count broken records."""
    parse = record_parser()
    with Path(name).open("rb") as file:
        position = Position(-1)
        for offset, block in split_file(file, damage):
            number = position.number + 1 if offset == position.offset else 0
            position = Position(offset, number)
            try:
                found = parse(block, position)
            except BrokenRecordError:
                damage.note(offset)
                continue
            damage.readable += 1
            if found is not None:
                yield found


def read_response_at(data: Slices, position: Position) -> Response | None:
    """Read the response at a position that `read_responses` gave; `None` if it isn't there."""
    if data[position.offset : position.offset + len(_RECORD)] == _RECORD:
        end = _declared_end(data, position.offset)
        block = data[position.offset : end] + _BLANK
    else:
        member = _decompress_member(data, position.offset)
        records = list(split_records(member.data, Damage())) if member else []
        if position.number >= len(records):
            return None
        block = records[position.number][1]
    try:
        return record_parser()(block, position)
    except BrokenRecordError:
        return None


class BrokenRecordError(Exception):
    """A record that `warcio` cannot read."""


def record_parser() -> Callable[[bytes, Position], Response | None]:
    """Return the function that reads a record; its result is `None` for what isn't a response."""
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed
    except ImportError as err:
        raise MissingPackageError("--from-warc", "warcio", extra="warc") from err

    # The last two if the target is missing, or a number isn't one.
    broken = (ArchiveLoadFailed, EOFError, OSError, AttributeError, ValueError)

    def parse(block: bytes, position: Position) -> Response | None:
        try:
            record = next(iter(ArchiveIterator(BytesIO(block))), None)
            if record is None or record.rec_type != "response" or not record.http_headers:
                return None
            status = record.http_headers.get_statuscode()
            body = record.content_stream().read(MAX_BYTES["feed"] + 1)
        except broken as err:
            raise BrokenRecordError from err
        if not (status.isascii() and status.isdigit()) or len(body) > MAX_BYTES["feed"]:
            return None
        return Response(position, _document(record, body), int(status))

    return parse


def _document(record: Any, body: bytes) -> Document:
    # A record without a date gets none of ours: reading it again must give the same.
    date = parse_date(record.rec_headers.get_header("WARC-Date"))
    return Document(
        body,
        record.rec_headers.get_header("WARC-Target-URI") or "",
        record.http_headers.get_header("Content-Type"),
        policy=ANYWHERE,
        now=date.timestamp() if date else 0.0,
    )


def split_file(file: BinaryIO, damage: Damage) -> Iterator[tuple[int, bytes]]:
    """Yield the offset of each readable record, and its bytes, decompressed."""
    try:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file
        return
    with data:
        if _is_plain(data):
            yield from split_records(data, damage)
            return
        for offset, member in _decompress(data, damage):
            for _, record in split_records(member, damage, offset):
                yield offset, record


def _is_plain(data: mmap.mmap) -> bool:
    """Report whether a file is uncompressed, though noise in it may look like gzip."""
    if data[: len(_RECORD)] == _RECORD or (member := data.find(_MEMBER)) < 0:
        return True
    if _decompress_member(data, member) is not None:
        return False
    found = _START.search(data)
    return found is not None and _end_of_record(data, found.end()) is not None


def split_records(data: _Bytes, damage: Damage, base: int = 0) -> Iterator[tuple[int, bytes]]:
    """Yield the readable records of uncompressed bytes at the offset `base`."""
    start, size = 0, len(data)
    while start < size:
        end = _end_of_record(data, start)
        if end is None:
            damage.note(base + start)
            # The stated length may have been too long: the next record may be within it.
            found = _START.search(data, start)
            start = found.end() if found else size
            continue
        if end - start <= MAX_RECORD:
            yield start, bytes(data[start:end]) + _BLANK
        else:
            damage.readable += 1
        start = end
        while data[start : start + 1] in (b"\r", b"\n"):
            start += 1


def _declared_end(data: Slices, start: int) -> int | None:
    head = bytes(data[start : start + MAX_HEADER])
    head = head[: head.find(_BLANK) + len(_BLANK)]
    length = _LENGTH.search(head) if head.startswith(_RECORD) else None
    return start + len(head) + int(length[1]) if length else None


def _end_of_record(data: Slices, start: int) -> int | None:
    """Return the end of a record, if its stated length leads to a record's end."""
    end = _declared_end(data, start)
    if end is None or end > len(data):
        return None
    after = bytes(data[end : end + len(_BLANK + _RECORD)])
    is_last = end + len(after) == len(data) and not after.strip(b"\r\n")
    is_followed = after.startswith(_BLANK) or after.lstrip(b"\r\n").startswith(_RECORD)
    return end if is_last or is_followed else None


@dataclass(frozen=True, slots=True)
class _Member:
    """A gzip member: its first bytes, decompressed size, and end in the file."""

    data: bytes
    size: int
    end: int

    @property
    def is_large_record(self) -> bool:
        end = _declared_end(self.data, 0)
        return end is not None and 0 <= self.size - end <= len(_BLANK)


def _decompress(data: mmap.mmap, damage: Damage) -> Iterator[tuple[int, bytes]]:
    """Yield the gzip members of a file, but for those that are too large for a page."""
    start = 0
    while start >= 0:
        member = _decompress_member(data, start)
        if member is not None and member.size <= MAX_RECORD:
            yield start, member.data
        elif member is not None and member.is_large_record:
            damage.readable += 1
        else:
            damage.note(start)
        start = data.find(_MEMBER, member.end if member else start + 1)


def _decompress_member(data: Slices, start: int) -> _Member | None:
    decompressor, parts, size = zlib.decompressobj(_MEMBER_FORM), list[bytes](), 0
    compressed, position = b"", start
    while not decompressor.eof:
        if not compressed:
            compressed = data[position : position + _CHUNK]
            position += len(compressed)
        if not compressed:
            return None
        try:
            part = decompressor.decompress(compressed, _CHUNK)
        except zlib.error:
            return None
        compressed, size = decompressor.unconsumed_tail, size + len(part)
        if size <= MAX_RECORD or not parts:
            parts.append(part)
    return _Member(b"".join(parts), size, position - len(decompressor.unused_data))
