"""Which programs show a site's articles whole by our rules: checked in the background, and kept."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from forest_crawler.crawl.workers import WorkerError
from forest_crawler.errors import ForestError
from forest_crawler.export.formats import export_wrappers
from forest_crawler.export.stored_rules import site_rules
from forest_crawler.store import read_store

PROGRAMS = ("miniflux", "freshrss", "fivefilters", "feediron", "rss-bridge")
"""Formats whose program's own semantics are known, so that their rules can be tried."""

MAX_KEPT = 2000


@dataclass(frozen=True, slots=True)
class RuleCheck:
    """How much of a site's articles a program will show by our rules."""

    verdict: str  # whole, partly, not, or unchecked
    share: float | None  # F1 of the words


Checks = dict[str, RuleCheck]
"""By program."""


def check_rules(store: str, site: str) -> Checks:
    """Try a site's rules in all programs; runs in a worker, as it reads pages of strangers."""
    with read_store(store) as opened:
        rules = site_rules(opened, site)
    found = {name: export_wrappers([rules], name).checks for name in PROGRAMS}
    return {
        name: RuleCheck(checks[0].verdict, checks[0].share)
        for name, checks in found.items()
        if checks
    }


class RuleChecks:
    """The checks of sites, each for the wrappers that it has now."""

    def __init__(self, check: Callable[[str], Awaitable[Checks]]) -> None:
        self._check = check
        self._known: dict[tuple[str, str], Checks | None] = {}
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether some are still to come."""
        return self._task is not None and not self._task.done()

    def find(self, site: str, state: str) -> Checks | None:
        """Return a site's checks, if they are there; empty if the site cannot be checked."""
        found = self._known.get((site, state), {})
        return found if (site, state) in self._known else None

    def start(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Check sites with these states of their wrappers, unless that is known or under way."""
        missing = [it for it in wanted if it not in self._known]
        if missing and not self.is_running:
            self._task = asyncio.get_running_loop().create_task(self.complete(missing))

    async def complete(self, wanted: Sequence[tuple[str, str]]) -> None:
        """Check sites one after the other."""
        for site, state in wanted:
            if (site, state) not in self._known:
                self._known[site, state] = await self._check_or_none(site)
            while len(self._known) > MAX_KEPT:
                del self._known[next(iter(self._known))]

    async def _check_or_none(self, site: str) -> Checks | None:
        try:
            return await self._check(site)
        except (ForestError, WorkerError):
            return None  # shown as unchecked; `forest wrappers export` names the reason

    def stop(self) -> None:
        """End a running check."""
        if self._task is not None:
            self._task.cancel()
