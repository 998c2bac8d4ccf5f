"""Sources are polled when they are due, and again only while watching."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from forest_crawler.crawl.source_schedule import MAX_POLLS, MIN_PAUSE, SourceSchedule
from forest_crawler.store import Source


def source(number: int = 1, *, due_in: float = -1.0, status: str | None = None) -> Source:
    url = f"https://gazette.example/{number}"
    return Source(number, url, next_poll=time.time() + due_in, status=status)


def polled(schedule: SourceSchedule) -> list[int]:
    return [source.id for source in schedule.begin_polls()]


def test_only_sources_that_are_due_are_polled() -> None:
    schedule = SourceSchedule()
    schedule.add(source(1))
    schedule.add(source(2, due_in=3600))
    assert polled(schedule) == [1]
    assert schedule.not_due == 1


def test_all_sources_are_polled_if_the_run_is_to() -> None:
    schedule = SourceSchedule(polls_all=True)
    schedule.add(source(1, due_in=3600))
    assert polled(schedule) == [1]
    assert schedule.not_due == 0


@pytest.mark.parametrize("status", ["port", "private-address"])
def test_source_that_another_runs_options_refused_is_polled_at_once(status: str) -> None:
    schedule = SourceSchedule()
    schedule.add(source(1, due_in=3600, status=status))
    assert polled(schedule) == [1]


def test_so_many_polls_are_under_way_at_a_time() -> None:
    schedule = SourceSchedule()
    sources = [source(number) for number in range(MAX_POLLS + 2)]
    for it in sources:
        schedule.add(it)
    assert len(polled(schedule)) == MAX_POLLS
    assert polled(schedule) == []
    schedule.end(replace(sources[0], next_poll=time.time() + 3600))
    assert polled(schedule) == [MAX_POLLS]


def test_run_is_done_when_its_polls_have_ended() -> None:
    schedule = SourceSchedule()
    schedule.add(source(1))
    seen = [schedule.is_done]
    polled(schedule)
    seen.append(schedule.is_done)
    schedule.end(source(1))
    assert [*seen, schedule.is_done] == [False, False, True]
    assert schedule.not_due == 0  # it was polled, and is not due again


@pytest.mark.parametrize("is_watching", [False, True])
def test_source_is_polled_again_only_while_watching(
    is_watching: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    schedule = SourceSchedule(is_watching=is_watching)
    schedule.add(source(1))
    assert polled(schedule) == [1]
    schedule.end(source(1))
    assert polled(schedule) == []  # not at once, though it is due
    later = time.time() + MIN_PAUSE + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert polled(schedule) == ([1] if is_watching else [])
    assert schedule.is_done is not is_watching


def test_disabled_source_is_not_scheduled_again() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(source(1))
    polled(schedule)
    schedule.end(replace(source(1), disabled=True))
    assert schedule.not_due == 0
