"""What becomes of pages that did not arrive: attempts, put-offs, and hosts that are left."""

from __future__ import annotations

import time

import pytest

from forest_crawler.crawl.host_patience import MAX_HOST_WAIT, MAX_PAUSES, HostPatience
from forest_crawler.crawl.misses import MAX_ATTEMPTS, MAX_DROPS, Misses
from forest_crawler.crawl.outcomes import Outcome
from forest_crawler.store import Lease, open_store
from tests.support.store_builders import FakeClock, schedule

HOST = "a.example"


def lease(name: str = "1", attempts: int = 0, is_part: bool = False) -> Lease:
    return Lease(
        f"{HOST}/{name}", f"https://{HOST}/{name}", HOST, None, None, None, attempts, is_part
    )


def put_off(reason: str, seconds: float = 60.0) -> Outcome:
    return Outcome(reason, passing=True, retry_at=time.time() + seconds)


def test_host_that_wants_one_pause_after_the_other_is_left() -> None:
    clock = FakeClock()
    patience = HostPatience(clock=clock)
    for _ in range(MAX_PAUSES):
        for _ in range(3):  # three pages in flight: one pause
            patience.put_off(HOST, "retry-after", clock.time + 30, is_pause=True)
        assert patience.left_until(HOST) is None
        clock.time += 30
    patience.put_off(HOST, "robots-unavailable", clock.time + 30, is_pause=True)
    assert patience.left_until(HOST) == (float("inf"), "robots-unavailable")


def test_answer_between_two_pauses_starts_the_count_again() -> None:
    clock = FakeClock()
    patience = HostPatience(clock=clock)
    for _ in range(3 * MAX_PAUSES):
        patience.put_off(HOST, "retry-after", clock.time + 30, is_pause=True)
        clock.time += 30
        patience.answer(HOST)
    assert patience.left_until(HOST) is None


def test_host_is_left_an_hour_after_its_first_put_off_whatever_it_answers() -> None:
    clock = FakeClock()
    patience = HostPatience(clock=clock)
    patience.put_off(HOST, "crawl-delay", clock.time + 100, is_pause=False)
    assert not patience.is_too_late(HOST, clock.time + MAX_HOST_WAIT)
    assert patience.is_too_late(HOST, clock.time + MAX_HOST_WAIT + 1)
    clock.time += MAX_HOST_WAIT + 1
    patience.answer(HOST)
    assert patience.left_until(HOST) == (float("inf"), "crawl-delay")


def test_run_without_an_end_rests_longer_and_longer_from_a_host_and_starts_again() -> None:
    clock = FakeClock()
    patience = HostPatience(is_watching=True, clock=clock)
    rests = []
    for _ in range(3):
        while (left := patience.left_until(HOST)) is None:
            patience.put_off(HOST, "retry-after", clock.time, is_pause=True)
        rests.append(left[0] - clock.time)
        clock.time = left[0]
    # By `polling.back_off`, whose shortest interval is 900 s.
    assert rests == [900.0, 1800.0, 3600.0]


@pytest.mark.parametrize("reason", ["robots-unavailable", "retry-after"])
def test_put_offs_are_no_attempts(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock()
    monkeypatch.setattr(time, "time", clock)
    judging = Misses()
    found = []
    for _ in range(MAX_PAUSES + 1):
        found.append(judging.judge(lease(attempts=99), put_off(reason)).what)
        clock.time += 60
    assert found == ["retried"] * MAX_PAUSES + ["left"]


def test_passing_fault_is_retried_until_the_last_attempt() -> None:
    fault = Outcome("http-503", passing=True)
    found = [Misses().judge(lease(attempts=n), fault).what for n in range(MAX_ATTEMPTS)]
    assert found == ["retried", "retried", "failed"]


def test_page_that_the_scheduler_drops_is_left_after_a_few_offers() -> None:
    judging = Misses()
    found = [judging.judge(lease(), put_off("dropped")).what for _ in range(MAX_DROPS)]
    assert found == ["retried", "retried", "left"]
    assert judging.leave(lease("2")) is None  # the host is not at fault


def test_part_is_given_up_though_its_host_only_puts_it_off() -> None:
    found = [
        Misses().judge(lease(attempts=n, is_part=True), put_off("retry-after")).what
        for n in range(MAX_ATTEMPTS)
    ]
    assert found == ["retried", "retried", "failed"]


def test_pause_that_a_host_wants_is_in_the_store_for_its_other_pages() -> None:
    with open_store("sqlite://") as store:
        store.begin_run()
        schedule(store, ["1", "2"], HOST)
        (first,) = store.lease(1)
        Misses().judge(first, put_off("retry-after")).step(store)
        store.begin_run()  # after a kill
        assert store.lease(9) == []


@pytest.mark.parametrize(
    "outcome",
    [
        Outcome("retry-after", passing=True, retry_at=1.8e9 + 7200),
        Outcome("robots-unavailable", passing=True, retry_at=1.8e9 + 7200, cause="retry-after"),
    ],
    ids=["of the page", "of robots.txt"],
)
def test_pause_is_in_the_store_though_the_run_leaves_the_page(
    outcome: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", FakeClock())
    with open_store("sqlite://", now=FakeClock()) as store:
        store.begin_run()
        schedule(store, ["1"], HOST)
        (leased,) = store.lease(1)
        verdict = Misses().judge(leased, outcome)
        assert verdict.what == "left"  # an hour is as long as a run waits
        verdict.step(store)
        assert store.pause_ends([HOST, "b.example"]) == {HOST: 1.8e9 + 7200}
