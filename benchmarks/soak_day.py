"""What happens on the sites of a soak: which publish, fail for a while or are redesigned, and when.

All of it follows from a seed. `make_day` returns the changes of the fault server's plans by time,
and `Day.wanted` the articles that a crawl must have archived in the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import quote

HOUR = 3600.0

FIRST_PAGES, MAX_PAGES = 5, 18
"""Articles of a site at the start, and at most; its feed names all of them."""

PAGES_PER_HOUR = (0.3, 0.6, 0.6, 1.0, 2.0)
"""How often a site publishes; each of these is as common."""

OUTAGE_SHARE, REDESIGN_SHARE, GONE_SHARE = 0.4, 0.1, 0.05
"""Shares of the sites that fail for a while, that change their template, and that have an article
that is gone for good."""

OUTAGE_HOURS = (0.3, 1.0)
"""How long an outage lasts."""

GONE = 3
"""Number of the article that is gone."""

_NOTICE = (
    "<html lang=en><title>We will be back soon</title><h1>We will be back soon</h1><p>Our site is "
    "down for maintenance at the moment. Our people are working on it, and everything will be as "
    "it was within a few hours. Please come back later today, or call our office."
)

PAGE_FAULTS = (
    *("/fault/status?code=500", "/fault/status?code=503&retry-after=120", "/fault/status?code=404"),
    *("/fault/status?code=429&retry-after=60", "/fault/rst", "/fault/drop", "/fault/stall"),
    *("/fault/cut-chunk", "/fault/long-length", "/fault/junk", "/fault/drip", "/fault/endless"),
    *("/fault/bomb?megabytes=40", "/fault/huge-header?megabytes=2", "/fault/chain"),
    f"/fault/text?type=text/html&body={quote(_NOTICE)}",
)
FEED_FAULTS = (
    *("/fault/status?code=500", "/fault/status?code=503&retry-after=600", "/fault/rst"),
    *("/fault/stall", "/fault/cut-chunk", "/fault/junk", "/fault/page", "/fault/endless"),
)
ROBOTS_FAULTS = ("/fault/status?code=503", "/fault/status?code=429&retry-after=60", "/fault/drop")


@dataclass(frozen=True, slots=True)
class Change:
    """New fields of a site's plan, from a time on, in seconds after the start."""

    at: float
    site: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Day:
    """The changes in the order of their times, and the articles of each site in the end."""

    changes: tuple[Change, ...]
    wanted: frozenset[tuple[str, int]]


def site_names(number: int) -> list[str]:
    """Return the IP addresses of so many sites.

    >>> site_names(300)[0], site_names(300)[-1]
    ('127.40.0.1', '127.40.1.50')
    """
    return [f"127.40.{n // 250}.{n % 250 + 1}" for n in range(number)]


def make_day(sites: list[str], hours: float, seed: int) -> Day:
    """Plan the day of all sites; the last eighth of it has no news."""
    random = Random(seed)
    changes: list[Change] = []
    wanted: set[tuple[str, int]] = set()
    for site in sites:
        gone = {f"/article/{GONE}": "/fault/status?code=410"}
        routes = gone if random.random() < GONE_SHARE else {}
        times = _publishing_times(random, hours * 7 / 8)
        pages = range(1, FIRST_PAGES + len(times) + 1)
        wanted |= {(site, n) for n in pages if f"/article/{n}" not in routes}
        first = {"pages": FIRST_PAGES, "feed_entries": MAX_PAGES, "routes": routes}
        changes.append(Change(0.0, site, first))
        changes += [
            Change(at, site, {"pages": number}) for number, at in enumerate(times, FIRST_PAGES + 1)
        ]
        if random.random() < OUTAGE_SHARE:
            changes += _outage(random, site, hours, routes)
        if times and random.random() < REDESIGN_SHARE:
            number = random.randrange(len(times))
            flip = {"flip_at": FIRST_PAGES + 1 + number}
            changes.append(Change(times[number], site, flip))
    return Day(tuple(sorted(changes, key=lambda it: it.at)), frozenset(wanted))


def _publishing_times(random: Random, hours: float) -> list[float]:
    pause, at = HOUR / random.choice(PAGES_PER_HOUR), 0.0
    times: list[float] = []
    while len(times) < MAX_PAGES - FIRST_PAGES:
        at += random.expovariate(1 / pause)
        if at > hours * HOUR:
            break
        times.append(at)
    return times


def _outage(random: Random, site: str, hours: float, usual: dict[str, str]) -> list[Change]:
    """Break a site's pages, feed or robots.txt for a while, within the first five eighths."""
    kind = random.choice(("pages", "pages", "feed", "robots"))
    if kind == "pages":
        fault = random.choice(PAGE_FAULTS)
        broken = {f"/article/{n}": fault for n in range(1, MAX_PAGES + 1)}
    elif kind == "feed":
        broken = {"/feed.xml": random.choice(FEED_FAULTS)}
    else:
        broken = {"/robots.txt": random.choice(ROBOTS_FAULTS)}
    begin = random.uniform(0.0, hours * HOUR / 2)
    end = begin + random.uniform(*OUTAGE_HOURS) * HOUR * hours / 8
    return [Change(begin, site, {"routes": broken | usual}), Change(end, site, {"routes": usual})]
