"""Fetch URLs with the real Scrapy in a process of its own, and report the result of each.

`run_fetch` starts the process; run as a program, this module reads a plan from stdin. An audit
hook below Python's sockets refuses every connection outside 127.0.0.0/8 and every name that isn't
in the plan, whatever fails.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from tests.support.waiting import HANG

ROOT = Path(__file__).parents[2]
LOOPBACK = {"FOREST_ALLOW_NETWORKS": ["127.0.0.0/8"], "FOREST_ALLOW_PORTS": ["any"]}
QUICK = {"DOWNLOAD_DELAY": 0, "AUTOTHROTTLE_ENABLED": False, "CONCURRENT_REQUESTS_PER_DOMAIN": 16}


@dataclass(frozen=True, slots=True)
class FetchPlan:
    """What to fetch, and how."""

    urls: Sequence[str]
    settings: dict[str, Any] = field(default_factory=lambda: LOOPBACK | QUICK)
    meta: dict[str, Any] = field(default_factory=dict)
    timeouts: dict[str, float] = field(default_factory=dict)  # by URL
    needed: Sequence[str] = ()  # the run ends when these URLs are done, whatever is in flight
    kind: Literal["page", "feed"] | None = None  # adds the meta that a crawl sends
    addon: bool = False  # Scrapy's own settings with our add-on, instead of our settings
    runner: bool = False  # a CrawlerRunner, which sets no resolver
    names: dict[str, list[str]] = field(default_factory=dict)  # host names and their IP addresses
    connect: bool = True  # False: attempts are counted, and lead to a closed port


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of one URL."""

    url: str
    status: int = 0
    body: str = ""
    size: int = 0
    flags: tuple[str, ...] = ()
    last_url: str = ""
    slot: str = ""
    reason: str | None = None
    passing: bool = False
    wait: float | None = None  # seconds until retry_at
    error: str = ""


@dataclass(frozen=True, slots=True)
class FetchReport:
    """The results of all URLs."""

    fetched: dict[str, Fetched]
    stats: dict[str, Any]
    attempts: list[str]  # IP addresses that Twisted was told to connect to
    megabytes: float  # peak of the process
    log: str = ""

    def reasons(self) -> dict[str, str | None]:
        return {url: found.reason for url, found in self.fetched.items()}


def run_fetch(plan: FetchPlan, environment: dict[str, str] | None = None) -> FetchReport:
    """Run a plan in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.fetch_run"],
        input=json.dumps(asdict(plan)),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | (environment or {}),
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    fetched = {
        row["url"]: Fetched(**(row | {"flags": tuple(row["flags"])})) for row in report["fetched"]
    }
    return FetchReport(**(report | {"fetched": fetched, "log": done.stderr}))


def _main() -> None:
    plan = FetchPlan(**json.load(sys.stdin))
    sys.addaudithook(_stay_on_loopback)
    rows: list[Fetched] = []
    attempts: list[str] = []
    _write_report(_crawl(plan, rows, attempts), rows, attempts)


def _write_report(crawler: Any, rows: list[Fetched], attempts: list[str]) -> None:
    report = FetchReport(
        fetched={},
        stats={key: value for key, value in crawler.stats.get_stats().items() if "time" not in key},
        attempts=attempts,
        megabytes=_peak_megabytes(),
    )
    text = asdict(report) | {"fetched": [asdict(row) for row in rows]}
    sys.stdout.write("\n" + json.dumps(text, default=str) + "\n")
    sys.stdout.flush()


def _peak_megabytes() -> float:
    """Return this process's peak of memory; `getrusage` includes the process it was forked from."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    peak = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(peak.split()[1]) / 1024


def _stay_on_loopback(event: str, args: tuple[Any, ...]) -> None:
    if event == "socket.connect" and args[0].family != socket.AF_UNIX:
        if not str(args[1][0]).startswith("127."):
            raise PermissionError(f"a test must not connect to {args[1]}")
    elif event == "socket.getaddrinfo" and not _is_local(str(args[0])):
        raise socket.gaierror(f"a test must not resolve {args[0]}")


def _is_local(host: str) -> bool:
    """Return whether a host needs no resolver: an IP address in any form, or this machine."""
    try:
        socket.inet_aton(host)
    except OSError:
        return ":" in host or host == "localhost"
    return True


