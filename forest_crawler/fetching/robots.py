"""`RobotsMiddleware`: robots.txt by RFC 9309, fetched once per host.

Differs from Scrapy's own middleware: all requests that wait for a robots.txt get its verdict (in
Scrapy 2.19 all but the first pass), a host whose robots.txt fails with a server error isn't
fetched from until that is over, and Crawl-delay is kept.
"""

from __future__ import annotations

import math
import time
import zlib
from collections import OrderedDict
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
from forest_crawler.fetching.lease_check import note_delay
from forest_crawler.fetching.request_outcomes import outcome_of, postpone_request, refuse_request
from forest_crawler.fetching.robots_text import normalise_robots

if TYPE_CHECKING:
    from typing import Self

    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.robotstxt import RobotParser

MAX_FILE = 512 * 1024
"""Bytes that are read; RFC 9309 requires at least 500 KiB. The rest is not fetched."""
MAX_DECOMPRESSED = 5 * 1024 * 1024
MAX_REDIRECTS = 5
MAX_FETCH = 15.0
"""Seconds; the host's pages wait for it."""
MAX_AGE = 24 * 3600.0
"""Seconds that rules hold (RFC 9309, 2.4); longer while the server has errors."""
FIRST_PAUSE, MAX_PAUSE = 300.0, 3600.0
"""Seconds until an unavailable robots.txt is retried, doubled at each failure."""
MAX_DELAY = 120.0
"""Seconds; a host with a longer Crawl-delay is not crawled."""
MAX_HOSTS = 10_000
MAX_PARSERS = 500
"""Hosts whose rules are kept as a parser, about 30 kB each; others are parsed again from the file,
which has a fiftieth of that when it is compressed."""
MAX_IN_REACTOR = 32 * 1024
"""Bytes; larger files, which take up to 1 s for 512 KiB, are parsed in a thread."""

ROBOTS_REQUEST = "forest_robots"


@dataclass(slots=True)
class HostRules:
    """The rules of one host's robots.txt, and when to fetch it again."""

    packed: bytes | None = None  # the file, compressed; None: no rules, everything is allowed
    parser: RobotParser | None = None  # of the file, if it is one of the last `MAX_PARSERS`
    delay: float = 0.0
    available: bool = False
    failures: int = 0
    cause: str | None = None  # label of the last failure
    until: float = -math.inf  # monotonic time of the next fetch
    waiting: list[Deferred[None]] | None = None  # not None: it is being fetched
    reading: Request | None = None  # the request that receives the file,
    received: int = 0  # and its bytes so far

    def accept(self, packed: bytes | None, delay: float = 0.0) -> None:
        """Let rules hold for `MAX_AGE`."""
        self.packed, self.parser, self.delay = packed, None, delay
        self.available, self.failures = True, 0
        self.until = time.monotonic() + MAX_AGE

    def back_off(self, retry_at: float | None = None, *, cause: str | None = None) -> None:
        """Don't fetch the file for a while; rules from before still hold."""
        self.cause = cause
        pause = min(FIRST_PAUSE * 2**self.failures, MAX_PAUSE)
        if retry_at is not None:
            pause = max(1.0, retry_at - time.time())
        self.failures = min(self.failures + 1, 10)
        self.until = time.monotonic() + pause


