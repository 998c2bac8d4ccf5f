"""File names for sites: inside their directory, whatever a site's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.store.file_names import site_file_name

ROOT = Path("/srv/archive")


@given(st.text(st.characters(codec=None)))
def test_a_file_stays_in_its_directory(site: str) -> None:
    name = site_file_name(site, ".warc.gz")
    assert (ROOT / name).resolve().parent == ROOT
    assert len(name.encode()) <= 255
    assert name.isascii()


@pytest.mark.parametrize(
    "site", ["../../etc", "a/b", "CON", "x" * 300, "a\x00b", "", ".", "-rf", "a\nb"]
)
def test_odd_sites_get_plain_names(site: str) -> None:
    assert site_file_name(site).replace("-", "").isalnum()
    assert not site_file_name(site).startswith(("-", "."))


@pytest.mark.parametrize(
    ("one", "other"),
    [("a.example", "A.example"), ("a.b", "a-b"), ("а.example", "a.example")],
    ids=["capital", "dash", "cyrillic"],
)
def test_sites_with_the_same_slug_get_different_names(one: str, other: str) -> None:
    assert site_file_name(one) != site_file_name(other)
