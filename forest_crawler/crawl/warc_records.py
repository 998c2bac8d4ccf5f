"""The records of a WARC file, each for itself: a broken one costs no other.

The WARC spider reads strangers' files by this. Where one record ends and the next begins is found
here, by lengths that are checked; what is in a record is left to `warcio`, a record at a time.
"""

from __future__ import annotations

import mmap
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from forest_crawler.crawl.limits import MAX_BYTES
from forest_crawler.errors import MissingPackageError

MAX_HEADER = 64 * 1024
MAX_RECORD = MAX_BYTES["feed"] + MAX_HEADER
"""Bytes of a record that is read at all: beyond, it holds no page."""

_MEMBER = b"\x1f\x8b\x08"
_MEMBER_FORM = 16 + zlib.MAX_WBITS
_CHUNK = 1 << 16
_RECORD = b"WARC/"
_BLANK = b"\r\n\r\n"
_START = re.compile(rb"\n(?=WARC/[01]\.\d\r?\n)")
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)

_Bytes = bytes | mmap.mmap


@dataclass(slots=True)
class Damage:
    """What of a file cannot be read."""

    records: int = 0
    first: int = 0
    whole: int = 0

    def note(self, offset: int) -> None:
        """There is something at this byte that is no whole record."""
        self.first = self.first if self.records else offset
        self.records += 1

    def __str__(self) -> str:
        if not self.whole:
            return "no WARC file" if self.records else "empty"
        noun = "record" if self.records == 1 else "records"
        return f"{self.records} {noun} cannot be read, the first at byte {self.first}"


def read_responses(name: str | Path, damage: Damage) -> Iterator[Any]:
    """The responses of a file, as `warcio` has them; `damage` tells what is none."""
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed
    except ImportError as err:
        raise MissingPackageError("--from-warc", "warcio", extra="warc") from err
    with Path(name).open("rb") as file:
        for offset, block in split_file(file, damage):
            try:
                record = next(iter(ArchiveIterator(BytesIO(block))), None)
            # The last two where it misses a target, or a number where one must be.
            except (ArchiveLoadFailed, EOFError, OSError, AttributeError, ValueError):
                damage.note(offset)
                continue
            damage.whole += 1
            if record is not None and record.rec_type == "response" and record.http_headers:
                yield record


def split_file(file: BinaryIO, damage: Damage) -> Iterator[tuple[int, bytes]]:
    """Where each whole record of a file stands, and its bytes, unpacked."""
    try:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except ValueError:  # an empty file
        return
    with data:
        if data[: len(_RECORD)] == _RECORD or data.find(_MEMBER) < 0:
            yield from split_records(data, damage)
            return
        for offset, member in _unpack(data, damage):
            for _, record in split_records(member, damage, offset):
                yield offset, record


def split_records(data: _Bytes, damage: Damage, base: int = 0) -> Iterator[tuple[int, bytes]]:
    """The whole records of uncompressed bytes that lie at `base`."""
    start, size = 0, len(data)
    while start < size:
        end = _end_of_record(data, start)
        if end is None:
            damage.note(base + start)
            # A wrong length may have been too long: the next one may be within it.
            found = _START.search(data, start)
            start = found.end() if found else size
            continue
        if end - start <= MAX_RECORD:
            yield start, bytes(data[start:end]) + _BLANK
        else:
            damage.whole += 1
        start = end
        while data[start : start + 1] in (b"\r", b"\n"):
            start += 1


def _declared_end(data: _Bytes, start: int) -> int | None:
    head = bytes(data[start : start + MAX_HEADER])
    head = head[: head.find(_BLANK) + len(_BLANK)]
    length = _LENGTH.search(head) if head.startswith(_RECORD) else None
    return start + len(head) + int(length[1]) if length else None


def _end_of_record(data: _Bytes, start: int) -> int | None:
    """The end of the record that begins here, if its length leads to where a record may end."""
    end = _declared_end(data, start)
    if end is None or end > len(data):
        return None
    after = bytes(data[end : end + len(_BLANK + _RECORD)])
    is_last = end + len(after) == len(data) and not after.strip(b"\r\n")
    is_followed = after.startswith(_BLANK) or after.lstrip(b"\r\n").startswith(_RECORD)
    return end if is_last or is_followed else None


@dataclass(frozen=True, slots=True)
class _Member:
    """A gzip member: its first bytes, how many it has, and where it ends in the file."""

    data: bytes
    size: int
    end: int

    @property
    def is_large_record(self) -> bool:
        end = _declared_end(self.data, 0)
        return end is not None and 0 <= self.size - end <= len(_BLANK)


def _unpack(data: mmap.mmap, damage: Damage) -> Iterator[tuple[int, bytes]]:
    """The gzip members of a file, but for those that hold more than a page's record."""
    start = 0
    while start >= 0:
        member = _unpack_member(data, start)
        if member is not None and member.size <= MAX_RECORD:
            yield start, member.data
        elif member is not None and member.is_large_record:
            damage.whole += 1
        else:
            damage.note(start)
        start = data.find(_MEMBER, member.end if member else start + 1)


def _unpack_member(data: mmap.mmap, start: int) -> _Member | None:
    unpacker, parts, size = zlib.decompressobj(_MEMBER_FORM), list[bytes](), 0
    packed, position = b"", start
    while not unpacker.eof:
        if not packed:
            packed = data[position : position + _CHUNK]
            position += len(packed)
        if not packed:
            return None
        try:
            part = unpacker.decompress(packed, _CHUNK)
        except zlib.error:
            return None
        packed, size = unpacker.unconsumed_tail, size + len(part)
        if size <= MAX_RECORD or not parts:
            parts.append(part)
    return _Member(b"".join(parts), size, position - len(unpacker.unused_data))