class RobotsMiddleware:
    """Refuses requests that the host's robots.txt forbids."""

    def __init__(self, crawler: Crawler) -> None:
        if not crawler.settings.getbool("ROBOTSTXT_OBEY"):
            raise NotConfigured
        self.crawler = crawler
        self.hosts: LocalCache[str, HostRules] = LocalCache(MAX_HOSTS)
        self._parsed: OrderedDict[int, HostRules] = OrderedDict()  # by identity, last used last
        self.parser_class = load_object(crawler.settings["ROBOTSTXT_PARSER"])
        self.agent: str = crawler.settings["ROBOTSTXT_USER_AGENT"] or crawler.settings["USER_AGENT"]
        self.max_fetch = min(MAX_FETCH, crawler.settings.getfloat("DOWNLOAD_TIMEOUT"))
        crawler.signals.connect(self._truncate, signal=signals.bytes_received)
        crawler.signals.connect(self._limit_decompression, signal=signals.response_downloaded)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        if request.meta.get("dont_obey_robotstxt"):
            return
        rules = await self._rules(request)
        if not rules.available:
            retry_at = time.time() + max(0.0, rules.until - time.monotonic())
            raise postpone_request(self.crawler, ROBOTS_UNAVAILABLE, retry_at, rules.cause)
        parser = await self._parser(rules)
        if parser is not None and not parser.allowed(request.url, self.agent):
            raise refuse_request(self.crawler, ROBOTS, request.url)
        if rules.delay > MAX_DELAY:
            detail = f"{request.url}, {rules.delay:.0f} s"
            raise refuse_request(self.crawler, CRAWL_DELAY, detail)
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
            # Each waiter has its own Deferred: awaiting one consumes its result.
            own: Deferred[None] = Deferred()
            rules.waiting.append(own)
            await maybe_deferred_to_future(own)
            return rules
        with _waking_others(rules):
            await self._fetch(host, rules, request)
        return rules

    async def _fetch(self, host: str, rules: HostRules, request: Request) -> None:
        robots_request = Request(
            f"{host}/robots.txt",
            callback=NO_CALLBACK,
            headers={"Accept": "text/plain,*/*;q=0.5", "Accept-Encoding": "identity"},
            meta={
                "dont_obey_robotstxt": True,
                "redirect_ttl": MAX_REDIRECTS,
                "max_retry_times": 1,
                "download_timeout": self.max_fetch,
                # Not limited: that would drop a large file; `_truncate` keeps its beginning.
                "download_maxsize": 0,
                ROBOTS_REQUEST: rules,
            },
        )
        try:
            response = await self.crawler.engine.download_async(robots_request)
        except Exception as error:  # whatever it is, it counts as no answer
            self._judge_error(rules, error)
        else:
            await self._judge(rules, response, request)

    async def _judge(self, rules: HostRules, response: Response, request: Request) -> None:
        self._count(f"forest/robots/http-{response.status}")
        if response.status >= 500 or response.status == 429:
            rules.back_off(cause=f"http-{response.status}")
        elif not 200 <= response.status < 300:
            rules.accept(None)  # "unavailable": RFC 9309, 2.3.1.3
        else:
            text = normalise_robots(response.body[:MAX_FILE])
            parser = await self._parse(text)
            delay = parser.crawl_delay(self.agent) or 0.0
            if 0.0 < delay <= MAX_DELAY:
                await note_delay(self.crawler, request.url, delay)
            rules.accept(zlib.compress(text), delay)
            self._keep_parser(rules, parser)
            await self.crawler.signals.send_catch_log_async(
                signal=signals.robots_parsed, robotparser=parser, request=request
            )

    def _judge_error(self, rules: HostRules, error: Exception) -> None:
        outcome = outcome_of(error)
        self._count(f"forest/robots/{outcome.reason}")
        if outcome.reason == REDIRECTS:
            rules.accept(None)  # too many count as no file: RFC 9309, 2.3.1.2
        else:
            rules.back_off(outcome.retry_at, cause=outcome.reason)

    async def _parser(self, rules: HostRules) -> RobotParser | None:
        """Return the parser of a host's rules; `None` without rules."""
        while rules.packed is not None and rules.parser is None:
            packed = rules.packed
            parser = await self._parse(zlib.decompress(packed))
            if rules.packed is packed:  # else the file was fetched again while this one was parsed
                self._keep_parser(rules, parser)
                return parser  # which other hosts may drop from the rules at any time
        if rules.parser is not None:
            self._parsed.move_to_end(id(rules))
        return rules.parser

    def _keep_parser(self, rules: HostRules, parser: RobotParser) -> None:
        """Keep a parser, and drop the one that was not used for longest if there are too many."""
        rules.parser = parser
        self._parsed[id(rules)] = rules
        self._parsed.move_to_end(id(rules))
        if len(self._parsed) > MAX_PARSERS:
            _, unused = self._parsed.popitem(last=False)
            unused.parser = None

    async def _parse(self, body: bytes) -> RobotParser:
        if len(body) < MAX_IN_REACTOR:
            parser: RobotParser = build_from_crawler(self.parser_class, self.crawler, body)
            return parser
        made = deferToThread(build_from_crawler, self.parser_class, self.crawler, body)
        return await maybe_deferred_to_future(made)

    def _truncate(self, data: bytes, request: Request) -> None:
        rules = request.meta.get(ROBOTS_REQUEST)
        if rules is None:
            return
        if rules.reading is not request:  # a redirect, or a retry
            rules.reading, rules.received = request, 0
        rules.received += len(data)
        if rules.received > MAX_FILE:
            raise StopDownload(fail=False)

    def _limit_decompression(self, response: Response, request: Request) -> None:
        if ROBOTS_REQUEST in request.meta and not 300 <= response.status < 400:
            request.meta["download_maxsize"] = MAX_DECOMPRESSED

    def _count(self, key: str) -> None:
        self.crawler.stats.inc_value(key)


@contextmanager
def _waking_others(rules: HostRules) -> Iterator[None]:
    rules.waiting = []
    try:
        yield
    finally:
        rules.reading = None  # the request would stay in memory with the rules
        waiting, rules.waiting = rules.waiting, None
        for own in waiting:
            own.callback(None)
