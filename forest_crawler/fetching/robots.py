"""robots.txt as RFC 9309 has it: fetched once a host, asked before every request.

Differs from Scrapy's own middleware in what happens around the rules: all requests that wait for
a robots.txt get its verdict (in Scrapy 2.19 all but the first go through), a server that cannot
answer for its robots.txt is left alone until it can, and Crawl-delay is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy import Request, signals
from scrapy.exceptions import NotConfigured, StopDownload
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached
from scrapy.utils.misc import build_from_crawler, load_object
from twisted.internet.defer import Deferred
from twisted.internet.threads import deferToThread

from forest_crawler.crawl.outcomes import CRAWL_DELAY, REDIRECTS, ROBOTS, ROBOTS_UNAVAILABLE
from forest_crawler.fetching.crawl_delay import DELAY_KEY
from forest_crawler.fetching.request_outcomes import outcome_of, postpone_request, refuse_request

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

MAX_FILE = 512 * 1024
"""Bytes that are read; RFC 9309 asks for 500 KiB at least. The rest is not fetched."""
MAX_UNPACKED = 5 * 1024 * 1024
MAX_REDIRECTS = 5
MAX_FETCH = 15.0
"""Seconds; the host's pages wait for it."""
KEPT_FOR = 24 * 3600.0
"""Seconds that rules hold (RFC 9309, 2.4); longer while the server cannot answer for them."""
FIRST_PAUSE, MAX_PAUSE = 300.0, 3600.0
"""Seconds until an unavailable robots.txt is tried again, doubled at each failure."""
MAX_DELAY = 120.0
"""A host that wants more seconds between requests is not crawled."""
MAX_HOSTS = 10_000
LARGE_FOR_REACTOR = 32 * 1024
"""Bytes from which on parsing (1 s for the worst 512 KiB) goes to a thread."""

ROBOTS_REQUEST = "forest_robots"


@dataclass(slots=True)
class HostRules:
    """What one host's robots.txt says, or since when it says nothing."""

    parser: RobotParser | None = None  # None: no rules, everything is allowed
    delay: float = 0.0
    available: bool = False
    failures: int = 0
    until: float = -math.inf  # monotonic: then it is fetched again
    waiting: list[Deferred[None]] | None = None  # not None: it is being fetched
    reading: Request | None = None  # the request that brings the file,
    received: int = 0  # and its bytes so far

    def accept(self, parser: RobotParser | None, delay: float = 0.0) -> None:
        """Let these rules hold for a day."""
        self.parser, self.delay, self.available, self.failures = parser, delay, True, 0
        self.until = time.monotonic() + KEPT_FOR

    def hold_off(self, retry_at: float | None = None) -> None:
        """Leave the host alone for a while; rules known from before go on holding."""
        pause = min(FIRST_PAUSE * 2**self.failures, MAX_PAUSE)
        if retry_at is not None:
            pause = max(1.0, retry_at - time.time())
        self.failures = min(self.failures + 1, 10)
        self.until = time.monotonic() + pause


class RobotsMiddleware:
    """Lets requests through as the host's robots.txt allows."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self.hosts: LocalCache[str, HostRules] = LocalCache(MAX_HOSTS)
        self.parser_class = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self.agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self.longest_fetch = min(MAX_FETCH, crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        crawler.signals.connect(self._cut, signal=signals.bytes_received)
        crawler.signals.connect(self._limit_unpacking, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        if request.meta.get("dont_obey_robotstxt"):
            return
        rules = await self._rules(request)
        if not rules.available:
            retry_at = time.time() + max(0.0, rules.until - time.monotonic())
            raise postpone_request(self.crawler, ROBOTS_UNAVAILABLE, retry_at)
        if rules.parser is not None and not rules.parser.allowed(request.url, self.agent):
            raise refuse_request(self.crawler, ROBOTS, request.url)
        if rules.delay > MAX_DELAY:
            raise refuse_request(self.crawler, CRAWL_DELAY, f"{rules.delay:.0f} s")
        request.meta[DELAY_KEY] = rules.delay

    async def _rules(self, request: Request) -> HostRules:
        parts = urlparse_cached(request)
        host = f"{parts.scheme}://{parts.netloc}"
        rules = self.hosts.get(host)
        if rules is None:
            rules = self.hosts[host] = HostRules()
        if time.monotonic() < rules.until:
            return rules
        if rules.waiting is not None:
            # Each waiter has a Deferred of its own: awaiting one takes its result away.
            own: Deferred[None] = Deferred()
            rules.waiting.append(own)
            await maybe_deferred_to_future(own)
            return rules
        with _waking_others(rules):
            await self._fetch(host, rules, request)
        return rules

    async def _fetch(self, host: str, rules: HostRules, request: Request) -> None:
        asked = Request(
            f"{host}/robots.txt",
            callback=NO_CALLBACK,
            headers={"Accept": "text/plain,*/*;q=0.5", "Accept-Encoding": "identity"},
            meta={
                "dont_obey_robotstxt": True,
                "redirect_ttl": MAX_REDIRECTS,
                "max_retry_times": 1,
                "download_timeout": self.longest_fetch,
                # No limit, which would lose a large file as a whole: `_cut` keeps its beginning.
                "download_maxsize": 0,
                ROBOTS_REQUEST: rules,
            },
        )
        try:
            response = await self.crawler.engine.download_async(asked)
        except Exception as error:  # whatever it is, it stands for "no answer", and is counted
            self._judge_error(rules, error)
        else:
            await self._judge(rules, response, request)

    async def _judge(self, rules: HostRules, response: Response, request: Request) -> None:
        self._count(f"forest/robots/http-{response.status}")
        if response.status >= 500 or response.status == 429:
            rules.hold_off()
        elif not 200 <= response.status < 300:
            rules.accept(None)  # "unavailable": RFC 9309, 2.3.1.3
        else:
            parser = await self._parse(response.body[:MAX_FILE])
            rules.accept(parser, parser.crawl_delay(self.agent) or 0.0)
            await self.crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=parser, request=request
            )

    def _judge_error(self, rules: HostRules, error: Exception) -> None:
        outcome = outcome_of(error)
        self._count(f"forest/robots/{outcome.reason}")
        if outcome.reason == REDIRECTS:
            rules.accept(None)  # too many count as no file: RFC 9309, 2.3.1.2
        else:
            rules.hold_off(outcome.retry_at)

    async def _parse(self, body: bytes) -> RobotParser:
        if len(body) < LARGE_FOR_REACTOR:
            parser: RobotParser = build_from_crawler(self.parser_class, self.crawler, body)
            return parser
        made = deferToThread(build_from_crawler, self.parser_class, self.crawler, body)
        return await maybe_deferred_to_future(made)

    def _cut(self, data: bytes, request: Request) -> None:
        rules = request.meta.get(ROBOTS_REQUEST)
        if rules is None:
            return
        if rules.reading is not request:  # a redirect, or one more try
            rules.reading, rules.received = request, 0
        rules.received += len(data)
        if rules.received > MAX_FILE:
            raise StopDownload(fail=False)

    def _limit_unpacking(self, response: Response, request: Request) -> None:
        if ROBOTS_REQUEST in request.meta and not 300 <= response.status < 400:
            request.meta["download_maxsize"] = MAX_UNPACKED

    def _count(self, key: str) -> None:
        self.crawler.stats.inc_value(key)


@contextmanager
def _waking_others(rules: HostRules) -> Iterator[None]:
    rules.waiting = []
    try:
        yield
    finally:
        waiting, rules.waiting = rules.waiting, None
        for own in waiting:
            own.callback(None)
