"""What is never requested, and what a request never discloses.

Rows 21 to 30 and 51 of docs/explanation/reliability.md.

For addresses off loopback, connecting is stubbed out: a check that failed would show as an
attempt, and connect to a closed port of this machine instead.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.fault_process import FaultServer, running_server
from tests.support.fetch_run import QUICK, FetchPlan, FetchReport, run_fetch

CLOSED = {
    "loopback": "http://127.0.0.1/",
    "localhost": "http://localhost/",
    "short": "http://127.1/",
    "decimal": "http://2130706433/",
    "hexadecimal": "http://0x7f000001/",
    "octal": "http://0177.0.0.1/",
    "zero": "http://0/",
    "ten": "http://10.1.2.3/",
    "cloud metadata": "http://169.254.169.254/latest/meta-data/",
    "carrier": "http://100.64.0.1/",
    "home": "http://192.168.1.1/",
    "multicast": "http://224.0.0.1/",
    "v6 loopback": "http://[::1]/",
    "mapped": "http://[::ffff:127.0.0.1]/",
    "NAT64": "http://[64:ff9b::7f00:1]/",
    "6to4": "http://[2002:7f00:1::]/",
    "unique local": "http://[fd00::1]/",
}
NAMES = {"inside.test": ["10.1.2.3"], "moves.test": ["93.184.215.14", "127.66.0.1"]}

REFUSED = {
    "file:///etc/hostname": "scheme",
    "data:text/html,<p>canary": "scheme",
    "ftp://gazette.test/a": "scheme",
    "gopher://gazette.test/a": "scheme",
    "http://user:secret@gazette.test/": "credentials",
    "http://gazette.test:22/": "port",
    "http://gazette.test:25/": "port",
    "http://gazette.test:6379/": "port",
    "http://gazette.test/x/x/x/": "trap",
    "http://gazette.test/?" + "a=1&" * 40: "trap",
}

OPEN, INSIDE = "127.1.0.1", "127.66.0.1"


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server(0) as running:
        yield running


def test_no_spelling_of_a_private_address_is_connected_to_and_each_refusal_has_its_reason() -> None:
    urls = [*CLOSED.values(), *REFUSED]
    report = run_fetch(FetchPlan(urls, settings=QUICK, connect=False, names=dict(NAMES)))
    expected = dict.fromkeys(CLOSED.values(), "private-address") | REFUSED
    assert report.reasons() == expected
    assert report.attempts == []
    assert report.stats["forest/refused/private-address"] == len(CLOSED)
    assert not any(found.body for found in report.fetched.values())


def test_resolver_alone_refuses_private_addresses_and_rebinding_hosts() -> None:
    settings = QUICK | {
        "DOWNLOADER_MIDDLEWARES": {
            "forest_crawler.fetching.public_resolver.ConnectionMiddleware": 880,
            "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        },
        "DNSCACHE_ENABLED": False,
        "RETRY_ENABLED": False,
        "CONCURRENT_REQUESTS": 1,
    }
    names = ["http://inside.test/", "http://moves.test/1", "http://moves.test/2"]
    files = ["file:///etc/hostname", "data:text/html,canary"]
    urls = [*CLOSED.values(), *names, *files]
    report = run_fetch(FetchPlan(urls, settings=settings, connect=False, names=dict(NAMES)))
    expected = dict.fromkeys(urls, "private-address") | dict.fromkeys(files, "scheme")
    expected["http://moves.test/1"] = "connection-refused"
    assert report.reasons() == expected
    assert report.attempts == ["93.184.215.14"]  # the first answer only, to the stub


def test_public_resolver_is_installed_without_a_crawler_process(server: FaultServer) -> None:
    """Scrapy's CrawlerRunner installs no resolver; the add-on does."""
    server.clear()
    url = f"http://inside.test:{server.port}/"
    plan = FetchPlan(
        [url],
        settings=QUICK | {"FOREST_ALLOW_PORTS": ["any"], "ROBOTSTXT_OBEY": False},
        names={"inside.test": [INSIDE]},
        runner=True,
        addon=True,
    )
    report = run_fetch(plan)
    assert report.fetched[url].reason == "private-address"
    assert (report.attempts, server.paths(INSIDE)) == ([], [])


