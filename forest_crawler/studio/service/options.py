"""`ServiceOptions`: the limits of the service."""

from __future__ import annotations

from dataclasses import dataclass

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True, slots=True)
class ServiceOptions:
    """Where wrappers come from, who may ask, and how much one request may cost."""

    store: str | None = None  # without one, every page is read by the page model
    token: str | None = None
    hosts: tuple[str, ...] = LOOPBACK  # names in the Host header; others are DNS rebinding
    allow_networks: tuple[str, ...] = ()  # beyond the public addresses
    allow_ports: tuple[str, ...] = ()
    max_body: int = 5 * 1024 * 1024  # bytes of HTML that are sent to us
    max_fetches: int = 4  # at the same time; who waits longer than `timeout` is answered with 503
    max_items: int = 20  # articles of a feed
    timeout: float = 60.0  # seconds of one fetch, and of waiting for it
    wait_seconds: float = 15.0  # that a feed waits for its pages; readers give up after 20 or 30
    site_pause: float = 1.0  # seconds between two fetches from a site
    cache_seconds: float = 900.0  # that a feed is kept, and that a page isn't tried again
    max_cached: int = 100  # feeds
    article_seconds: float = 6 * 3600.0  # that an article is kept
    max_articles: int = 2000
