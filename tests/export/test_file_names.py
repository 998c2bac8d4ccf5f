"""File names for sites and feeds stay inside their directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.export.file_names import safe_name

ROOT = Path("/srv/archive")


@given(st.text(st.characters(codec=None)))
def test_a_file_stays_in_its_directory(site: str) -> None:
    name = safe_name(site)
    assert (ROOT / name).resolve().parent == ROOT
    assert len(name.encode()) <= 255
    assert name.isascii()


@pytest.mark.parametrize(
    "site", ["../../etc", "a/b", "CON", "x" * 300, "a\x00b", "", ".", "..", "-rf", "a\nb"]
)
def test_odd_sites_get_plain_names(site: str) -> None:
    assert safe_name(site).replace("-", "").isalnum()
    assert not safe_name(site).startswith(("-", "."))


@pytest.mark.parametrize(
    ("one", "other"),
    [("a.example", "A.example"), ("a.b", "a-b"), ("а.example", "a.example")],
    ids=["capital", "dash", "cyrillic"],
)
def test_sites_with_the_same_slug_get_different_names(one: str, other: str) -> None:
    assert safe_name(one) != safe_name(other)
