"""`Scale`: the positions of values on an axis, and the axis's ticks."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MAX_TICKS: Final = 11
"""More labels would touch each other on a narrow screen."""

_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2)


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from its lowest to its highest tick."""

    ticks: tuple[float, ...]
    logarithmic: bool = False

    def position(self, value: float) -> float:
        """Return the position of a value: 0 at the lowest tick, 1 at the highest."""
        low, high, at = (self._transform(v) for v in (self.ticks[0], self.ticks[-1], value))
        return min(1.0, max(0.0, (at - low) / (high - low)))

    def _transform(self, value: float) -> float:
        return math.log10(max(value, self.ticks[0])) if self.logarithmic else value


def scale_shares(values: Iterable[float]) -> Scale:
    """Make an axis for scores from 0 to 1, as narrow as the scores allow.

    >>> scale_shares([0.48, 1.0]).ticks
    (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
    """
    found = list(values)
    for step in _STEPS:
        first = math.floor(round(min(found) / step, 6))
        last = max(math.ceil(round(max(found) / step, 6)), first + 1)
        if last - first < MAX_TICKS:
            break
    return Scale(tuple(round(step * i, 2) for i in range(first, last + 1)))


def scale_counts(values: Iterable[int]) -> Scale:
    """Make an axis from 0 for counts.

    >>> scale_counts([1, 10]).ticks, scale_counts([30]).ticks
    ((0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10), (0, 5, 10, 15, 20, 25, 30))
    """
    highest = max(1, *values)
    step = next(s * 10**e for e in range(12) for s in (1, 2, 5) if s * 10**e * MAX_TICKS > highest)
    return Scale(tuple(range(0, highest + step, step)))


def scale_times(values: Iterable[float]) -> Scale:
    """Make a logarithmic axis: methods differ by a factor of a thousand.

    >>> scale_times([0.03, 4.0]).ticks
    (0.01, 0.1, 1.0, 10.0)
    """
    exponents = [math.log10(value) for value in values if value > 0] or [0.0]
    low = math.floor(min(exponents))
    high = max(math.ceil(max(exponents)), low + 1)
    return Scale(tuple(10.0**e for e in range(low, high + 1)), logarithmic=True)
