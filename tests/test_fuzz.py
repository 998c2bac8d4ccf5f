"""The fuzzer's targets accept their seeds, and the fuzzer finds what it should."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.fuzz import TARGETS, mutate, read_seeds, try_input


@pytest.mark.parametrize("name", TARGETS)
def test_target_is_right_with_its_seeds_and_some_mutations(name: str) -> None:
    target, seeds = TARGETS[name], read_seeds(name)
    random = Random(0)  # noqa: S311
    inputs = [*seeds, *(mutate(seeds, random) for _ in range(30))]
    assert [it for it in inputs if try_input(target, it)] == []


def test_exception_that_is_not_ours_is_a_finding() -> None:
    def fail(data: bytes) -> None:
        raise IndexError(len(data))

    assert try_input(fail, b"abc") == "IndexError: 3"
