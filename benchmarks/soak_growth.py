"""What a soak measures over time, and whether it grows without bound."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

MEGABYTE = 1 << 20

WARM_UP = 3 / 8
"""Share of the time after which memory and descriptors must stay as they are: at the start every
site is new, its wrappers are induced and its connections are opened."""

MAX_MEMORY_GROWTH = 5.0
"""Megabytes per simulated hour by which the crawl's process may grow after that."""

MAX_DESCRIPTOR_GROWTH = 4.0
"""Descriptors per simulated hour by which their number may grow after that."""

MAX_WAL = 64.0
"""Megabytes of the store's write-ahead log, which is emptied at 4 unless somebody reads."""

HEADER = "  time  articles  pending  crawl MB  workers MB  descriptors  store MB  log MB"


@dataclass(frozen=True, slots=True)
class Sample:
    """The state of a crawl at one time; sizes are in megabytes."""

    hours: float
    articles: int
    pending: int
    memory: float  # of the crawl's process
    worker_memory: float  # of all processes below it
    descriptors: int
    store: float
    wal: float

    def line(self) -> str:
        """Return a row of the table under `HEADER`."""
        minutes = round(self.hours * 60)
        return (
            f"{minutes // 60:3d}:{minutes % 60:02d}{self.articles:10d}{self.pending:9d}"
            f"{self.memory:10.1f}{self.worker_memory:12.1f}{self.descriptors:13d}"
            f"{self.store:10.1f}{self.wal:8.1f}"
        )


def growth_per_hour(hours: Sequence[float], values: Sequence[float]) -> float:
    """Return the median slope between any two points (Theil and Sen), which no peak changes.

    >>> growth_per_hour([0, 1, 2, 3], [10, 12, 50, 16])
    2.0
    """
    points = list(zip(hours, values, strict=True))
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x2 > x1]
    return float(median(slopes)) if slopes else 0.0


def find_growth(samples: Sequence[Sample]) -> list[str]:
    """Return what grows without bound, a line each."""
    warm = [it for it in samples if it.hours >= WARM_UP * samples[-1].hours]
    limits: list[tuple[str, Callable[[Sample], float], float]] = [
        ("the crawl's memory", lambda it: it.memory, MAX_MEMORY_GROWTH),
        ("descriptors", lambda it: it.descriptors, MAX_DESCRIPTOR_GROWTH),
    ]
    found = []
    for name, value, limit in limits:
        slope = growth_per_hour([it.hours for it in warm], [value(it) for it in warm])
        if slope > limit:
            found.append(f"{name}: {slope:+.1f} per hour, at most {limit:.1f} are allowed")
    largest = max(it.wal for it in samples)
    if largest > MAX_WAL:
        found.append(f"the store's log reached {largest:.0f} MB, at most {MAX_WAL:.0f} are allowed")
    return found


def process_memory(pid: int) -> float:
    """Return the resident megabytes of a process; 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / MEGABYTE


def descendants(pid: int) -> list[int]:
    """Return the processes below a process."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        try:
            path = Path(f"/proc/{waiting[-1]}/task/{waiting.pop()}/children")
            children = [int(word) for word in path.read_text().split()]
        except OSError:
            continue
        found += children
        waiting += children
    return found


def count_descriptors(pid: int) -> int:
    """Return how many descriptors a process has open; 0 if it has ended."""
    try:
        return sum(1 for _ in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:
        return 0


def file_size(path: Path) -> float:
    """Return the megabytes of a file; 0 if there is none."""
    return path.stat().st_size / MEGABYTE if path.exists() else 0.0
