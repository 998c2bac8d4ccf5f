"""Takeovers: how soon others have the sites of a killed process, and request them again."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from forest_crawler.crawl.heartbeat import BEATS
from forest_crawler.store import read_store
from forest_crawler.store.schema import frontier, runs, sites
from tests.support.fault_process import Hit
from tests.support.joined_crawls import agent


@dataclass(frozen=True, slots=True)
class Kill:
    """A process that is about to be killed: its run, and the sites that it still fetches."""

    process: str
    run: str
    sites: frozenset[str]
    time: float  # by the machine's monotonic clock, as in the server's log
    clock: float  # by the clock of the runs


@dataclass(frozen=True, slots=True)
class Takeovers:
    """Seconds from kills to what followed."""

    ended: tuple[float, ...]  # until others had ended the run, so that its sites were free
    fetched: tuple[float, ...]  # until the next request to each of its sites

    def describe(self, lease: float) -> dict[str, str]:
        """Return rows for a table."""
        looked = f"leases of {lease:g} s, looked at every {lease / BEATS:g} s"
        return {
            "sites free after a kill": f"{_describe(self.ended)}; {looked}",
            "sites requested again": _describe(self.fetched),
        }

    def is_within(self, lease: float, tolerance: float) -> bool:
        """Report whether all leases were taken over when their time was over."""
        limit = (1 + tolerance) * (lease + lease / BEATS)
        return max(self.ended, default=0.0) <= limit


def note_kill(store: str, process: str, pid: int) -> Kill | None:
    """Look what a process leases, just before it is killed; `None` if it has not begun."""
    has_pages = (
        select(frontier.c.id)
        .where((frontier.c.site == sites.c.site) & frontier.c.state.in_(("new", "claimed")))
        .exists()
    )
    of_pid = select(runs.c.id).where((runs.c.pid == pid) & runs.c.ended.is_(None))
    with read_store(store) as opened, opened._database.reading() as connection:
        run = connection.scalar(of_pid)
        leased = select(sites.c.site).where((sites.c.run == run) & has_pages)
        found = frozenset(connection.scalars(leased)) if run else frozenset()
    return Kill(process, run, found, time.monotonic(), time.time()) if run else None


def measure_takeovers(
    store: str, kills: Sequence[Kill], hits: Sequence[Hit], restarts: Sequence[float] = ()
) -> Takeovers:
    """Look when others took the leases of killed processes over.

    After a restart of the server all leases begin anew, as nobody could renew them meanwhile:
    `restarts` has the times from which to count then.
    """
    with read_store(store) as opened, opened._database.reading() as connection:
        rows = connection.execute(select(runs.c.id, runs.c.ended))
        ended = {row.id: row.ended for row in rows if row.ended is not None}
    freed, fetched = [], []
    for kill in kills:
        end = ended[kill.run]
        lost = max([0.0, *(it - kill.clock for it in restarts if kill.clock < it < end)])
        freed.append(end - kill.clock - lost)
        for site in kill.sites:
            times = [hit.time for hit in hits if hit.site == site and _is_after(hit, kill)]
            fetched += [min(times) - kill.time - lost] if times else []
    return Takeovers(tuple(freed), tuple(fetched))


def _is_after(hit: Hit, kill: Kill) -> bool:
    return hit.time > kill.time and agent(hit) != kill.process


def _describe(seconds: Sequence[float]) -> str:
    if not seconds:
        return "none"
    mean = sum(seconds) / len(seconds)
    return f"{mean:.1f} s on average, {max(seconds):.1f} s at most, of {len(seconds)}"
