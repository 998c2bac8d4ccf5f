"""Simulated hosts: each goes through phases of behaviour, and answers by the present one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from forest_crawler.crawl.answers import Answer
from forest_crawler.crawl.page_writer import IncomingPage
from forest_crawler.store import Lease
from forest_crawler.urls.hosts import site_of

DAY = 24 * 3600.0

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
    last_request: float = 0.0
    paused_until: float = 0.0  # until when it wants no request, as a process has recorded

    @property
    def feed(self) -> str:
        return f"https://{self.name}/feed"

    @property
    def site(self) -> str:
        return site_of(self.feed) or ""

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
    """Answers requests by the hosts' behaviour; a `Client` makes them, and waits."""

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.hosts = {host.name: host for host in hosts}
        self._notices: Counter[str] = Counter()  # that were served, by URL

    def feed(self, host: Host, etag: str | None, now: float) -> Answer:
        """Return what a request for a feed brings."""
        what, _ = host.behaviour(now)
        if what in ("notice", "redirect", "redirect-away") and host.has_failing_feed:
            return Answer(host.feed, body=b"<p>Back soon")
        named = host.articles(now)
        tag = f'"{len(named)}"'
        if etag == tag:
            return Answer(host.feed, 304, etag=tag)
        body = json.dumps({"host": host.name, "articles": named}).encode()
        return Answer(host.feed, body=body, etag=tag)

    def find(self, url: str) -> tuple[Host, str]:
        """Return the host of a URL, and the path."""
        name, _, path = url.removeprefix("https://").partition("/")
        return self.hosts[name], path

    def redirect(self, host: Host, now: float) -> Host | None:
        """Return the host of another site to which a page leads at a time."""
        if host.behaviour(now)[0] != "redirect-away":
            return None
        return next((it for it in self.hosts.values() if it.site != host.site), None)

    def page(self, lease: Lease, now: float, away: Host | None = None) -> IncomingPage:
        """Return what a request for a page brings; `away`: it was redirected to that host."""
        host, path = self.find(lease.url)
        what, _ = host.behaviour(now)
        url = lease.url
        if away is not None or what in ("redirect", "redirect-away"):
            url, what = f"https://{(away or host).name}/notice", "notice"
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


def make_joined_hosts(random: Random, now: float) -> list[Host]:
    """Make two to five hosts of up to four sites, whose outages are short."""
    names = ["www.a.example", "blog.a.example", "b.example", "c.example", "d.example"]
    hosts = [_make_host(it, random, now) for it in random.sample(names, random.randint(2, 5))]
    for host in hosts:
        host.phases = _short_outages(random, now)
        pages = 2 if host.delay >= 30.0 else 6  # the longer a crawl, the more heartbeats
        soon = {n: min(since, now + 200) for n, since in host.published.items()}
        host.published = dict([*soon.items()][:pages])
    return hosts


def _short_outages(random: Random, now: float) -> list[tuple[float, str, float]]:
    phases, end = [], now
    for _ in range(random.randint(0, 4)):
        end += random.choice([10.0, 60.0, 200.0]) * random.random()
        what = random.choice([*BEHAVIOURS, "retry-after", "robots-429"])
        phases.append((end, what, random.choice([6.0, 30.0, 90.0])))
    return phases


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
