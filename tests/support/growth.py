"""Compare how the CPU time of some work grows with its input.

Four times the input may take four times as long; a quadratic step takes sixteen times. Both sizes
run on the same machine at the same time, so a slow or busy one changes both.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

MAX_GROWTH = 10
"""Max ratio of the times for four times the input: between linear and quadratic."""
HARMLESS = 0.05
"""CPU seconds below which growth is noise, and would do no harm."""
ROUNDS = 5
"""Rounds in which the ratio may get below the max: noise passes, quadratic work does not."""

Work = Callable[[], object]


def assert_linear(work_of: Callable[[int], Work], size: int) -> None:
    """Compare the work on an input of `size // 4` with that on one of `size`.

    Whatever else the machine does only adds to a time, so the shortest of all rounds is compared.
    """
    large, small = work_of(size), work_of(size // 4)
    large_time = small_time = float("inf")
    for _ in range(ROUNDS):
        large_time = min(large_time, cpu_seconds(large))
        if large_time < HARMLESS:
            return
        small_time = min(small_time, *(cpu_seconds(small) for _ in range(3)))
        if large_time < MAX_GROWTH * small_time:
            return
    raise AssertionError(
        f"{large_time:.3f} s for an input of {size}, {small_time:.3f} s for a quarter of it"
    )


def cpu_seconds(work: Work) -> float:
    """Measure the CPU time of one run in this process."""
    gc.disable()  # or it would walk the large inputs' objects again and again
    try:
        start = time.process_time()
        work()
        return time.process_time() - start
    finally:
        gc.enable()
