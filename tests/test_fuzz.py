"""The fuzzer's targets accept their seeds, and the fuzzer finds what it should."""

from __future__ import annotations

import time
from random import Random

import pytest

from benchmarks import fuzz
from benchmarks.fuzz import REFUSED, TARGETS, make_input, read_seeds, try_input


@pytest.mark.parametrize("name", TARGETS)
def test_target_is_right_with_its_seeds_and_some_mutations(name: str) -> None:
    target, seeds = TARGETS[name], read_seeds(name)
    random = Random(0)  # noqa: S311
    assert [try_input(target, seed) for seed in seeds] == [None] * len(seeds)  # none is refused
    results = [try_input(target, make_input(name, seeds, random)) for _ in range(60)]
    assert set(results) <= {None, REFUSED}
    assert results.count(None) >= 2  # refused inputs alone would test little


def test_exception_that_is_not_ours_is_a_finding() -> None:
    def fail(data: bytes) -> None:
        raise IndexError(len(data))

    assert try_input(fail, b"abc") == "IndexError: 3"


def test_input_that_takes_seconds_of_the_processor_is_a_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fuzz, "MAX_TIME", 0.02)
    assert str(try_input(lambda data: _spin(0.05), b"")).startswith("takes ")
    assert try_input(lambda data: time.sleep(0.05), b"") is None  # on a busy machine


def _spin(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
