"""Servers that break HTTP: each fault has its label, and no other site waits.

Rows 31 to 42 of docs/explanation/reliability.md.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from forest_crawler.fetching.retry_after import read_retry_after
from forest_crawler.page.html_sniffing import is_html
from tests.support.fault_process import FaultServer, running_server
from tests.support.fetch_run import LOOPBACK, QUICK, FetchPlan, FetchReport, run_fetch
from tests.support.waiting import HANG

TIMEOUT = 2.0
TIMED_OUT = ("stall", "drip")

FAULTS: dict[str, str | None] = {
    "bomb?kind=gzip&megabytes=300": "too-large",
    "bomb?kind=gzip2&megabytes=300": "too-large",
    "bomb?kind=deflate&megabytes=300": "too-large",
    "bomb?kind=br&megabytes=60": "too-large",
    "bomb?kind=zstd&megabytes=300": "too-large",
    "endless": "too-large",
    "long-length": "truncated",
    "cut-chunk": "truncated",
    "short-length": None,
    "no-length": None,
    "rst": "connection",
    "rst?after=80": "connection",
    "drop": "connection",
    "junk": "connection",
    "huge-header": "connection",
    "many-headers": "connection",
    "stall": "timeout",
    "drip": "timeout",
    "gzip-plain": "encoding",
    "chain?n=8": None,
    "chain?n=9": "redirects",
    "chain": "redirects",
    "ping-pong?to=127.11.1.1": "redirects",
    "status?code=500&times=1": None,  # the second attempt
    "status?code=500": "http-500",
    "status?code=404": "http-404",
    "typed?of=pdf&type=application/pdf": "not-html",
    "typed?of=pdf&type=text/html": "not-html",
    "typed?of=png&type=text/html": "not-html",
    "typed?of=html&type=application/octet-stream": None,
    "typed?of=html&type=application/json": "not-html",
    "typed?of=empty&type=text/html": "empty",
}
PASSING = {"truncated", "connection", "timeout", "http-500"}
HEALTHY = [f"127.12.0.{n}" for n in range(1, 21)]
DRIPPING = [f"127.13.0.{n}" for n in range(1, 11)]


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        yield running


def _urls(server: FaultServer) -> dict[str, str]:
    """Return the URL of every fault, each on its own site."""
    return {
        fault: server.url(f"127.11.0.{number}", f"/fault/{fault}")
        for number, fault in enumerate(FAULTS, start=1)
    }


@pytest.fixture(scope="module")
def report(server: FaultServer) -> FetchReport:
    """Fetch all faults in one crawl; only those that never end have a short time-out."""
    urls = _urls(server)
    settings = LOOPBACK | QUICK | {"DOWNLOAD_TIMEOUT": HANG, "CONCURRENT_REQUESTS": 100}
    timeouts = {urls[fault]: TIMEOUT for fault in TIMED_OUT}
    return run_fetch(FetchPlan([*urls.values()], settings, timeouts=timeouts, kind="page"))


@pytest.mark.parametrize(("fault", "reason"), FAULTS.items(), ids=FAULTS)
def test_fault_has_its_label(
    server: FaultServer, report: FetchReport, fault: str, reason: str | None
) -> None:
    found = report.fetched[_urls(server)[fault]]
    assert (found.reason, found.passing) == (reason, reason in PASSING), found.error


def test_body_that_ends_with_its_connection_is_flagged(
    server: FaultServer, report: FetchReport
) -> None:
    urls = _urls(server)
    assert report.fetched[urls["no-length"]].flags == ("partial",)
    assert report.fetched[urls["short-length"]].flags == ()
    assert report.fetched[urls["short-length"]].size == 40  # as its header says


def test_truncated_body_is_fetched_twice(server: FaultServer, report: FetchReport) -> None:
    site = _urls(server)["long-length"].split("/")[2].split(":")[0]
    assert server.paths(site) == ["/robots.txt", "/fault/long-length", "/fault/long-length"]


def test_bombs_leave_the_memory_small(report: FetchReport) -> None:
    """An idle process takes 90 MB; one decompressed bomb would add 300."""
    assert report.megabytes < 180


def test_healthy_sites_do_not_wait_for_dripping_ones(server: FaultServer) -> None:
    healthy = [server.url(site, "/article/1") for site in HEALTHY]
    dripping = [server.url(site, "/fault/drip") for site in DRIPPING]
    settings = LOOPBACK | QUICK | {"DOWNLOAD_TIMEOUT": 3600, "CONCURRENT_REQUESTS": 100}
    report = run_fetch(FetchPlan([*dripping, *healthy], settings, needed=healthy, kind="page"))
    assert {url: found.status for url, found in report.fetched.items()} == dict.fromkeys(
        healthy, 200
    )


def test_no_fault_leaves_a_traceback(report: FetchReport) -> None:
    assert "Traceback" not in report.log


WAITS: dict[str, tuple[str | None, float, float]] = {
    # The host's answer; the label, and the min and max of the seconds until the next attempt.
    "code=429&retry-after=900": ("retry-after", 800, 900),
    "code=503&retry-after=900": ("retry-after", 800, 900),
    "code=429&retry-after=date%2B900": ("retry-after", 800, 900),
    "code=503&retry-after=315360000": ("retry-after", 3500, 3600),  # ten years
    "code=429": ("retry-after", 1, 60),  # no Retry-After
    "code=429&retry-after=-5": ("retry-after", 1, 60),
    "code=503&retry-after=-5": ("http-503", 0, 0),  # no valid value: one retry
    "code=503&retry-after=1&times=1": (None, 0, 0),  # waited out in place
}


@pytest.fixture(scope="module")
def waits(server: FaultServer) -> FetchReport:
    """Fetch four URLs of each host that requests a pause, and some of another."""
    # Without any delay Scrapy 2.19 sends all queued requests in one turn of its loop.
    settings = LOOPBACK | QUICK | {"CONCURRENT_REQUESTS_PER_DOMAIN": 1, "DOWNLOAD_DELAY": 0.01}
    urls = [url for wait in WAITS for url in _wait_urls(server, wait)]
    return run_fetch(FetchPlan([*urls, server.url("127.15.0.1", "/article/1")], settings=settings))


def _wait_site(wait: str) -> str:
    return f"127.14.0.{list(WAITS).index(wait) + 1}"


def _wait_urls(server: FaultServer, wait: str) -> list[str]:
    others = [server.url(_wait_site(wait), f"/article/{n}") for n in (1, 2, 3)]
    return [server.url(_wait_site(wait), f"/fault/status?{wait}"), *others]


@pytest.mark.parametrize("wait", WAITS)
def test_host_that_requests_a_pause_is_retried_after_it(
    server: FaultServer, waits: FetchReport, wait: str
) -> None:
    reason, least, most = WAITS[wait]
    found = waits.fetched[_wait_urls(server, wait)[0]]
    assert found.reason == reason
    assert least <= (found.wait or 0) <= most


@pytest.mark.parametrize(
    "wait", [w for w, (reason, *_) in WAITS.items() if reason == "retry-after"]
)
def test_pause_holds_for_the_whole_host(server: FaultServer, waits: FetchReport, wait: str) -> None:
    others = _wait_urls(server, wait)[1:]
    assert [waits.fetched[url].reason for url in others] == ["retry-after"] * 3
    assert server.paths(_wait_site(wait)) == ["/robots.txt", f"/fault/status?{wait}"]


def test_short_pause_holds_for_every_request_to_the_host(
    server: FaultServer, waits: FetchReport
) -> None:
    wait = "code=503&retry-after=1&times=1"
    _robots, first, *later = server.log(_wait_site(wait))
    assert len(later) == 4  # the first again, and the three others
    assert all(hit.time - first.time >= 1.0 for hit in later)


def test_other_hosts_do_not_wait(server: FaultServer, waits: FetchReport) -> None:
    """A run that waits for 900 s hangs."""
    assert waits.fetched[server.url("127.15.0.1", "/article/1")].status == 200


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (b"120", 120.0),
        (b" 7 ", 7.0),
        (b"Thu, 01 Jan 1970 00:02:00 GMT", 20.0),  # at second 100
        (b"Thu, 01 Jan 1970 00:00:01 GMT", 0.0),
        (b"1.5", 0.0),
        (b"-3", 0.0),
        (b"\xb2", 0.0),  # a digit, but not a decimal one
        (b"Mon, 99 Foo 2026", 0.0),
        (b"Thu, 01 Jan 99999 00:00:00 GMT", 0.0),
        (b"9" * 5000, float("9" * 100)),  # truncated, then capped by the middleware
        (None, 0.0),
    ],
)
def test_retry_after_is_read_in_both_forms(value: bytes | None, seconds: float) -> None:
    assert read_retry_after(value, now=100.0) == seconds


@pytest.mark.parametrize(
    ("body", "label", "is_page"),
    [
        (b"<html>", "text/html; charset=utf-8", True),
        (b"plain words, no markup", "text/html", True),
        (b"\xef\xbb\xbf<!DOCTYPE html>", "text/plain", True),
        (b"<!-- note --><html>", "application/octet-stream", True),
        (b"plain words, no markup", "text/plain", False),
        (b"<?xml version='1.0'?><rss>", "application/xml", False),
        (b"<?xml version='1.0'?><html>", "application/xml", True),
        (b"\xff\xfe<\x00h\x00t\x00", "text/html", True),  # UTF-16 with its mark
        (b"<p>\x00\x01\x02", "text/html", False),
        (b"\x00\x00\x00 ftypisom", "text/html", False),  # MP4
        (b"PK\x03\x04", "text/html", False),
        (b"{}", "application/json", False),
    ],
)
def test_html_is_recognised_by_its_first_bytes(body: bytes, label: str, is_page: bool) -> None:
    assert is_html(body, label) is is_page
