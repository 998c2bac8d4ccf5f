"""The manifest of a folder of parts: which parts are complete, with their sizes and checksums.

It consists of entries, small files in `_manifest/`, so that many writers need no common file. An
entry is written after its parts. A part that no entry lists isn't there: it may be that of a step
which was killed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from forest_crawler.errors import InputError
from forest_crawler.export.folders import Folder
from forest_crawler.export.parts import Part

MANIFEST = "_manifest"
FORMAT, VERSION = "forest-parts", 1


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """The parts of one step, and what the writer says about them."""

    name: str
    parts: Sequence[Part]
    about: Mapping[str, Any] = field(default_factory=dict)


def write_entry(folder: Folder, entry: ManifestEntry) -> None:
    """List an entry's parts as complete; parts that it listed before and no longer are removed."""
    old = read_entry(folder, entry.name)
    document = {
        "format": FORMAT,
        "version": VERSION,
        "parts": [asdict(part) for part in entry.parts],
        "about": dict(entry.about),
    }
    data = json.dumps(document, indent=1, sort_keys=True, ensure_ascii=True) + "\n"
    folder.write(_path(entry.name), data.encode())
    for name in sorted(_names(old) - _names(entry)):
        folder.remove(name)


def read_entry(folder: Folder, name: str) -> ManifestEntry | None:
    """Read an entry; `None` if there is none of that name.

    Raises `InputError` if it isn't an entry, or one of another version.
    """
    data = folder.read(_path(name))
    if data is None:
        return None
    where = f"{folder.address}/{_path(name)}"
    try:
        document = json.loads(data)
        if document["format"] != FORMAT or document["version"] != VERSION:
            raise InputError("not an entry of a manifest that this version reads", where)
        parts = [Part(**row) for row in document["parts"]]
        return ManifestEntry(name, parts, dict(document["about"]))
    except (ValueError, TypeError, KeyError) as err:
        raise InputError("not an entry of a manifest", where) from err


def read_manifest(folder: Folder) -> Iterator[ManifestEntry]:
    """Yield the entries by name; an empty folder has none."""
    for path in folder.names(MANIFEST):
        name = path.removeprefix(f"{MANIFEST}/").removesuffix(".json")
        entry = read_entry(folder, name) if path == _path(name) else None
        if entry is not None:
            yield entry


def refuse_others(folder: Folder, stem: str) -> None:
    """Raise if a folder has the parts of another writer: readers would get articles twice.

    The entries of one writer begin with its stem.
    """
    for entry in read_manifest(folder):
        if not entry.name.startswith(stem):
            message = f"has the parts of another writer ({entry.name}); name another folder"
            raise InputError(message, folder.address)


def list_parts(folder: Folder) -> list[Part]:
    """Return the complete parts, in the order of entries."""
    return [part for entry in read_manifest(folder) for part in entry.parts]


def check_parts(folder: Folder) -> Iterator[tuple[str, str]]:
    """Yield the parts that differ from the manifest, and how: missing, damaged, unlisted."""
    listed = {part.name: part for part in list_parts(folder)}
    for name, part in listed.items():
        data = folder.read(name)
        if data is None:
            yield name, "missing"
        elif len(data) != part.bytes or hashlib.sha256(data).hexdigest() != part.sha256:
            yield name, "damaged"
    for name in folder.names():
        is_part = not any(step.startswith("_") for step in name.split("/"))
        if is_part and name not in listed:
            yield name, "unlisted"


def _path(name: str) -> str:
    return f"{MANIFEST}/{name}.json"


def _names(entry: ManifestEntry | None) -> set[str]:
    return {part.name for part in entry.parts} if entry else set()
