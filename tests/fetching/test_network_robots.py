"""robots.txt is obeyed by RFC 9309, whatever a server does with it.

Rows 44 to 50 and 52 of docs/explanation/reliability.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from urllib.parse import quote

import pytest

from tests.support.fault_process import FaultServer, running_server
from tests.support.fetch_run import LOOPBACK, QUICK, FetchPlan, FetchReport, run_fetch
from tests.support.waiting import HANG

NOBODY = "User-agent: *\nDisallow: /\n"
INSIDE = "169.254.1.1"


def _text(body: str) -> str:
    return f"/fault/text?body={quote(body)}"


# What a host serves as its robots.txt, and the outcome of a request for /article/1.
HOSTS: dict[str, tuple[str, str | None]] = {
    "500": ("/fault/status?code=500", "robots-unavailable"),
    "503": ("/fault/status?code=503", "robots-unavailable"),
    "429": ("/fault/status?code=429", "robots-unavailable"),
    "503 for an hour": ("/fault/status?code=503&retry-after=3600", "robots-unavailable"),
    "reset": ("/fault/rst", "robots-unavailable"),
    "dropped": ("/fault/drop", "robots-unavailable"),
    "stalled": ("/fault/stall", "robots-unavailable"),
    "junk": ("/fault/junk", "robots-unavailable"),
    "bomb": ("/fault/bomb?kind=gzip&megabytes=300", "robots-unavailable"),
    "bomb as 404": ("/fault/bomb?kind=gzip&megabytes=300&status=404", "robots-unavailable"),
    "to a closed network": (f"/fault/redirect-to?to=http://{INSIDE}/", "robots-unavailable"),
    "500 once": ("/fault/status?code=500&times=1", None),
    "401": ("/fault/status?code=401", None),
    "403": ("/fault/status?code=403", None),
    "404": ("/fault/status?code=404", None),
    "empty": (_text(""), None),
    "not a robots.txt": ("/fault/page", None),
    "nobody": (_text(NOBODY), "robots"),
    "nobody, with a mark": (_text("\ufeff" + NOBODY), "robots"),
    "us": (_text("User-agent: forest-crawler\nDisallow: /article\n"), "robots"),
    "all but us": (_text(NOBODY + "\nUser-agent: forest-crawler\nAllow: /\n"), None),
    "others": (_text("User-agent: otherbot\nDisallow: /\n"), None),
    "longest rule": (_text("User-agent: *\nDisallow: /\nAllow: /article/\n"), None),
    "wildcards": (_text("User-agent: *\nDisallow: /*a*a*a*a*a*a*a*a*a*$\n"), None),
    "wildcard": (_text("User-agent: *\nDisallow: /*ic*1$\n"), "robots"),
    "five hops": (f"/fault/chain?n=4&then={quote('/fault/text?body=' + quote(NOBODY))}", "robots"),
    "six hops": (f"/fault/chain?n=5&then={quote('/fault/text?body=' + quote(NOBODY))}", None),
    "delay of ages": (_text("User-agent: *\nCrawl-delay: 1e9\n"), "crawl-delay"),
    "delay over the limit": (_text("User-agent: *\nCrawl-delay: 121\n"), "crawl-delay"),
    "delay of nan": (_text("User-agent: *\nCrawl-delay: nan\n"), None),
    "delay below zero": (_text("User-agent: *\nCrawl-delay: -3\n"), None),
}
CROWD, LARGE, SLOW, FAR, ELSEWHERE = (f"127.22.0.{n}" for n in range(1, 6))
STALLED = "stalled"
DELAY = 1.0
SLACK = DELAY / 2
"""Seconds that a request may need to the server; a busy machine delays one more than the next."""


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        yield running


def _site(name: str) -> str:
    return f"127.21.0.{list(HOSTS).index(name) + 1}"


def _crowd(server: FaultServer) -> list[str]:
    return [server.url(CROWD, f"/article/{n}") for n in range(1, 11)]


def _slow(server: FaultServer, site: str = SLOW) -> list[str]:
    return [server.url(site, f"/article/{n}") for n in (1, 2, 3)]


@pytest.fixture(scope="module")
def report(server: FaultServer) -> FetchReport:
    """Crawl all hosts; the one that stalls in a crawl with a short time-out."""
    robots = {_site(name): served for name, (served, _) in HOSTS.items()} | {
        CROWD: f"/fault/slow?seconds=0.3&body={quote(NOBODY)}",
        LARGE: "/fault/many-rules",
        SLOW: _text(f"User-agent: *\nCrawl-delay: {DELAY}\n"),
        FAR: _text("User-agent: *\nCrawl-delay: 30\n"),
        ELSEWHERE: f"/fault/redirect-to?to=http://{CROWD}:{server.port}/robots.txt",
    }
    server.plan({site: {"routes": {"/robots.txt": served}} for site, served in robots.items()})
    urls = [server.url(_site(name), "/article/1") for name in HOSTS if name != STALLED]
    urls += [*_crowd(server), *_slow(server), *_slow(server, FAR)]
    urls += [server.url(LARGE, path) for path in ("/early", "/late", "/article/1")]
    urls += [server.url(ELSEWHERE, "/article/1")]
    settings = LOOPBACK | QUICK | {"DOWNLOAD_TIMEOUT": HANG, "CONCURRENT_REQUESTS": 100}
    # AutoThrottle lowers delays for a quick server; not those that a host requests.
    settings |= {"AUTOTHROTTLE_ENABLED": True, "AUTOTHROTTLE_START_DELAY": 0}
    impatient = settings | {"DOWNLOAD_TIMEOUT": 1}
    plans = [
        FetchPlan(urls, settings, kind="page"),
        FetchPlan([server.url(_site(STALLED), "/article/1")], impatient, kind="page"),
    ]
    with ThreadPoolExecutor() as threads:
        report, stalled = threads.map(run_fetch, plans)
    return replace(report, fetched=report.fetched | stalled.fetched, log=report.log + stalled.log)


@pytest.mark.parametrize(("name", "reason"), [(n, r) for n, (_, r) in HOSTS.items()], ids=HOSTS)
def test_robots_txt_is_obeyed(
    server: FaultServer, report: FetchReport, name: str, reason: str | None
) -> None:
    found = report.fetched[server.url(_site(name), "/article/1")]
    assert (found.reason, found.status) == (reason, 0 if reason else 200), found.error


@pytest.mark.parametrize("name", [name for name, (_, reason) in HOSTS.items() if reason])
def test_forbidden_page_is_not_requested(
    server: FaultServer, report: FetchReport, name: str
) -> None:
    assert "/article/1" not in server.paths(_site(name))


@pytest.mark.parametrize(
    ("name", "least", "most"), [("500", 200, 300), ("503 for an hour", 3500, 3600)]
)
def test_unavailable_robots_txt_is_retried_later(
    server: FaultServer, report: FetchReport, name: str, least: float, most: float
) -> None:
    found = report.fetched[server.url(_site(name), "/article/1")]
    assert found.passing
    assert found.wait is not None
    assert least <= found.wait <= most


def test_every_request_that_waits_for_a_robots_txt_gets_its_verdict(
    server: FaultServer, report: FetchReport
) -> None:
    assert [report.fetched[url].reason for url in _crowd(server)] == ["robots"] * 10
    # Once for itself, once for the site whose robots.txt redirects here.
    assert server.paths(CROWD) == ["/robots.txt"] * 2


def test_redirected_robots_txt_holds_for_the_host_that_redirects(
    server: FaultServer, report: FetchReport
) -> None:
    assert report.fetched[server.url(ELSEWHERE, "/article/1")].reason == "robots"


def test_large_robots_txt_is_read_up_to_the_limit(server: FaultServer, report: FetchReport) -> None:
    """6.6 MB of rules: /early is forbidden in the first line, /late in the last."""
    reasons = [report.fetched[server.url(LARGE, path)].reason for path in ("/early", "/late")]
    assert reasons == ["robots", "http-404"]


def test_large_or_compressed_robots_txt_takes_little_memory(report: FetchReport) -> None:
    assert report.megabytes < 180  # an idle process takes 90


def test_crawl_delay_is_kept_between_any_two_requests(
    server: FaultServer, report: FetchReport
) -> None:
    hits = server.log(SLOW)
    assert [hit.path for hit in hits] == ["/robots.txt", "/article/1", "/article/2", "/article/3"]
    assert all(later.time - earlier.time > DELAY - SLACK for earlier, later in pairwise(hits))


def test_requests_with_a_late_turn_are_postponed_one_after_the_other(
    server: FaultServer, report: FetchReport
) -> None:
    """The first is due 30 s after the robots.txt, the others 30 s later each."""
    waits = sorted(report.fetched[url].wait or 0 for url in _slow(server, FAR))
    assert [round(wait / 30) for wait in waits] == [1, 2, 3]
    assert {report.fetched[url].reason for url in _slow(server, FAR)} == {"crawl-delay"}


def test_no_host_leaves_a_traceback(report: FetchReport) -> None:
    assert "Traceback" not in report.log


def test_hosts_at_one_ip_address_share_a_queue_if_the_setting_says_so(server: FaultServer) -> None:
    """Without the setting all would be fetched at the same time."""
    site, delay = "127.23.0.1", 0.3
    hosts = [f"h{n}.test" for n in range(5)]
    report = run_fetch(
        FetchPlan(
            [f"http://{host}:{server.port}/article/1" for host in hosts],
            settings=LOOPBACK | QUICK | {"DOWNLOAD_DELAY": delay, "FOREST_SLOT_PER_ADDRESS": True},
            names={host: [site] for host in hosts},
        )
    )
    assert {found.status for found in report.fetched.values()} == {200}
    times = [hit.time for hit in server.log(site) if hit.path == "/article/1"]
    assert times[-1] - times[0] > 3 * delay  # four delays, less what the first takes to the server
