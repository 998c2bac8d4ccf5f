"""Find the labelled sets in the folder that FOREST_BENCH names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from forest_crawler.page.encoding import decode_page

VARIABLE = "FOREST_BENCH"


def find_set(name: str) -> Path | None:
    """Find the file of a labelled set; if it is missing, report that and return None."""
    folder = os.environ.get(VARIABLE)
    path = Path(folder) / f"{name}.jsonl.gz" if folder else None
    if path is None or not path.is_file():
        message = f"skipped: there is no {name}.jsonl.gz in the folder that {VARIABLE} names"
        print(message, file=sys.stderr)
        return None
    return path


def encode(source: bytes | str) -> tuple[bytes, str]:
    """Encode a page as its site sent it: in the encoding that its `meta` declares."""
    encoding, text = decode_page(source.encode() if isinstance(source, str) else source)
    if isinstance(source, str):
        text = source
    return text.encode(encoding, "xmlcharrefreplace"), encoding
