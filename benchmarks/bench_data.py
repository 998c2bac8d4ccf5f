"""Where the labelled pages are: the folder that FOREST_BENCH names."""

from __future__ import annotations

import os
import sys
from pathlib import Path

VARIABLE = "FOREST_BENCH"


def find_set(name: str) -> Path | None:
    """The file of a labelled set; says on stderr what is skipped where it is missing."""
    folder = os.environ.get(VARIABLE)
    path = Path(folder) / f"{name}.jsonl.gz" if folder else None
    if path is None or not path.is_file():
        print(f"skipped: no {name}.jsonl.gz in the folder that {VARIABLE} names", file=sys.stderr)
        return None
    return path
