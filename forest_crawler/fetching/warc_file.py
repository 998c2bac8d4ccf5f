"""`WarcFile`: writes responses as WARC records.

A page's record is on disk before the page is held, so that an archived article is always in a
file; a page in flight at a kill may be in two. A file is named `….warc.gz.open` while it grows, and
is locked, so that another crawl with the same directory leaves it alone.
"""

from __future__ import annotations

import fcntl
import os
import zlib
from datetime import UTC, datetime
from http import HTTPStatus
from io import BufferedWriter, BytesIO
from pathlib import Path
from threading import Lock
from typing import Any

from scrapy.http import Response

from forest_crawler.errors import MissingPackageError, StoreError

MAX_FILE = 1 << 30
"""Bytes after which a new file begins, as is usual in web archives."""

OPEN = ".open"
_DROPPED_HEADERS = {b"content-encoding", b"transfer-encoding", b"content-length"}
_STATUSES = frozenset(HTTPStatus)
_GZIP_FORM = 16 + zlib.MAX_WBITS
_CHUNK = 1 << 16


class WarcFile:
    """Appends responses to files in a directory; `sync` raises their errors."""

    def __init__(self, directory: str | Path) -> None:
        self._directory = Path(directory)
        self._lock = Lock()  # the event loop writes, the store's thread syncs
        self._error: OSError | None = None
        try:
            from warcio.warcwriter import WARCWriter
        except ImportError as err:
            raise MissingPackageError("--warc", "warcio", extra="warc") from err
        self._writer_class: Any = WARCWriter
        try:
            self._directory.mkdir(parents=True, exist_ok=True)
            for path in self._directory.glob(f"*.warc.gz{OPEN}"):
                close_file(path)
            self._begin()
        except OSError as err:
            raise self._store_error(err) from err

    def write(self, response: Response) -> None:
        """Append a response; an error is kept for `sync`."""
        with self._lock:
            try:
                self._write(response)
            except OSError as err:
                self._error = self._error or err

    def sync(self) -> None:
        """Make what was written durable; raises `StoreError` if the disk doesn't take it."""
        with self._lock:
            try:
                if self._error is not None:
                    raise self._error
                self._file.flush()
                os.fdatasync(self._file.fileno())
            except OSError as err:
                raise self._store_error(err) from err

    def close(self) -> None:
        """Give the file its final name."""
        with self._lock:
            self._end()

    def _write(self, response: Response) -> None:
        if self._file.tell() >= MAX_FILE:
            self._end()
            self._begin()
        headers = [
            (name.decode("latin-1"), value.decode("latin-1"))
            for name, values in response.headers.items()
            for value in values
            if name.lower() not in _DROPPED_HEADERS
        ]
        headers.append(("Content-Length", str(len(response.body))))
        record = self._writer.create_warc_record(
            response.url,
            "response",
            payload=BytesIO(response.body),
            http_headers=_http_headers(_status_line(response.status), headers, "HTTP/1.1"),
        )
        self._writer.write_record(record)

    def _begin(self) -> None:
        self._file = self._create()
        while not self._path.exists():  # another crawl took it for that of a killed one
            self._file.close()
            self._file = self._create()
        self._writer = self._writer_class(self._file, gzip=True)
        self._writer.write_record(
            self._writer.create_warcinfo_record(
                self._path.name.removesuffix(OPEN), {"software": "forest-crawler"}
            )
        )

    def _create(self) -> BufferedWriter:
        moment = datetime.now(UTC).strftime("%Y%m%d%H%M%S%f")
        self._path = self._directory / f"forest-{moment}-{os.getpid()}.warc.gz{OPEN}"
        file = self._path.open("wb")
        fcntl.flock(file, fcntl.LOCK_EX)
        return file

    def _end(self) -> None:
        self._file.flush()
        self._path.rename(self._path.with_name(self._path.name.removesuffix(OPEN)))
        self._file.close()  # after the renaming, as it releases the lock

    def _store_error(self, err: OSError) -> StoreError:
        return StoreError.unwritable(err, str(self._directory))


def _status_line(status: int) -> str:
    """Write a status with its usual phrase: Scrapy doesn't keep the server's own.

    >>> _status_line(404), _status_line(599)
    ('404 Not Found', '599 ')
    """
    phrase = HTTPStatus(status).phrase if status in _STATUSES else ""
    return f"{status} {phrase}"


def close_file(path: Path) -> None:
    """Give the file of a killed crawl its final name, without its torn last record.

    A file that a running crawl has locked stays as it is.
    """
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        file.truncate(_complete_length(path))
        os.fsync(file.fileno())
        path.rename(path.with_name(path.name.removesuffix(OPEN)))


def _complete_length(path: Path) -> int:
    """Return the length of the complete gzip members at the beginning of a file."""
    complete, offset, member = 0, 0, zlib.decompressobj(_GZIP_FORM)
    with path.open("rb") as file:
        while data := file.read(_CHUNK):
            while data:
                try:
                    member.decompress(data)
                except zlib.error:
                    return complete
                if not member.eof:
                    offset += len(data)
                    break
                offset += len(data) - len(member.unused_data)
                data, complete = member.unused_data, offset
                member = zlib.decompressobj(_GZIP_FORM)
    return complete


def _http_headers(status: str, headers: list[tuple[str, str]], protocol: str) -> Any:
    from warcio.statusandheaders import StatusAndHeaders

    return StatusAndHeaders(status, headers, protocol)
