"""The benchmark's comparison of titles, authors and dates, on cases by hand."""

import pytest

from benchmarks.metadata import (
    Score,
    contains_title,
    name_set,
    same_authors,
    same_day,
    same_title,
    write_table,
)
from forest_crawler.datasets.labelled_pages import LabelledPage


@pytest.mark.parametrize(
    ("found", "gold", "same", "contained"),
    [
        ("“Rain” – at  last", "'RAIN' at last", True, True),
        ("Rain at last | Gazette", "Rain at last", False, True),
        # 4 letters of 10 are less than half.
        ("Rain", "Rain at last", False, False),
        (None, "Rain", False, False),
        ("Fog", "Rain", False, False),
    ],
)
def test_titles_are_compared_without_case_and_marks(
    found: str | None, gold: str, same: bool, contained: bool
) -> None:
    assert (same_title(found, gold), contains_title(found, gold)) == (same, contained)


@pytest.mark.parametrize(
    ("found", "gold", "same"),
    [
        (["Ann Lee", "Bo Ek"], "Bo Ek and Ann Lee", True),
        (["By Ann Lee; Bo Ek"], "Ann Lee, Bo Ek", True),
        (["Ann Lee"], "Ann Lee, Bo Ek", False),
        (["Ann Lee", "The Gazette"], "Ann Lee", False),
        ([], "Ann Lee", False),
        ([""], "Ann Lee", False),
    ],
)
def test_authors_are_compared_as_sets_of_names(found: list[str], gold: str, same: bool) -> None:
    assert same_authors(found, gold) is same


def test_names_are_split_in_the_same_way_on_both_sides() -> None:
    assert name_set(["Ann Lee, MD & Bo Ek"]) == {"annlee", "md", "boek"}


@pytest.mark.parametrize(
    ("found", "gold", "same"),
    [
        ("2026-03-06T23:59:00+01:00", "2026-03-06", True),
        ("2026-03-07", "2026-03-06", False),
        ("2026-03-07", "2026-03", True),  # the label has no day
        (None, "2026-03-06", False),
    ],
)
def test_dates_are_compared_as_far_as_the_label_goes(
    found: str | None, gold: str, same: bool
) -> None:
    assert same_day(found, gold) is same


def test_the_table_has_shares_of_labelled_pages_and_the_best_in_bold() -> None:
    pages = [
        LabelledPage("1", "s", None, "", title="Rain", author="Ann Lee", date="2026-03-06"),
        LabelledPage("2", "s", None, "", title="Fog"),
    ]
    ours = Score("forest", titles=2, contained=2, authors=1, silent=0, dates=1)
    theirs = Score("forest", titles=1, contained=2, authors=0, silent=1, dates=1)
    rows = write_table([ours, theirs], pages).splitlines()[-2:]
    assert "| **100.0** | **100.0** | **100.0** | 0.0 | **100.0** |" in rows[0]
    assert "| 50.0 | **100.0** | 0.0 | **100.0** | **100.0** |" in rows[1]
