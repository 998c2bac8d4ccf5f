"""Simulated hosts: each goes through phases of behaviour, and answers by the present one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.outcomes import (
    CONNECTION,
    CRAWL_DELAY,
    DROPPED,
    RETRY_AFTER,
    ROBOTS_UNAVAILABLE,
    TIMEOUT,
    Outcome,
)
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.store import Lease

SLOT_WAIT = 10.0
"""Seconds that a request waits in its slot, as `fetching.crawl_delay` has it."""

DAY = 24 * 3600.0

TIMEOUT_SECONDS = 8.0
"""Seconds that a stalled request takes; fewer than in life, where the engine looks often."""

BEHAVIOURS = (
    *("fine", "fine", "new-design", "slow", "http-503", "http-404", "reset", "stall"),
    *("retry-after", "too-many", "robots-down", "robots-429", "dropped", "notice", "redirect"),
)


@dataclass(slots=True)
class Host:
    """A host: its pages, its delay, and its behaviour at any time."""

    name: str
    pages: int
    parts: bool  # every third article has a second page
    has_failing_feed: bool  # its outages concern its feed, too
    delay: float
    phases: Sequence[tuple[float, str, float]]  # until when, behaviour, seconds of Retry-After
    published: dict[int, float] = field(default_factory=dict)  # article → since when
    free_at: float = 0.0  # when its slot is free
    last_turn: float = 0.0  # the latest that was given to a page
    paused_until: float = 0.0
    robots_until: float = 0.0
    robots_failures: int = 0

    @property
    def feed(self) -> str:
        return f"https://{self.name}/feed"

    def behaviour(self, now: float) -> tuple[str, float]:
        """Return what the host does at a time, and its Retry-After."""
        return next(((what, wait) for end, what, wait in self.phases if now < end), ("fine", 0.0))

    def design(self, now: float) -> int:
        """Return the template that pages have: a redesign lasts."""
        return sum(what == "new-design" and end <= now for end, what, _ in self.phases) % 2

    def articles(self, now: float) -> list[int]:
        """Return the articles that the feed names, the newest first."""
        return sorted((n for n, since in self.published.items() if since <= now), reverse=True)


class Network:
    """Answers requests by the hosts' behaviour; the caller waits as long as it says."""

    def __init__(self, hosts: Sequence[Host], random: Random) -> None:
        self.hosts = {host.name: host for host in hosts}
        self._random = random
        self._notices: Counter[str] = Counter()  # that were served, by URL

    def poll(self, host: Host, etag: str | None, now: float) -> tuple[float, Answer | Outcome]:
        """Return how long a request for a feed takes, and what it brings."""
        seconds, missed = self._reach(host, now) if host.has_failing_feed else (0.1, None)
        if missed is not None:
            return seconds, missed
        what, _ = host.behaviour(now + seconds)
        if what in ("notice", "redirect") and host.has_failing_feed:
            return seconds, Answer(host.feed, body=b"<p>Back soon")
        named = host.articles(now + seconds)
        tag = f'"{len(named)}"'
        if etag == tag:
            return seconds, Answer(host.feed, 304, etag=tag)
        body = json.dumps({"host": host.name, "articles": named}).encode()
        return seconds, Answer(host.feed, body=body, etag=tag)

    def fetch(self, lease: Lease, now: float) -> tuple[float, IncomingPage | Outcome]:
        """Return how long a request for a page takes, and what it brings."""
        name, _, path = lease.url.removeprefix("https://").partition("/")
        host = self.hosts[name]
        turn = max(0.0, host.free_at - now)
        if turn > SLOT_WAIT:
            # One after the other, as the middleware has it.
            host.last_turn = max(now + turn, host.last_turn + host.delay)
            return 0.0, Outcome(CRAWL_DELAY, passing=True, retry_at=host.last_turn)
        host.free_at = now + turn + host.delay
        seconds, missed = self._reach(host, now + turn)
        if missed is not None:
            return turn + seconds, missed
        return turn + seconds, self._page(host, lease, path, now + turn + seconds)

    def _reach(self, host: Host, now: float) -> tuple[float, Outcome | None]:
        """Return how long a host takes to answer at all, and why it doesn't."""
        what, wait = host.behaviour(now)
        if what == "dropped" and self._random.random() < 0.5:
            return 0.0, Outcome(DROPPED, passing=True, retry_at=now + 2.0)
        if what in ("robots-down", "robots-429") or now < host.robots_until:
            return self._miss_robots(host, what, wait, now)
        host.robots_failures = 0
        if now < host.paused_until:
            return 0.0, Outcome(RETRY_AFTER, passing=True, retry_at=host.paused_until)
        seconds = self._random.uniform(0.01, 1.0)
        if what in ("retry-after", "too-many"):
            host.paused_until = now + seconds + (60.0 if what == "too-many" else wait)
            return seconds, Outcome(RETRY_AFTER, passing=True, retry_at=host.paused_until)
        if what == "stall":
            return TIMEOUT_SECONDS, Outcome(TIMEOUT, passing=True)
        if what == "reset":
            return seconds, Outcome(CONNECTION, passing=True)
        if what == "http-503":
            return seconds, Outcome("http-503", passing=True)
        if what == "http-404":
            return seconds, Outcome("http-404", passing=False)
        return (self._random.uniform(2.0, 6.0) if what == "slow" else seconds), None

    def _miss_robots(self, host: Host, what: str, wait: float, now: float) -> tuple[float, Outcome]:
        """Put a request off until robots.txt is fetched again."""
        seconds = 0.0
        if now >= host.robots_until:
            pause = min(300.0 * 2**host.robots_failures, 3600.0)
            if what == "robots-429":
                pause = wait or 60.0
            host.robots_failures += 1
            seconds = self._random.uniform(0.01, 1.0)
            host.robots_until = now + seconds + pause
        return seconds, Outcome(ROBOTS_UNAVAILABLE, passing=True, retry_at=host.robots_until)

    def _page(self, host: Host, lease: Lease, path: str, now: float) -> IncomingPage | Outcome:
        what, _ = host.behaviour(now)
        url = lease.url
        if what == "redirect":
            url, what = f"https://{host.name}/notice", "notice"
        body: dict[str, Any] = {"notice": path, "served": self._notices[url] + 1}
        if what != "notice" and path.split("/")[0].isdigit():
            number, _, part = path.partition("/")
            has_more = host.parts and int(number) % 3 == 0 and not part
            body = {
                "article": path,
                "design": host.design(now),
                "next": f"https://{host.name}/{number}/2" if has_more else None,
            }
        self._notices[url] += "notice" in body
        return IncomingPage(
            url,
            json.dumps(body).encode(),
            key=lease.key,
            source_id=lease.source_id,
            fetched_at=now,
            is_part=lease.is_part,
        )


