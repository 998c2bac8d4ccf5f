"""The benchmark of shares counts a sample for the innermost stage on the stack."""

from __future__ import annotations

import sys
from pkgutil import resolve_name
from types import FrameType

import pytest

from benchmarks.shares import (
    ARTICLE_STAGES,
    INDUCTION_STAGES,
    PAGE_STAGES,
    REST,
    find_stage,
    format_table,
)


def inner() -> FrameType:
    return sys._getframe()


def outer() -> FrameType:
    return inner()


def test_the_innermost_stage_counts() -> None:
    names = {f"{__name__}.outer": "whole", f"{__name__}.inner": "part"}
    frame = outer()
    assert find_stage(frame, names) == "part"
    assert find_stage(frame.f_back, names) == "whole"
    assert find_stage(frame, {}) == REST


def test_the_largest_share_of_the_first_set_is_on_top() -> None:
    shares = {"big9": {"tree": 0.25, "trees": 0.75}, "chaos": {"tree": 1.0}}
    assert format_table("page", shares).splitlines()[2:] == [
        "| trees | 75% | 0% |",
        "| tree | 25% | 100% |",
    ]


@pytest.mark.parametrize("name", sorted({*ARTICLE_STAGES, *PAGE_STAGES, *INDUCTION_STAGES}))
def test_stages_are_functions_that_exist(name: str) -> None:
    assert resolve_name(f"forest_crawler.{name}") is not None
