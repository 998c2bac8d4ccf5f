"""Where the values of an article come from."""

from __future__ import annotations

import pytest

from forest_crawler.studio.effects import PageSource
from forest_crawler.studio.provenance import trace_values

URL = "https://gazette.example/ferry"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (f"<link rel=canonical href={URL}>", "the page's metadata"),
        ("<title>Ferry</title>", "the page's address"),
    ],
    ids=["stated", "not stated"],
)
def test_a_canonical_url_is_the_pages_own_if_the_page_states_none(head: str, expected: str) -> None:
    page = PageSource("ferry", URL, f"{head}<p>The ferry is back.</p>".encode())
    traced = trace_values(page, None, None, {"canonical_url": URL})
    assert traced == {"canonical_url": expected}
