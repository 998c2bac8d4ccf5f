"""No connection to a closed network: the resolver gives out public addresses only.

What it checks is the very address that is connected to, so a name whose second answer differs
(rebinding) gets nowhere, nor does a redirect, a robots.txt or an odd spelling of an address.
Networks can be allowed by hand with the setting FOREST_ALLOW_NETWORKS.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import CachingHostnameResolver, dnscache
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer

from forest_crawler.crawl.outcomes import PRIVATE_ADDRESS
from forest_crawler.fetching.request_outcomes import refuse_request
from forest_crawler.urls.networks import IPNetwork, is_public_address, read_networks

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.base import ReactorBase

MAX_ANSWER = 300.0
"""Seconds that an answer is remembered: a site that moves is found again within a long run."""

refused_hosts: LocalCache[str, bool] = LocalCache(10_000)
"""Hosts that led to closed networks only, which Twisted tells like hosts that do not exist."""


@implementer(IResolutionReceiver)
class _PublicAddresses:
    """Passes on public addresses to the receiver behind it, and nothing else."""

    def __init__(self, receiver: Any, host: str, allowed: tuple[IPNetwork, ...]) -> None:
        self.receiver = receiver
        self.host = host
        self.allowed = allowed
        self.passed = self.stopped = 0

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self.receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public_address(getattr(address, "host", ""), self.allowed):
            self.passed += 1
            self.receiver.addressResolved(address)
        else:
            self.stopped += 1

    def resolutionComplete(self) -> None:  # noqa: N802
        if self.passed:
            refused_hosts.pop(self.host, None)
        elif self.stopped:
            refused_hosts[self.host] = True
        self.receiver.resolutionComplete()


@implementer(IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver for both IP versions, closed to all but public addresses."""

    def __init__(
        self, reactor: ReactorBase, cache_size: int, allowed: tuple[IPNetwork, ...] = ()
    ) -> None:
        super().__init__(reactor, cache_size)
        self.allowed = allowed
        self.asked: LocalCache[str, float] = LocalCache(10_000)

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        settings = crawler.settings
        size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, size, allowed_networks(crawler))

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        self._forget_old_answer(hostName)
        # Outermost, so that remembered answers are judged too.
        guarded: Any = _PublicAddresses(resolutionReceiver, hostName, self.allowed)
        # RFC 6761: names below `localhost` are this machine, whatever a server would answer.
        name = "127.0.0.1" if hostName.endswith(".localhost") else hostName
        return super().resolveHostName(guarded, name, portNumber, addressTypes, transportSemantics)

    def _forget_old_answer(self, host: str) -> None:
        now = monotonic()
        if now - self.asked.get(host, -MAX_ANSWER) >= MAX_ANSWER:
            dnscache.pop(host, None)
            self.asked[host] = now


class ConnectionMiddleware:
    """Next to the downloader: names what the resolver stopped, and looks at what was connected to.

    It also puts the resolver in place where Scrapy does not: in a CrawlerRunner, or when an add-on
    comes after the reactor has been set up.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.allowed = allowed_networks(crawler)
        _install_guard(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        address = response.ip_address
        if address is not None and not is_public_address(address, self.allowed):
            raise refuse_request(self.crawler, PRIVATE_ADDRESS, response.url)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        host = urlparse_cached(request).hostname
        if isinstance(exception, CannotResolveHostError) and host in refused_hosts:
            raise refuse_request(self.crawler, PRIVATE_ADDRESS, request.url) from exception


def allowed_networks(crawler: Crawler) -> tuple[IPNetwork, ...]:
    """The networks that FOREST_ALLOW_NETWORKS opens, public or not."""
    return read_networks(crawler.settings.getlist("FOREST_ALLOW_NETWORKS"))


def _install_guard(crawler: Crawler) -> None:
    from twisted.internet import reactor  # imported late: the import chooses the reactor

    installed: Any = reactor
    if not isinstance(installed.nameResolver, PublicResolver):
        PublicResolver.from_crawler(crawler, installed).install_on_reactor()
