"""Durations are read as people write them, and nothing else is."""

from __future__ import annotations

import pytest

from forest_crawler.text.durations import read_duration, write_clock


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90s", 90), ("5m", 300), ("2h", 7200), ("1d", 86_400), (" 1D12H ", 129_600), ("0s", 0)],
)
def test_duration_is_read(text: str, seconds: float) -> None:
    assert read_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "5", "m", "5 m", "-5m", "1.5h", "5m1h", "٣m", "9999999s"])
def test_other_texts_are_refused_by_name(text: str) -> None:
    with pytest.raises(ValueError, match="isn't a duration"):
        read_duration(text)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(29.9, "0:29"), (30.0, "0:30"), (90.0, "1:30"), (3600.0, "1:00:00")]
)
def test_clock_does_not_round_up(seconds: float, shown: str) -> None:
    assert write_clock(seconds) == shown
