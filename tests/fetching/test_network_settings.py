"""Settings and add-on are equal, and every error has one label."""

from __future__ import annotations

import asyncio
import importlib
import time
import zlib
from gzip import BadGzipFile

import pytest
from scrapy import Request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
)
from scrapy.settings import Settings
from scrapy.utils.test import get_crawler

from forest_crawler import settings as forest
from forest_crawler.errors import InputError
from forest_crawler.fetching import robots
from forest_crawler.fetching.addon import ForestAddon
from forest_crawler.fetching.identity import agent_name
from forest_crawler.fetching.request_outcomes import (
    PostponedRequest,
    RefusedRequest,
    outcome_of,
    refuse_request,
)
from forest_crawler.fetching.robots import HostRules, RobotsMiddleware


def _with_addon(project: dict[str, object]) -> Settings:
    settings = Settings(project, priority="project")
    ForestAddon.update_pre_crawler_settings(settings)
    ForestAddon().update_settings(settings)
    return settings


def test_addon_applies_our_settings() -> None:
    settings = _with_addon({})
    names = [name for name in vars(forest) if name.isupper()]
    other = {name for name in names if settings[name] != getattr(forest, name)}
    components = {"DOWNLOADER_MIDDLEWARES", "DOWNLOAD_HANDLERS"}
    assert other - components == {"BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE"} | (
        {"ITEM_PIPELINES"} & set(names)
    )
    for name in components:
        assert settings.getdict(name) == getattr(forest, name)


def test_addon_keeps_what_a_project_sets_itself() -> None:
    project: dict[str, object] = {
        "USER_AGENT": "gazettebot/2",
        "DOWNLOAD_DELAY": 7,
        "DOWNLOADER_MIDDLEWARES": {"project.Own": 42},
    }
    settings = _with_addon(project)
    assert (settings["USER_AGENT"], settings["DOWNLOAD_DELAY"]) == ("gazettebot/2", 7)
    assert settings["ROBOTSTXT_USER_AGENT"] is None  # robots.txt uses the project's own name
    middlewares = settings.getdict("DOWNLOADER_MIDDLEWARES")
    assert middlewares["project.Own"] == 42
    assert middlewares["forest_crawler.fetching.robots.RobotsMiddleware"] == 100


def test_every_component_of_the_settings_can_be_loaded() -> None:
    paths = [path for path, order in forest.DOWNLOADER_MIDDLEWARES.items() if order is not None]
    paths += [path for path in forest.DOWNLOAD_HANDLERS.values() if path is not None]
    for path in [*paths, forest.TWISTED_DNS_RESOLVER]:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(module), name), path


@pytest.mark.parametrize(
    ("contact", "agent"),
    [
        (None, "forest-crawler/1"),
        ("", "forest-crawler/1"),
        ("desk@gazette.test", "forest-crawler/1 (+desk@gazette.test)"),
        ("a\r\nCookie: b (c)", "forest-crawler/1 (+aCookie: b c)"),  # one line, one comment
    ],
)
def test_user_agent_is_one_clean_header(contact: str | None, agent: str) -> None:
    assert agent_name("forest-crawler/1", contact) == agent


