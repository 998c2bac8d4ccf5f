"""Articles as CSV that spreadsheets open without running anything in it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from typing import Any, BinaryIO

from forest_crawler.export.archive_rows import Row

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet takes for the beginning of a formula, also in full width."""


class CsvArchive:
    """A table with a line of column names; UTF-8, commas, quotes where they are needed."""

    def __init__(self, stream: BinaryIO, columns: Sequence[str]) -> None:
        self._text = io.TextIOWrapper(stream, "utf-8", errors="replace", newline="")
        self._columns = list(columns)
        self._writer = csv.writer(self._text, lineterminator="\n")
        self._writer.writerow(self._columns)

    def write(self, row: Row) -> None:
        """Add an article."""
        self._writer.writerow([write_cell(row.get(name)) for name in self._columns])

    def finish(self) -> None:
        """Write what is buffered, and leave the stream open."""
        self._text.flush()
        self._text.detach()


def write_cell(value: Any) -> str:
    """Write a value as a cell; an apostrophe before it keeps a text from being a formula.

    >>> write_cell("=HYPERLINK(A1)"), write_cell(["Ann", "Bo"]), write_cell(-1), write_cell(None)
    ("'=HYPERLINK(A1)", 'Ann; Bo', '-1', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | list | tuple | dict):
        return json.dumps(value)
    if isinstance(value, list | tuple) and all(isinstance(part, str) for part in value):
        value = "; ".join(value)
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text.replace("\0", "")
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text