def _crawl(plan: FetchPlan, rows: list[Fetched], attempts: list[str]) -> Any:
    from scrapy.crawler import CrawlerProcess, CrawlerRunner
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from twisted.internet import reactor as found

    reactor: Any = found
    _stub_network(reactor, plan, attempts)
    settings = _settings(plan)
    spider = _spider(plan, rows, attempts)
    if not plan.runner:
        process = CrawlerProcess(settings)
        crawler = process.create_crawler(spider)
        process.crawl(crawler)
        process.start()
        return crawler
    runner = CrawlerRunner(settings)
    crawler = runner.create_crawler(spider)
    runner.crawl(crawler).addBoth(lambda _: reactor.stop())
    reactor.run()
    return crawler


def _settings(plan: FetchPlan) -> dict[str, Any]:
    from forest_crawler import settings as forest

    base: dict[str, Any] = {"ADDONS": {"forest_crawler.fetching.addon.ForestAddon": 0}}
    if not plan.addon:
        base = {name: value for name, value in vars(forest).items() if name.isupper()}
        base["ITEM_PIPELINES"] = {}
    return base | {"SPIDER_MODULES": [], "LOG_LEVEL": "WARNING"} | plan.settings


def _stub_network(reactor: Any, plan: FetchPlan, attempts: list[str]) -> None:
    from twisted.internet._resolver import GAIResolver

    def look_up(host: Any, port: Any, *rest: Any, **more: Any) -> Any:
        if host not in plan.names:
            return socket.getaddrinfo(host, port, *rest, **more)
        # One address per lookup, the last one for ever: a name whose address changes.
        answers = plan.names[host]
        address = answers.pop(0) if len(answers) > 1 else answers[0]
        return socket.getaddrinfo(address, port, *rest, **more)

    reactor.installNameResolver(GAIResolver(reactor, getaddrinfo=look_up))
    connect = reactor.connectTCP

    def count_attempt(host: str, port: int, factory: Any, *rest: Any, **more: Any) -> Any:
        attempts.append(host)
        # A closed port on loopback replaces whatever address was meant.
        target = (host, port) if plan.connect else ("127.0.0.1", 1)
        return connect(*target, factory, *rest, **more)

    reactor.connectTCP = count_attempt


def _spider(plan: FetchPlan, rows: list[Fetched], attempts: list[str]) -> Any:
    import scrapy

    from forest_crawler.fetching.content import request_meta
    from forest_crawler.fetching.request_outcomes import outcome_of

    meta = (request_meta(plan.kind) if plan.kind else {}) | plan.meta

    def meta_of(url: str) -> dict[str, Any]:
        return meta | ({"download_timeout": plan.timeouts[url]} if url in plan.timeouts else {})

    def add_row(spider: Any, row: Fetched) -> None:
        rows.append(row)
        if plan.needed and {row.url for row in rows} >= set(plan.needed):
            _write_report(spider.crawler, rows, attempts)
            os._exit(0)  # Scrapy would wait for requests in flight

    class FetchSpider(scrapy.Spider):
        name = "fetch"

        async def start(self) -> AsyncIterator[Any]:
            for url in plan.urls:
                yield scrapy.Request(
                    url,
                    meta=meta_of(url),
                    dont_filter=True,
                    callback=self.keep,
                    errback=self.note,
                    cb_kwargs={"url": url},
                )

        def keep(self, response: Any, url: str) -> None:
            add_row(
                self,
                Fetched(
                    url=url,
                    status=response.status,
                    body=response.body[:2000].decode("latin-1"),
                    size=len(response.body),
                    flags=tuple(response.flags),
                    last_url=response.url,
                    slot=response.meta["download_slot"],
                ),
            )

        def note(self, failure: Any) -> None:
            outcome = outcome_of(failure.value)
            add_row(
                self,
                Fetched(
                    url=failure.request.cb_kwargs["url"],
                    reason=outcome.reason,
                    passing=outcome.passing,
                    wait=None if outcome.retry_at is None else outcome.retry_at - time.time(),
                    error=repr(failure.value)[:500],
                ),
            )

    return FetchSpider


if __name__ == "__main__":
    _main()
