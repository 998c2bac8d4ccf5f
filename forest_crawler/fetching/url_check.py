"""No request to an address that must not be asked for: scheme, port, credentials, traps.

Stands first in the row of middlewares, so that nothing is asked of such a host, not even its
robots.txt; redirects come through here as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_crawler.fetching.public_resolver import allowed_networks
from forest_crawler.fetching.request_outcomes import refuse_request
from forest_crawler.urls.policy import WEB_PORTS, UrlPolicy, refuse_url

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

ANY_PORT = "any"
"""What FOREST_ALLOW_PORTS says to open all ports."""


class UrlPolicyMiddleware:
    """Refuses requests by `forest_crawler.urls.policy.refuse_url`."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.rules = read_rules(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        refusal = refuse_url(request.url, self.rules)
        if refusal is not None:
            raise refuse_request(self.crawler, refusal.replace(" ", "-"), request.url)


def read_rules(crawler: Crawler) -> UrlPolicy:
    """The rules of addresses as the settings have them; a spider schedules by the same."""
    return UrlPolicy(ports=_read_ports(crawler.settings), networks=allowed_networks(crawler))


def _read_ports(settings: BaseSettings) -> frozenset[int] | None:
    ports = settings.getlist("FOREST_ALLOW_PORTS")
    if ANY_PORT in ports:
        return None
    return WEB_PORTS | {int(port) for port in ports}