def make_hosts(random: Random, now: float) -> list[Host]:
    """Make one to three hosts, two of which may be of one site."""
    names = random.sample(["www.a.example", "blog.a.example", "b.example"], random.randint(1, 3))
    return [_make_host(name, random, now) for name in sorted(names)]


def _outages(random: Random, now: float) -> list[tuple[float, str, float]]:
    phases, end = [], now
    for _ in range(random.randint(0, 5)):
        end += random.choice([60.0, 600.0, 3600.0, 6 * 3600.0]) * random.random()
        phases.append((end, random.choice(BEHAVIOURS), random.choice([6.0, 30.0, 90.0, 3600.0])))
    return phases


def _put_off_for_long(random: Random, now: float) -> list[tuple[float, str, float]]:
    """Let a host put everything off for half a day once its feed is read."""
    end, what = now + 5 * random.random(), random.choice(["retry-after", "robots-429", "too-many"])
    return [(end, "fine", 0.0), (end + 12 * 3600.0, what, random.choice([6.0, 30.0, 90.0]))]


def _break_for_long(random: Random, now: float) -> list[tuple[float, str, float]]:
    """Let a host fail for a day or two once its feed is read, and then show notices for a day."""
    end, what = now + 5 * random.random(), random.choice(["http-404", "http-503", "reset"])
    broken = end + random.uniform(1, 2) * DAY
    return [(end, "fine", 0.0), (broken, what, 0.0), (broken + DAY, "notice", 0.0)]


def _make_host(name: str, random: Random, now: float) -> Host:
    kinds, shares = (_put_off_for_long, _break_for_long, _outages), (0.15, 0.05, 0.8)
    phases = random.choices(kinds, shares)[0](random, now)
    pages = random.choice([1, 1, 2, 3, 5, 12])
    since = [now if random.random() < 0.7 else now + random.random() * 7200 for _ in range(pages)]
    return Host(
        name,
        pages,
        parts=random.random() < 0.3,
        has_failing_feed=random.random() < 0.3,
        delay=random.choice([0.0, 0.0, 1.0, 30.0, 120.0]),
        phases=phases,
        published=dict(enumerate(since, 1)),
    )
