"""`HubSubscriptions`: hubs report news of feeds, which are then polled at once (WebSub).

A hub gets a URL of ours, confirms there that we subscribe, and posts to it when the feed changes.
What it posts is only a reason to poll: articles come from the feed itself, as ever. A feed with a
subscription is polled once a day, in case the hub is silent. Nothing here is kept: the next
run subscribes anew, and answers for URLs of earlier runs that they are gone.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import secrets
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field

from forest_crawler.crawl.polling import MAX_INTERVAL
from forest_crawler.store import Source

WANTED_LEASE = 10 * 86_400
"""Seconds that a subscription shall last; the hub decides."""
RETRY_AFTER = 3600.0
"""Seconds until a hub that has not confirmed gets the request again."""
_DIGESTS = frozenset({"sha1", "sha256", "sha384", "sha512"})  # WebSub, 7

SendForm = Callable[[str, dict[str, str]], Awaitable[bool]]
"""Posts a form to a URL; reports whether it was accepted."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Subscription:
    """A request to a hub, and until when the hub has agreed."""

    source: Source
    hub: str
    topic: str
    secret: str = field(default_factory=lambda: secrets.token_hex(20))
    asked_at: float = 0.0
    lease: float = 0.0  # seconds
    until: float = 0.0  # seconds since the epoch


class HubSubscriptions:
    """The subscriptions of one run. `callback` is our public URL, without a slash at its end."""

    def __init__(self, callback: str, send: SendForm) -> None:
        self._callback = callback.rstrip("/")
        self._send = send
        self._by_token: dict[str, Subscription] = {}
        self._tokens: dict[int, str] = {}  # by the source's id
        self._tasks: set[asyncio.Task[None]] = set()
        self.on_news: Callable[[Source], None] = lambda source: None

    def update(self, source: Source) -> None:
        """Subscribe to a source's feed after a poll, or renew that in time."""
        if not source.hub or not source.topic:
            return
        token = self._tokens.get(source.id, "")
        known = self._by_token.get(token)
        if known is None or (known.hub, known.topic) != (source.hub, source.topic):
            self.forget([source.id])
            token = self._tokens[source.id] = secrets.token_urlsafe(16)
            known = self._by_token[token] = Subscription(source, source.hub, source.topic)
        now = time.time()
        if known.until - now < known.lease / 2 and now - known.asked_at >= RETRY_AFTER:
            known.asked_at = now
            task = asyncio.ensure_future(self._subscribe(token, known))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def poll_interval(self, source: Source) -> float | None:
        """Return the seconds until a feed is polled without news; `None` without a hub."""
        known = self._by_token.get(self._tokens.get(source.id, ""))
        left = known.until - time.time() if known else 0.0
        return min(left / 2, MAX_INTERVAL) if left > 0 else None

    def forget(self, source_ids: Collection[int]) -> None:
        """Drop the subscriptions of sources; the hubs hear it at their next post."""
        for number in source_ids:
            self._by_token.pop(self._tokens.pop(number, ""), None)

    def confirm(self, token: str, mode: str, topic: str, lease: float) -> bool:
        """Report to a hub whether we have requested this subscription."""
        known = self._by_token.get(token)
        if mode != "subscribe" or known is None or known.topic != topic or lease <= 0:
            return False
        known.lease = min(lease, 2.0 * WANTED_LEASE)
        known.until = time.time() + known.lease
        _log.info("%s: %s reports its news from now on", known.source.url, known.hub)
        return True

    def receive(self, token: str, body: bytes, signature: str) -> bool:
        """Take a hub's report; return whether it is about a feed of ours.

        One without the right signature is somebody else's, and changes nothing.
        """
        known = self._by_token.get(token)
        if known is None:
            return False
        if _is_signed(body, signature, known.secret):
            _log.info("%s: its hub reports news", known.source.url)
            self.on_news(known.source)
        else:
            _log.warning("%s: a report without the hub's signature", known.source.url)
        return True

    async def _subscribe(self, token: str, known: Subscription) -> None:
        form = {
            "hub.mode": "subscribe",
            "hub.topic": known.topic,
            "hub.callback": f"{self._callback}/{token}",
            "hub.secret": known.secret,
            "hub.lease_seconds": str(WANTED_LEASE),
        }
        if not await self._send(known.hub, form):
            _log.info("%s: its hub %s takes no subscription", known.source.url, known.hub)


def _is_signed(body: bytes, signature: str, secret: str) -> bool:
    name, _, digest = signature.partition("=")
    if name not in _DIGESTS:
        return False
    return hmac.compare_digest(hmac.new(secret.encode(), body, name).hexdigest(), digest.lower())
