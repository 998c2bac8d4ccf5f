"""Intervals follow how often a feed changes, whatever the clock does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.crawl.polling import (
    MAX_BACKOFF,
    MAX_INTERVAL,
    MIN_INTERVAL,
    adapt_interval,
    back_off,
    is_due,
)


def test_feed_with_new_entries_at_every_poll_is_soon_polled_at_the_min_interval() -> None:
    interval = 3600.0
    for _ in range(3):
        interval = adapt_interval(interval, new_entries=1)
    assert interval == MIN_INTERVAL  # 1800, 900, and no less


def test_silent_feed_is_polled_once_a_day_in_the_end() -> None:
    interval = 3600.0
    for _ in range(8):  # 3600 * 1.5 ** 8 > 86400 > 3600 * 1.5 ** 7
        interval = adapt_interval(interval, new_entries=0)
    assert interval == MAX_INTERVAL


@given(
    st.floats(0, 1e12), st.integers(0, 5000), st.none() | st.floats(0, 1e12), st.integers(0, 10**6)
)
def test_intervals_stay_within_bounds(
    interval: float, entries: int, requested: float | None, failures: int
) -> None:
    adapted = adapt_interval(interval, new_entries=entries, requested=requested)
    assert MIN_INTERVAL <= adapted <= MAX_INTERVAL
    assert MIN_INTERVAL <= back_off(interval, failures) <= MAX_BACKOFF


def test_source_that_fails_for_days_is_retried_less_and_less_but_never_dropped() -> None:
    waits = [back_off(3600, failures) for failures in range(1, 30)]
    assert waits == sorted(waits)
    assert waits[-1] == MAX_BACKOFF


@pytest.mark.parametrize("jump", [-365 * 86400.0, 365 * 86400.0], ids=["back", "forward"])
def test_clock_that_jumps_a_year_never_stops_the_polls(jump: float) -> None:
    now = 1.7e9
    planned = now + MAX_INTERVAL
    assert is_due(planned, now + jump)
