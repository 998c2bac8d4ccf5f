"""Write labelled pages as a test package (Gottron), which `labelled_pages` reads.

A page becomes `NAME.html`, `NAME.json` with its metadata, and `NAME.txt` with its gold text. People
correct these files by hand, so a page that is in the package is never written again.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from forest_crawler.datasets.labelled_pages import (
    DESCRIPTION_FILE,
    FLAGS,
    PROPOSED_BY,
    LabelledPage,
)
from forest_crawler.errors import InputError
from forest_crawler.page.encoding import decode_page

_FIELDS: Final = ("url", "site", "language", "title", "author", "date", "kind", *FLAGS)


class PackageWriter:
    """Adds pages to a package; the first one creates it."""

    def __init__(self, directory: Path, *, add: bool = False) -> None:
        """Check the directory; raise `InputError` if it cannot become or isn't a package.

        `add` allows a directory that is a package already.
        """
        self.directory = directory
        self._description = directory / DESCRIPTION_FILE
        if self._description.is_file():
            if not add:
                raise InputError(
                    "is a test package already; --add adds pages to it, or name another directory",
                    str(directory),
                )
        elif directory.exists() and not directory.is_dir():
            raise InputError("isn't a directory; name a new one", str(directory))
        elif directory.is_dir() and any(directory.iterdir()):
            raise InputError(
                "has files but isn't a test package; name a new directory", str(directory)
            )

    def write(self, name: str, page: LabelledPage, *, proposed_by: str | None = None) -> bool:
        """Write a page with its gold under a name; return False if the name is taken."""
        if page.gold is None:
            raise ValueError(f"page {page.id!r} has no gold text")
        gold = self.directory / f"{name}.txt"
        if gold.exists():
            return False
        if not self._description.is_file():
            self.directory.mkdir(parents=True, exist_ok=True)
            self._description.write_bytes(_json({"name": self.directory.resolve().name}))
        # The gold comes last, as it makes the page a document of the package.
        gold.with_suffix(".html").write_bytes(_page_bytes(page.source))
        gold.with_suffix(".json").write_bytes(_json(_metadata(page, proposed_by)))
        gold.write_bytes(f"{page.gold}\n".encode("utf-8", "replace"))
        return True


def file_source(body: bytes, charset: str | None) -> bytes:
    """Return a fetched page so that it can be read without its HTTP header.

    `charset` is the one in the header. If the page alone has another encoding, it becomes UTF-8
    with a byte order mark, which comes before all other declarations.

    >>> file_source("<p>Příliš".encode("iso-8859-2"), "iso-8859-2").decode()
    '\\ufeff<p>Příliš'
    """
    encoding, text = decode_page(body, charset)
    if decode_page(body)[0] == encoding:
        return body
    return _page_bytes(text)


def _page_bytes(source: bytes | str) -> bytes:
    if isinstance(source, bytes):
        return source
    return codecs.BOM_UTF8 + source.encode("utf-8", "replace")


def _metadata(page: LabelledPage, proposed_by: str | None) -> Mapping[str, Any]:
    row: dict[str, Any] = {name: getattr(page, name) for name in _FIELDS}
    if page.entry:
        entry = page.entry
        values = {"title": entry.title, "description": entry.description, "link": entry.link}
        row["entry"] = {name: value for name, value in values.items() if value}
    row[PROPOSED_BY] = proposed_by
    return {name: value for name, value in row.items() if value is not None}


def _json(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, indent=2) + "\n"
    return text.encode("utf-8", "backslashreplace")  # a lone surrogate: as JSON escapes it
