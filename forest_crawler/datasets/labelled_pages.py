"""Read pages from disk: test packages, directories, and JSON lines.

The input of `forest induce`, `forest extract` and `forest evaluate`. Three forms are read:

- a *test package* (Gottron): a directory with the description file `package.json`, and for every
  document `NAME.html`, the gold text `NAME.txt` and optional metadata in `NAME.json` (url,
  language, title, author, date, kind, site, fragmented, multiple, entry); entries of the package's
  feed (`"feed"` in the description) belong to the documents that they link to. Directories of
  packages are read, too;
- any directory of `.html` files, with or without gold, or a single such file;
- standard input (`-`): JSON lines if it begins with `{` or is gzipped, else a page;
- JSON lines, plain or gzipped: an object per line with `html`, and if known
  `id`, `site`, `url`, `gold`, `title`, `author`, `date`, `kind`, `lang`, `keywords`,
  `fragmented`, `multiple`, `entry`.

The nodes of the gold can be labelled, too: in the page's source, or by the field `gold_nodes`
(`forest_crawler.datasets.gold_nodes`).
"""

from __future__ import annotations

import gzip
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final
from urllib.parse import urlsplit

from forest_crawler.datasets.gold_nodes import FIELD as GOLD_NODES
from forest_crawler.datasets.gold_nodes import read_node_gold
from forest_crawler.datasets.json_fields import (
    Json,
    decode,
    get_flag,
    get_string,
    parse_object,
    read_bytes,
    read_object,
)
from forest_crawler.errors import FeedError, InputError
from forest_crawler.feed.entry_codec import decode_entry
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import FeedEntry

DESCRIPTION_FILE: Final = "package.json"
PAGE_SUFFIXES: Final = (".html", ".htm")
PROPOSED_BY: Final = "proposed_by"
"""The field that says which extractor proposed the gold; a person who corrects it removes it."""

FLAGS: Final = ("fragmented", "multiple")
"""Gottron's flags of a page: fields of `LabelledPage` that are true, false or unknown."""

MAX_LINE: Final = 2**26
"""Bytes of a JSON line, or of what is unpacked of one."""

MAX_STREAM: Final = 2**30
"""Bytes that are read from a pipe, since its lines are kept in memory."""

_GZIP_MAGIC = b"\x1f\x8b"
_BRACE = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
_PAGE_HINT = f"; a page's name must end in {PAGE_SUFFIXES[0]}"


@dataclass(frozen=True, slots=True)
class LabelledPage:
    """A page as it was fetched, with labels and feed entry; `None` if absent."""

    id: str
    site: str
    url: str | None
    source: bytes | str
    gold: str | None = None
    entry: FeedEntry | None = None
    title: str | None = None
    author: str | None = None
    date: str | None = None
    kind: str | None = None
    language: str | None = None
    fragmented: bool | None = None  # other content interrupts the article
    multiple: bool | None = None  # the page has several articles
    gold_nodes: frozenset[int] | None = None  # dfs numbers of content elements, if labelled
    keywords: str | None = None  # what the page is about, in words of its own
    proposed_by: str | None = None  # the extractor whose text the gold is, until a person reads it
    http_status: int | None = None  # of the response, if it was fetched just now
    fetched_at: float | None = None  # seconds since 1970

    @property
    def size(self) -> int:
        """Length of the source in bytes; of text, as UTF-8."""
        if isinstance(self.source, bytes):
            return len(self.source)
        return len(self.source.encode("utf-8", "surrogatepass"))


def read_pages(path: str | Path) -> Iterator[LabelledPage]:
    """Read the pages of a package, directory, page, or JSON lines; `-` is stdin.

    Pages come in line order, from directories by name. Raises `InputError`, with file and line, at
    the first broken page, and if there is no page at all.
    """
    name = str(path)
    where = Path(path)
    if name == "-":
        pages = _read_stdin(sys.stdin.buffer)
    elif where.is_dir():
        pages = _read_directory(where)
    elif where.suffix.lower() in PAGE_SUFFIXES and where.is_file():
        pages = iter([_read_document(where, where.resolve().parent.name, None, {})])
    elif where.exists():
        pages = _read_file(where)
    else:
        raise InputError("no such file or directory", name)
    found = False
    for page in pages:
        found = True
        yield page
    if not found:
        raise InputError(f"no pages in it: no {PAGE_SUFFIXES[0]} file, and no JSON line", name)


def _read_file(path: Path) -> Iterator[LabelledPage]:
    with path.open("rb") as stream:
        yield from _read_lines(stream, path.name.split(".")[0], str(path))


def _read_stdin(stream: BinaryIO) -> Iterator[LabelledPage]:
    """Read JSON lines, which begin with `{`, or the page that somebody has piped."""
    data = _read_all(stream, "-")
    if not data.strip() or data.startswith(_GZIP_MAGIC) or _BRACE.match(data):
        yield from _read_lines(BytesIO(data), "stdin", "-")
    else:
        yield LabelledPage(id="stdin", site="stdin", url=None, source=data)


def _read_lines(stream: BinaryIO, site: str, path: str) -> Iterator[LabelledPage]:
    for number, line in enumerate(_unzipped_lines(stream, path), 1):
        if line.strip():
            location = f"{path}:{number}"
            yield _page_from_line(parse_object(line, location, _PAGE_HINT), site, number, location)


