"""Dates are read near a page's headline."""

import pytest

from forest_crawler.metadata.datelines import read_dateline
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("body", "day"),
    [
        ("<h1>Rain</h1><p>6 March 2026</p>", "2026-03-06"),
        ("<h1>Rain</h1><p>Published on March 6th, 2026 by Ann</p>", "2026-03-06"),
        ("<h1>Rain</h1><p>Updated 9 March 2026</p><p>Published 6 March 2026", "2026-03-06"),
        ("<h1>Rain</h1><p>Last updated:</p><p>9 March 2026</p>", "2026-03-09"),
        ("<h1>Rain</h1><p>2026-03-06", "2026-03-06"),
        ("<h1>Rain</h1><p>Am 30. Februar 2026", None),
        ("<h1>Rain</h1><p>It rained " + "and rained " * 20 + "until 6 March 2026", None),
        ("<p>6 March 2026</p>", None),
    ],
)
def test_the_date_line_near_the_headline_is_read(body: str, day: str | None) -> None:
    found = read_dateline(parse_page(body))
    assert (found.date().isoformat() if found else None) == day
