"""`CpuMeter`: the CPU time of processes and all that they start, from `/proc`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


class CpuMeter:
    """Adds up the CPU time of processes and all that they start, by sampling."""

    def __init__(self, roots: set[int]) -> None:
        self._family = set(roots)
        self._ticks: dict[int, int] = {}

    def sample(self) -> None:
        """Look at all processes now; what one does after its last sample is missed."""
        found = dict(_read_processes())
        grown = True
        while grown:
            children = {pid for pid, (parent, _) in found.items() if parent in self._family}
            grown = not children <= self._family
            self._family |= children
        for pid, (_, ticks) in found.items():
            if pid in self._family:
                self._ticks[pid] = max(ticks, self._ticks.get(pid, 0))

    @property
    def seconds(self) -> float:
        """The CPU time so far."""
        return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    """Return the CPU time of one process; 0 if it has ended."""
    found = _read_process(Path(f"/proc/{pid}/stat"))
    return found[1] / os.sysconf("SC_CLK_TCK") if found else 0.0


def resident_bytes(pid: int) -> int:
    """Return the memory of one process; 0 if it has ended."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")


def _read_processes() -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the parent and the CPU time, in ticks, of every process."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        if found := _read_process(path):
            yield int(path.parent.name), found


def _read_process(path: Path) -> tuple[int, int] | None:
    """Read the parent and the CPU time, in ticks, of a process; `None` if it has ended."""
    try:
        fields = path.read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[11]) + int(fields[12])
