"""Articles as Parquet, for pandas, DuckDB, Spark and their like; needs pyarrow."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from forest_crawler.export.archive_rows import Row

ROWS_PER_GROUP = 1000
"""Rows that are held in memory and compressed together: some ten megabytes of articles."""

_TYPES = {
    "authors": pa.list_(pa.string()),
    "tags": pa.list_(pa.string()),
    "confidence": pa.float64(),
    "http_status": pa.int32(),
    "free_access": pa.bool_(),
    "truncated": pa.bool_(),
}


class ParquetArchive:
    """A table; lists of names are lists, other structures are JSON in text columns."""

    def __init__(self, stream: BinaryIO, columns: Sequence[str]) -> None:
        self._schema = pa.schema([(name, _TYPES.get(name, pa.string())) for name in columns])
        self._writer = pq.ParquetWriter(stream, self._schema, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def write(self, row: Row) -> None:
        """Add an article."""
        self._rows.append({name: _to_value(name, row.get(name)) for name in self._schema.names})
        if len(self._rows) >= ROWS_PER_GROUP:
            self._write_group()

    def finish(self) -> None:
        """Write the last rows and the footer."""
        if self._rows:
            self._write_group()
        self._writer.close()

    def _write_group(self) -> None:
        self._writer.write_table(pa.Table.from_pylist(self._rows, self._schema))
        self._rows.clear()


def _to_value(name: str, value: Any) -> Any:
    if name in _TYPES:
        # Another tool's schema may have one text where ours has a list.
        is_text = isinstance(value, str) and pa.types.is_list(_TYPES[name])
        return [value] if is_text else value
    if value is None or isinstance(value, str):
        return value.encode("utf-8", "replace").decode() if value else value
    return json.dumps(value)
