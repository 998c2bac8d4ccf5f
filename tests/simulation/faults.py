"""What goes wrong in a simulated process, and when."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random


class Killed(BaseException):
    """The simulated process is killed here."""


@dataclass(slots=True)
class Faults:
    """After so many points of the store a kill, or an error; at other times since the start."""

    kill_after: int = -1
    fail_after: int = -1
    conflict_share: float = 0.0  # of commits that the server rolls back for another process's
    kill_at: float | None = None  # seconds after the process's start, as all that follow
    pauses: list[tuple[float, float]] = field(default_factory=list)  # SIGSTOP: when, how long
    cuts: list[tuple[float, float]] = field(default_factory=list)  # no connection to the server


def random_faults(random: Random) -> Faults:
    """Make the faults of a process that has the store alone."""
    draw = random.random()
    if draw < 0.4:
        return Faults(kill_after=int(random.expovariate(1 / 80)))
    return Faults(fail_after=int(random.expovariate(1 / 80))) if draw < 0.5 else Faults()


def random_joined_faults(random: Random, lease: float) -> Faults:
    """Make the faults of a process that shares the store, with leases of so many seconds."""
    found = Faults(conflict_share=random.choice([0.0, 0.02]))
    draw = random.random()
    if draw < 0.15:
        found.kill_after = int(random.expovariate(1 / 60))
    elif draw < 0.3:
        found.kill_at = random.expovariate(1 / random.choice([5.0, 60.0]))
    elif draw < 0.35:
        found.fail_after = int(random.expovariate(1 / 60))
    elif draw < 0.75:
        found.pauses = _spans(random, lease)
    elif draw < 0.85:
        found.cuts = _spans(random, lease)
    return found


def _spans(random: Random, lease: float) -> list[tuple[float, float]]:
    """Make one or two times at which a process is away, for longer than its lease or not."""
    mean, end = random.choice([4.0, 60.0]), 0.0
    spans: list[tuple[float, float]] = []
    for _ in range(random.randint(1, 2)):
        at = end + random.expovariate(1 / mean)
        seconds = lease * random.choice([0.1, 0.6, 0.9, 1.2, 2.5])
        spans.append((at, seconds))
        end = at + seconds + lease
    return spans
