"""Articles as Markdown files with front matter, one file each, in a directory per site.

Static site generators and note-taking programs read them. A file's name has the day, a piece of the
title and of the article's id, so that writing an archive again changes nothing.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from forest_crawler.export.archive_rows import Row
from forest_crawler.export.file_names import safe_name
from forest_crawler.export.whole_file import replace_file

MAX_SLUG_LENGTH = 60
_FRONT = (
    "title", "authors", "date_publish", "date_modify", "date_download", "url", "canonical_url",
    "site", "sitename", "language", "description", "tags", "image_url", "id",
)  # fmt: skip
_OTHER = re.compile(r"[^a-z0-9]+")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


class MarkdownArchive:
    """A directory; `write` adds a file.

    `keeps_files`: a file that is there stays as it is, since somebody may have edited it.
    """

    def __init__(self, path: Path, *, keeps_files: bool = False) -> None:
        self._path = path
        self._keeps_files = keeps_files
        path.mkdir(parents=True, exist_ok=True)

    def write(self, row: Row) -> None:
        """Write an article's file, unless it is there with the same content."""
        directory = self._path / safe_name(str(row.get("site") or "unknown"))
        directory.mkdir(exist_ok=True)
        file = directory / name_file(row)
        if self._keeps_files and file.exists():
            return
        data = write_markdown(row).encode("utf-8", "replace")
        if not file.exists() or file.read_bytes() != data:
            replace_file(file, data)

    def finish(self) -> None:
        """Do nothing: every file is complete."""


def name_file(row: Row) -> str:
    """Name an article's file.

    >>> name_file({"date_publish": "2026-03-06T10:00:00Z", "title": "Été à l'île!", "id": "ab" * 9})
    '2026-03-06-ete-a-l-ile-abababababab.md'
    """
    day = _DAY.match(str(row.get("date_publish") or row.get("date_download") or ""))
    plain = unicodedata.normalize("NFKD", str(row.get("title") or ""))
    slug = _OTHER.sub("-", plain.encode("ascii", "ignore").decode().lower()).strip("-")
    number = _OTHER.sub("", str(row.get("id") or ""))[:12] or "article"
    parts = [day[0] if day else "", slug[:MAX_SLUG_LENGTH].strip("-"), number]
    return "-".join(filter(None, parts)) + ".md"


def write_markdown(row: Row) -> str:
    """Write front matter in YAML and the article's Markdown.

    >>> print(write_markdown({"title": 'A "b": c', "tags": ["x"], "markdown": "Text."}), end="")
    ---
    title: "A \\"b\\": c"
    tags: ["x"]
    ---
    <BLANKLINE>
    Text.
    """
    front = [f"{name}: {_to_yaml(row[name])}" for name in _FRONT if row.get(name)]
    return "\n".join(["---", *front, "---", "", str(row.get("markdown") or "")]).rstrip() + "\n"


def _to_yaml(value: Any) -> str:
    """Write a value as JSON, which is YAML except for some unprintable characters."""
    written = json.dumps(value, ensure_ascii=False)
    return "".join(char if char.isprintable() else _escape(ord(char)) for char in written)


def _escape(code: int) -> str:
    return f"\\u{code:04x}" if code < 2**16 else f"\\U{code:08x}"
