"""docs/explanation/reliability.md names every row once, and only tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
TEXT = (TESTS.parent / "docs" / "explanation" / "reliability.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([\w/]*test_\w+\.py)::(test_\w+)`", TEXT)))


def test_every_row_is_there_once_and_says_how_it_is_covered() -> None:
    rows = re.findall(r"^\| (\d+) \| .+ \| (\S.*) \|$", TEXT, re.MULTILINE)
    assert [int(number) for number, _ in rows] == list(range(1, 80))


def test_every_test_that_is_named_exists() -> None:
    missing = [
        f"{file}::{test}"
        for file, test in NAMED
        if f"def {test}(" not in (TESTS / file).read_text(encoding="utf-8")
    ]
    assert NAMED
    assert missing == []
