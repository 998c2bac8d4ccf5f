"""Give pages to a PHP program, a JSON line each, and read what it makes of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from benchmarks.consumers.program import Shown, need, only_loopback, run

_DRIVERS = Path(__file__).parent


def show_pages(driver: str, arguments: Iterable[str], pages: Iterable[Mapping[str, Any]]) -> Shown:
    """Run a driver of this directory; pages and results have a `url`."""
    lines = "".join(json.dumps(page) + "\n" for page in pages)
    program: list[str | Path] = [need("php"), _DRIVERS / driver, *arguments]
    printed = run(program, input=lines, env=only_loopback())
    rows = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
    return {row["url"]: row["html"] for row in rows}
