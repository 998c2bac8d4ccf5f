"""Through a proxy, robots.txt and the check of addresses keep their meaning."""

from __future__ import annotations

import pytest

from forest_crawler.errors import InputError
from forest_crawler.fetching.proxy_settings import check_proxy
from tests.support.fetch_run import QUICK, FetchPlan, FetchReport, run_fetch
from tests.support.recording_server import RecordingServer, recording_server

PUBLIC = "93.184.215.14"
NAMES = {"gazette.test": [PUBLIC], "inside.test": ["10.1.2.3"]}


def fetch(
    proxy: RecordingServer,
    *urls: str,
    environment: dict[str, str] | None = None,
    **settings: object,
) -> FetchReport:
    plan = QUICK | {"FOREST_PROXY": f"http://ann:secret@{proxy.address}", "RETRY_ENABLED": False}
    return run_fetch(FetchPlan(urls, plan | settings, names=dict(NAMES)), environment)


def test_a_proxy_gets_only_what_leads_to_the_public_web_and_robots_allow() -> None:
    with recording_server("127.0.0.3") as proxy:
        proxy.replies["http://gazette.test/robots.txt"] = (
            200,
            {"Content-Type": "text/plain"},
            "User-agent: *\nDisallow: /private",
        )
        proxy.replies["http://gazette.test/away"] = (302, {"Location": "http://inside.test/"}, "")
        urls = {
            "http://gazette.test/a": None,
            "http://gazette.test/private/a": "robots",
            "http://gazette.test/away": "robots-unavailable",  # its robots.txt is refused
            "http://inside.test/": "robots-unavailable",
            "http://10.1.2.3/": "private-address",
            f"{proxy.url}/": "port",
            "http://127.0.0.3/": "private-address",
            "http://nowhere.test/": "robots-unavailable",
        }
        report = fetch(proxy, *urls)
        assert report.reasons() == urls
        assert set(proxy.targets()) == {
            "http://gazette.test/robots.txt",
            "http://gazette.test/a",
            "http://gazette.test/away",
        }
        assert set(report.attempts) == {"127.0.0.3"}  # nothing but the proxy is connected to
        sent = proxy.headers_of("http://gazette.test/a")
        assert sent["proxy-authorization"] == "Basic YW5uOnNlY3JldA=="  # base64 of ann:secret
        assert report.stats["forest/refused/private-address"] == 3  # one per host
        assert "secret" not in report.log


def test_names_that_only_the_proxy_knows_are_left_to_it_if_the_user_says_so() -> None:
    with recording_server("127.0.0.3") as proxy:
        report = fetch(
            proxy, "http://nowhere.test/", "http://inside.test/", FOREST_PROXY_RESOLVES=True
        )
        assert report.reasons() == {
            "http://nowhere.test/": None,
            "http://inside.test/": "robots-unavailable",
        }
        assert "http://nowhere.test/" in proxy.targets()


@pytest.mark.parametrize("value", [None, "env"], ids=["by-default", "env"])
def test_the_environments_proxy_is_used_only_if_the_user_says_so(value: str | None) -> None:
    with recording_server("127.0.0.3") as proxy:
        environment = {"http_proxy": proxy.url, "no_proxy": "direct.test"}
        report = run_fetch(
            FetchPlan(
                ["http://gazette.test/a", "http://direct.test/"],
                QUICK | {"FOREST_PROXY": value, "RETRY_ENABLED": False},
                names=NAMES | {"direct.test": [PUBLIC]},
                connect=value is not None,
                meta={"dont_obey_robotstxt": True},
                timeouts={"http://direct.test/": 0.2},
            ),
            environment,
        )
        assert proxy.targets() == (["http://gazette.test/a"] if value else [])
        assert report.attempts.count(PUBLIC) == (1 if value else 2)


@pytest.mark.parametrize(
    "wrong",
    ["", "socks5://a:1080", "https://a:1", "http://", "http://a:99999", "http://a/b", "a b"],
)
def test_what_is_not_an_http_proxy_is_refused_without_showing_it(wrong: str) -> None:
    with pytest.raises(InputError, match="HTTP proxy") as caught:
        check_proxy(wrong)
    assert not wrong or wrong not in str(caught.value).replace("http://host:3128", "")