def _unzipped_lines(stream: BinaryIO, path: str) -> Iterator[bytes]:
    if not stream.seekable():  # a pipe
        stream = BytesIO(_read_all(stream, path))
    is_gzip = stream.read(len(_GZIP_MAGIC)) == _GZIP_MAGIC
    stream.seek(0)
    lines = gzip.GzipFile(fileobj=stream) if is_gzip else stream
    try:
        while line := lines.readline(MAX_LINE + 1):
            if len(line) > MAX_LINE:
                raise InputError(f"a line has more than {MAX_LINE:,} bytes; split it", path)
            yield line
    except (EOFError, zlib.error, gzip.BadGzipFile) as err:
        raise InputError(f"broken gzip data ({err}); fetch or pack it again", path) from err


def _read_all(stream: BinaryIO, path: str) -> bytes:
    data = stream.read(MAX_STREAM + 1)
    if len(data) > MAX_STREAM:
        raise InputError(f"longer than {MAX_STREAM:,} bytes; write it to a file first", path)
    return data


def _page_from_line(row: Json, site: str, number: int, location: str) -> LabelledPage:
    source = get_string(row, "html", location)
    if source is None:
        raise InputError("no field 'html' with the page's source", location)
    url = get_string(row, "url", location)
    host = urlsplit(url).hostname if url else None
    page = LabelledPage(
        id=get_string(row, "id", location) or url or str(number),
        site=get_string(row, "site", location) or host or site,
        url=url,
        source=source,
        gold=get_string(row, "gold", location),
        entry=_entry_from_row(row, location),
        title=get_string(row, "title", location),
        author=get_string(row, "author", location),
        date=get_string(row, "date", location),
        kind=get_string(row, "kind", location),
        fragmented=get_flag(row, "fragmented", location),
        multiple=get_flag(row, "multiple", location),
        language=get_string(row, "lang", location),
        keywords=get_string(row, "keywords", location),
        proposed_by=get_string(row, PROPOSED_BY, location),
    )
    return _with_node_gold(page, row, location)


def _with_node_gold(page: LabelledPage, row: Json, location: str) -> LabelledPage:
    """Add the gold that is labelled by nodes; without a gold text, theirs is the gold."""
    nodes = read_node_gold(page.source, row.get(GOLD_NODES), location)
    if nodes is None:
        return page
    gold = nodes.text if page.gold is None else page.gold
    return replace(page, source=nodes.source, gold=gold, gold_nodes=nodes.elements)


def _entry_from_row(row: Json, location: str) -> FeedEntry | None:
    values = row.get("entry")
    if values is None:
        return None
    if not isinstance(values, dict):
        raise InputError("field 'entry' isn't an object", location)
    texts = {name: get_string(values, name, location) for name in ("title", "description")}
    return decode_entry(texts, link=get_string(values, "link", location))


def _read_directory(path: Path) -> Iterator[LabelledPage]:
    """Read a directory's own pages; without any, those of its directories."""
    description = _read_description(path)
    documents = _documents(path, description)
    if description or documents:
        yield from _read_documents(path, documents, description)
        return
    for inner in sorted(path.iterdir()):
        if inner.is_dir():
            description = _read_description(inner)
            yield from _read_documents(inner, _documents(inner, description), description)


def _read_description(path: Path) -> Json:
    file = path / DESCRIPTION_FILE
    return read_object(file) if file.is_file() else {}


def _documents(path: Path, description: Json) -> list[Path]:
    """Return the pages with gold text; if none has any, every page but the home page."""
    pages = sorted(file for file in path.iterdir() if file.suffix.lower() in PAGE_SUFFIXES)
    labelled = [page for page in pages if page.with_suffix(".txt").is_file()]
    return labelled or [page for page in pages if page.name != description.get("home")]


def _read_documents(
    path: Path, documents: Iterable[Path], description: Json
) -> Iterator[LabelledPage]:
    location = str(path / DESCRIPTION_FILE)
    site = get_string(description, "name", location) or path.resolve().name
    language = get_string(description, "language", location)
    feed = get_string(description, "feed", location)
    entries = _read_entries(path / feed) if feed else {}
    for document in documents:
        yield _read_document(document, site, language, entries)


def _read_document(
    document: Path, site: str, language: str | None, entries: Mapping[str, FeedEntry]
) -> LabelledPage:
    metadata = document.with_suffix(".json")
    row = read_object(metadata) if metadata.is_file() else {}
    location = str(metadata)
    url = get_string(row, "url", location)
    gold = document.with_suffix(".txt")
    page = LabelledPage(
        id=document.stem,
        site=get_string(row, "site", location) or site,
        url=url,
        source=read_bytes(document),
        gold=decode(read_bytes(gold), str(gold)) if gold.is_file() else None,
        entry=_entry_from_row(row, location) or (entries.get(url) if url else None),
        title=get_string(row, "title", location),
        author=get_string(row, "author", location),
        date=get_string(row, "date", location),
        kind=get_string(row, "kind", location),
        fragmented=get_flag(row, "fragmented", location),
        multiple=get_flag(row, "multiple", location),
        language=get_string(row, "language", location) or language,
        proposed_by=get_string(row, PROPOSED_BY, location),
    )
    return _with_node_gold(page, row, location)


def _read_entries(path: Path) -> dict[str, FeedEntry]:
    try:
        feed = read_feed(read_bytes(path), url="")
    except FeedError as err:
        raise InputError(f"no entries in it: {err.reason}", str(path)) from err
    if not feed.entries:
        raise InputError("no entries in it", str(path))
    return {entry.link: entry for entry in feed.entries if entry.link}
