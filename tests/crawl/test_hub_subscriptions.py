"""Hubs are asked to report news, and only those that were asked are heard."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import time
from dataclasses import replace

import pytest

from forest_crawler.crawl.hub_subscriptions import HubSubscriptions
from forest_crawler.store import Source

FEED = "https://gazette.example/feed"
SOURCE = Source(7, FEED, hub="https://hub.example/", topic=FEED)
DAY = 86_400


class Hub:
    """Records the forms that it gets."""

    def __init__(self) -> None:
        self.forms: list[dict[str, str]] = []
        self.news: list[str] = []
        self.subscriptions = HubSubscriptions("https://me.example/hubs/", self.take)
        self.subscriptions.on_news = lambda source: self.news.append(source.url)

    async def take(self, url: str, form: dict[str, str]) -> bool:
        assert url == "https://hub.example/"
        self.forms.append(form)
        return True

    def update(self, source: Source = SOURCE) -> None:
        async def run() -> None:
            self.subscriptions.update(source)
            await asyncio.sleep(0)

        asyncio.run(run())

    @property
    def token(self) -> str:
        return self.forms[-1]["hub.callback"].rpartition("/")[2]

    def confirm(self, lease: float = 2 * DAY) -> bool:
        return self.subscriptions.confirm(self.token, "subscribe", FEED, lease)

    def report(self, body: bytes = b"<rss/>", secret: str = "", digest: str = "sha256") -> bool:
        secret = secret or self.forms[-1]["hub.secret"]
        signature = hmac.new(secret.encode(), body, digest).hexdigest()
        return self.subscriptions.receive(self.token, body, f"{digest}={signature}")


@pytest.fixture
def hub() -> Hub:
    hub = Hub()
    hub.update()
    return hub


def test_hub_gets_a_form_with_a_url_and_a_secret_of_this_feed(hub: Hub) -> None:
    (form,) = hub.forms
    assert form["hub.mode"] == "subscribe"
    assert form["hub.topic"] == FEED
    assert form["hub.callback"].startswith("https://me.example/hubs/")
    assert len(hub.token) > 20
    assert len(form["hub.secret"]) == 40


def test_feed_without_a_hub_is_only_polled() -> None:
    hub = Hub()
    hub.update(replace(SOURCE, hub=None))
    assert hub.forms == []
    assert hub.subscriptions.poll_interval(SOURCE) is None


def test_confirmed_feed_is_polled_rarely_until_the_lease_ends(hub: Hub) -> None:
    assert hub.subscriptions.poll_interval(SOURCE) is None
    assert hub.confirm(3600)
    assert hub.subscriptions.poll_interval(SOURCE) == pytest.approx(1800, abs=5)
    assert hub.confirm(10 * DAY)
    assert hub.subscriptions.poll_interval(SOURCE) == DAY


@pytest.mark.parametrize(
    ("token", "mode", "topic", "lease"),
    [
        ("guess", "subscribe", FEED, DAY),
        (None, "unsubscribe", FEED, DAY),
        (None, "subscribe", "https://other.example/", DAY),
        (None, "subscribe", FEED, 0),
    ],
    ids=["token", "mode", "topic", "lease"],
)
def test_nothing_else_is_confirmed(
    hub: Hub, token: str | None, mode: str, topic: str, lease: float
) -> None:
    assert not hub.subscriptions.confirm(token or hub.token, mode, topic, lease)


@pytest.mark.parametrize("digest", ["sha1", "sha256", "sha512"])
def test_signed_report_is_news(hub: Hub, digest: str) -> None:
    assert hub.report(digest=digest)
    assert hub.news == [FEED]


@pytest.mark.parametrize(
    "signature",
    [
        "",
        "sha256=",
        "md5=" + hashlib.md5(b"", usedforsecurity=False).hexdigest(),
        "sha256=" + "0" * 64,
    ],
)
def test_report_without_the_right_signature_is_not_news(hub: Hub, signature: str) -> None:
    assert hub.subscriptions.receive(hub.token, b"<rss/>", signature)
    assert hub.news == []


def test_report_to_an_unknown_url_is_answered_as_gone(hub: Hub) -> None:
    assert not hub.subscriptions.receive("of-an-earlier-run", b"", "")


def test_subscription_is_renewed_when_half_of_it_is_over(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.confirm(2 * DAY)
    now = time.time()
    for passed, forms in ((0.9 * DAY, 1), (1.1 * DAY, 2)):
        monkeypatch.setattr(time, "time", lambda passed=passed: now + passed)
        hub.update()
        assert len(hub.forms) == forms
    assert hub.forms[0]["hub.callback"] == hub.forms[1]["hub.callback"]


def test_hub_that_does_not_confirm_is_asked_again_after_an_hour(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.update()
    assert len(hub.forms) == 1
    later = time.time() + 3601
    monkeypatch.setattr(time, "time", lambda: later)
    hub.update()
    assert len(hub.forms) == 2


def test_feed_that_changes_its_hub_gets_another_url(hub: Hub) -> None:
    first = hub.token
    hub.update(replace(SOURCE, topic="https://gazette.example/new"))
    assert len(hub.forms) == 2
    assert hub.token != first
    assert not hub.subscriptions.receive(first, b"", "")