@pytest.fixture(scope="module")
def report(server: FaultServer) -> FetchReport:
    """Fetch all URLs, with 127.1.0.0/16 and one port allowed, and a proxy set."""
    server.clear()
    server.plan(
        {"127.1.0.9": {"routes": {"/robots.txt": f"/fault/redirect-to?to={_inside(server)}"}}}
    )
    settings = QUICK | {
        "FOREST_ALLOW_NETWORKS": ["127.1.0.0/16"],
        "FOREST_ALLOW_PORTS": [str(server.port)],
        "FOREST_CONTACT": "https://crawl.test/about",
    }
    proxy = f"http://{INSIDE}:{server.port}"
    environment = {"http_proxy": proxy, "https_proxy": proxy, "HTTP_PROXY": proxy}
    return run_fetch(FetchPlan(list(_urls(server).values()), settings=settings), environment)


def _inside(server: FaultServer) -> str:
    return f"http://{INSIDE}:{server.port}/"


def _urls(server: FaultServer) -> dict[str, str]:
    other_port = server.ports[1]
    paths = {
        "echo": "/fault/echo",
        "redirect inside": f"/fault/redirect-to?to={_inside(server)}",
        "refresh inside": f"/fault/meta-refresh?to={_inside(server)}",
        "redirect to file": "/fault/redirect-to?to=file:///etc/hostname",
        "redirect to data": "/fault/redirect-to?to=data:text/html,canary",
        "refresh to file": "/fault/meta-refresh?to=file:///etc/hostname",
        "redirect to port": f"/fault/redirect-to?to=http://{OPEN}:{other_port}/",
        "redirect with user": f"/fault/redirect-to?to=http://me:pw@{OPEN}:{server.port}/",
        "elsewhere": f"/fault/set-cookie?to=http://127.1.0.2:{server.port}/fault/echo",
        "back": "/fault/set-cookie?to=/fault/echo",
    }
    urls = {name: server.url(OPEN, path) for name, path in paths.items()}
    return urls | {"robots inside": server.url("127.1.0.9", "/article/1")}


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("redirect inside", "private-address"),
        ("refresh inside", "private-address"),
        ("redirect to file", "http-302"),
        ("redirect to data", "http-302"),
        ("refresh to file", None),  # the page itself: the refresh isn't followed
        ("redirect to port", "port"),
        ("redirect with user", "credentials"),
        ("robots inside", "robots-unavailable"),
        ("echo", None),
    ],
)
def test_redirect_is_checked_like_the_first_url(
    server: FaultServer, report: FetchReport, name: str, reason: str | None
) -> None:
    found = report.fetched[_urls(server)[name]]
    assert found.reason == reason
    assert "canary" not in found.body


def test_private_server_gets_no_connection(server: FaultServer, report: FetchReport) -> None:
    opened = server.connections()
    assert not [address for address in opened if address.startswith(INSIDE)]
    assert f"{OPEN}:{server.ports[1]}" not in opened
    assert f"{OPEN}:{server.port}" in opened


@pytest.mark.parametrize("name", ["elsewhere", "back"])
def test_request_names_the_crawler_and_carries_no_cookie_or_referrer(
    server: FaultServer, report: FetchReport, name: str
) -> None:
    """A redirect takes neither cookie nor referrer along."""
    body = report.fetched[_urls(server)[name]].body
    names = {line.partition(":")[0] for line in body.splitlines()}
    assert {"cookie", "referer", "authorization"}.isdisjoint(names)
    assert "user-agent: forest-crawler/" in body
    assert "(+https://crawl.test/about)" in body


def test_redirect_waits_in_the_queue_of_its_target_host(
    server: FaultServer, report: FetchReport
) -> None:
    assert report.fetched[_urls(server)["elsewhere"]].slot == "127.1.0.2"
