"""`UrlPolicyMiddleware`: refuses URLs that must not be fetched.

It is the first middleware, so that nothing is requested from such a host, not even its robots.txt;
redirects pass through it as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_crawler.errors import InputError
from forest_crawler.fetching.public_resolver import allowed_networks
from forest_crawler.fetching.request_outcomes import refuse_request
from forest_crawler.urls.policy import WEB_PORTS, UrlPolicy, refuse_url

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

ANY_PORT = "any"
"""The value of FOREST_ALLOW_PORTS that allows all ports."""


class UrlPolicyMiddleware:
    """Refuses requests by `forest_crawler.urls.policy.refuse_url`."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.policy = read_policy(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        refusal = refuse_url(request.url, self.policy)
        if refusal is not None:
            raise refuse_request(self.crawler, refusal.replace(" ", "-"), request.url)


def read_policy(crawler: Crawler) -> UrlPolicy:
    """Read the URL policy from the settings; spiders schedule pages by it, too."""
    return UrlPolicy(ports=_read_ports(crawler.settings), networks=allowed_networks(crawler))


def _read_ports(settings: BaseSettings) -> frozenset[int] | None:
    ports = settings.getlist("FOREST_ALLOW_PORTS")
    if ANY_PORT in ports:
        return None
    try:
        return WEB_PORTS | {int(port) for port in ports}
    except ValueError as err:
        raise InputError(f"must be ports or {ANY_PORT!r} ({err})", "FOREST_ALLOW_PORTS") from err
