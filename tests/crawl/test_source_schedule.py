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
    assert (schedule.next_poll is not None) is is_watching  # else nothing of it is kept
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


def test_operators_interval_brings_a_poll_forward_but_not_that_of_a_failing_source() -> None:
    now = time.time()
    schedule = SourceSchedule(every=300)
    for number, last_poll, failures in ((1, now - 301, 0), (2, now - 200, 0), (3, now - 301, 1)):
        it = source(number, due_in=3600)
        schedule.add(replace(it, last_poll=last_poll, failures=failures))
    assert polled(schedule) == [1]
    assert schedule.next_poll == pytest.approx(now + 100, abs=1)


def test_removed_sources_are_polled_no_longer_even_if_a_poll_is_under_way() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(source(1))
    assert polled(schedule) == [1]
    schedule.add(source(2))
    schedule.add(source(3, due_in=3600))
    schedule.remove({source(number).url for number in (1, 2, 3)})
    schedule.end(source(1))
    assert polled(schedule) == []
    assert schedule.next_poll is None


def test_source_that_returns_to_the_list_during_its_poll_is_polled_once() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(source(1))
    assert polled(schedule) == [1]
    schedule.remove({source(1).url})
    schedule.add(source(1))
    assert polled(schedule) == []
    schedule.end(source(1, due_in=3600))
    assert schedule.next_poll == pytest.approx(time.time() + 3600, abs=1)


def test_progress_counts_polls_that_have_ended() -> None:
    schedule = SourceSchedule()
    for number in (1, 2):
        schedule.add(source(number))
    schedule.add(source(3, due_in=3600))
    assert schedule.progress == (0, 2)
    assert polled(schedule) == [1, 2]
    schedule.end(source(1))
    assert schedule.progress == (1, 2)


def test_source_with_news_is_polled_before_it_is_due() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(source(1, due_in=3600))
    schedule.add(source(2, due_in=3600))
    schedule.poll_soon(2)
    assert polled(schedule) == [2]


def test_source_with_news_right_after_a_poll_waits_for_the_pause() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(replace(source(1, due_in=3600), last_poll=time.time()))
    schedule.poll_soon(1)
    assert polled(schedule) == []
    assert schedule.next_poll == pytest.approx(time.time() + MIN_PAUSE, abs=5)


def test_news_during_a_poll_are_not_forgotten() -> None:
    schedule = SourceSchedule(is_watching=True)
    schedule.add(source(1))
    assert polled(schedule) == [1]
    schedule.poll_soon(1)
    schedule.end(source(1, due_in=3600))
    assert schedule.next_poll == pytest.approx(time.time() + MIN_PAUSE, abs=5)