@pytest.mark.parametrize(
    ("error", "reason", "passing"),
    [
        (DownloadTimeoutError(), "timeout", True),
        (CannotResolveHostError(), "unknown-host", True),
        (DownloadFailedError(), "connection", True),
        (DownloadConnectionRefusedError(), "connection-refused", True),
        (ConnectionResetError(), "connection", True),
        (ResponseDataLossError(), "truncated", True),
        (DownloadCancelledError(), "too-large", False),
        (NotSupported(), "scheme", False),
        (IgnoreRequest("max redirections reached"), "redirects", False),
        (BadGzipFile(), "encoding", False),
        (zlib.error(), "encoding", False),
        (RefusedRequest("robots"), "robots", False),
        (PostponedRequest("retry-after", 5.0), "retry-after", True),
        (RuntimeError("a bug"), "error", False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_error_has_one_label(error: Exception, reason: str, passing: bool) -> None:
    outcome = outcome_of(error)
    assert (outcome.reason, outcome.passing) == (reason, passing)


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 0.0)


@pytest.mark.usefixtures("still_clock")
def test_unavailable_robots_txt_is_retried_less_and_less() -> None:
    rules, waits = HostRules(), []
    for _ in range(6):
        rules.back_off()
        waits.append(rules.until)
    assert waits == [300, 600, 1200, 2400, 3600, 3600]
    assert not rules.available


@pytest.mark.usefixtures("still_clock")
def test_known_rules_hold_while_their_server_fails() -> None:
    rules = HostRules()
    rules.accept(None, delay=2.0)
    assert rules.until == 24 * 3600
    rules.back_off()
    assert (rules.available, rules.delay) == (True, 2.0)


def test_rules_hold_after_their_parser_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(robots, "MAX_PARSERS", 1)
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    hosts = [f"http://{name}.example" for name in "abc"]
    rules = {host: HostRules() for host in hosts}
    for host in hosts[:2]:
        rules[host].accept(zlib.compress(b"User-agent: *\nDisallow: /private"))
    rules[hosts[2]].accept(None)
    middleware.hosts.update(rules)

    async def is_refused(url: str) -> bool:
        try:
            await middleware.process_request(Request(url))
        except RefusedRequest:
            return True
        return False

    async def fetch_all() -> list[bool]:
        paths = ("/private", "/public", "/private")
        return [await is_refused(host + path) for path in paths for host in hosts]

    assert asyncio.run(fetch_all()) == [True, True, False, False, False, False, True, True, False]
    assert [rules[host].parser is None for host in hosts] == [True, False, True]


def test_rules_parsed_twice_at_once_hold_after_a_parser_is_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(robots, "MAX_PARSERS", 2)
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    parse = middleware._parse

    async def parse_slowly(body: bytes) -> object:  # as in a thread
        await asyncio.sleep(0)
        return await parse(body)

    monkeypatch.setattr(middleware, "_parse", parse_slowly)
    for name in "ab":
        middleware.hosts[f"http://{name}.example"] = rules = HostRules()
        rules.accept(zlib.compress(b"User-agent: *\nDisallow: /private"))

    async def fetch(name: str) -> None:
        with pytest.raises(RefusedRequest):
            await middleware.process_request(Request(f"http://{name}.example/private"))

    async def fetch_all() -> None:
        await asyncio.gather(fetch("a"), fetch("a"))
        for name in "bababa":
            await fetch(name)

    asyncio.run(fetch_all())


def test_rules_fetched_again_replace_those_that_are_still_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    middleware = RobotsMiddleware(get_crawler(settings_dict={"ROBOTSTXT_OBEY": True}))
    parse = middleware._parse
    middleware.hosts["http://a.example"] = rules = HostRules()
    rules.accept(zlib.compress(b"User-agent: *\nDisallow: /private"))

    async def parse_while_fetched(body: bytes) -> object:
        rules.accept(None)  # the file is gone
        return await parse(body)

    monkeypatch.setattr(middleware, "_parse", parse_while_fetched)
    asyncio.run(middleware.process_request(Request("http://a.example/private")))
    assert rules.parser is None


def test_addon_says_what_it_turns_off(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    _with_addon({"COOKIES_ENABLED": True})  # which the project keeps
    (line,) = [row.getMessage() for row in caplog.records if "turned off" in row.getMessage()]
    named = line.partition(": ")[2].split(", ")
    assert {"TELNETCONSOLE_ENABLED", "downloads by file:", "RobotsTxtMiddleware"} <= set(named)
    assert "COOKIES_ENABLED" not in named
    assert "FOREST_WITH_TITLE" not in named


def test_misspelled_setting_of_a_project_is_an_error() -> None:
    with pytest.raises(InputError, match=r"FOREST_STOER: .*did you mean FOREST_STORE\?"):
        _with_addon({"FOREST_STOER": "sqlite:///a.db"})


def test_refused_request_is_logged_with_its_reason(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    crawler = get_crawler()
    refuse_request(crawler, "robots", "http://gazette.test/a")
    assert "refused: http://gazette.test/a (robots)" in caplog.text
