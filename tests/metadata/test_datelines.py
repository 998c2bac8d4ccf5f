"""Dates are read near a page's headline, or guessed by htmldate."""

import pytest

from forest_crawler.metadata import datelines
from forest_crawler.metadata.datelines import guess_date, read_dateline
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


def test_the_date_is_guessed_from_the_url() -> None:
    tree = parse_page("<p>It rained.", url="http://gazette.example/2026/03/06/rain.html")
    found = guess_date(tree)
    assert found is not None
    assert found.date().isoformat() == "2026-03-06"


def test_guessing_a_date_does_not_change_the_tree() -> None:
    tree = parse_page("<script>1</script><p>It rained.<p>2026-03-06")
    before = tree.annotated_xml()
    guess_date(tree)
    assert tree.annotated_xml() == before


def test_only_the_beginning_of_a_large_page_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse_page(f"<p>{100 * 'It rained. '}<p>Published on 2026-03-06 at noon.")
    found = guess_date(tree)
    assert found is not None
    assert found.date().isoformat() == "2026-03-06"
    monkeypatch.setattr(datelines, "MAX_PAGE", 1000)
    assert guess_date(tree) is None
