"""`PublicResolver`: resolves hosts to public IP addresses only.

It checks the very address that is connected to, so a name whose second answer differs (rebinding)
gets nowhere, nor does a redirect, a robots.txt or an odd spelling of an address. The setting
FOREST_ALLOW_NETWORKS allows further networks; a proxy that the user names may be in any.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from scrapy.exceptions import CannotResolveHostError
from scrapy.resolver import CachingHostnameResolver, dnscache
from scrapy.utils.datatypes import LocalCache
from scrapy.utils.httpobj import urlparse_cached
from twisted.internet.defer import Deferred
from twisted.internet.interfaces import (
    IAddress,
    IHostnameResolver,
    IHostResolution,
    IResolutionReceiver,
)
from zope.interface import implementer

from forest_crawler.crawl.outcomes import PRIVATE_ADDRESS
from forest_crawler.fetching.proxy_settings import proxy_hosts
from forest_crawler.fetching.request_outcomes import refuse_request
from forest_crawler.urls.hosts import normal_host
from forest_crawler.urls.networks import IPNetwork, is_public_address, read_networks

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.base import ReactorBase

MAX_ANSWER_AGE = 300.0
"""Seconds that an answer is cached: a site that moves is found again within a long run."""

refused_hosts: LocalCache[str, bool] = LocalCache(10_000)
"""Hosts without a public address, which Twisted reports like hosts that don't exist."""


@implementer(IResolutionReceiver)
class _PublicAddresses:
    """Passes only public addresses on to another receiver."""

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


@implementer(IResolutionReceiver)
class _FirstAddress:
    """Notes whether there is an address at all."""

    def __init__(self) -> None:
        self.found: Deferred[bool] = Deferred()
        self.is_any = False

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        """Wait for the end, as there is nothing to cancel."""

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        self.is_any = True

    def resolutionComplete(self) -> None:  # noqa: N802
        self.found.callback(self.is_any)


@implementer(IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """Scrapy's resolver for both IP versions, less all addresses that aren't public."""

    def __init__(
        self,
        reactor: ReactorBase,
        cache_size: int,
        allowed: tuple[IPNetwork, ...] = (),
        proxies: frozenset[str] = frozenset(),
    ) -> None:
        super().__init__(reactor, cache_size)
        self.allowed = allowed
        self.proxies = proxies
        self.resolved_at: LocalCache[str, float] = LocalCache(10_000)

    @classmethod
    def from_crawler(cls, crawler: Crawler, reactor: ReactorBase) -> Self:
        settings = crawler.settings
        size = settings.getint("DNSCACHE_SIZE") if settings.getbool("DNSCACHE_ENABLED") else 0
        return cls(reactor, size, allowed_networks(crawler), proxy_hosts(settings))

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: IResolutionReceiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Sequence[type[IAddress]] | None = None,  # noqa: N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> IHostResolution:
        self._drop_old_answer(hostName)
        # Outermost, so that cached answers are checked, too.
        receiver: Any = resolutionReceiver
        if hostName not in self.proxies:
            receiver = _PublicAddresses(receiver, hostName, self.allowed)
        # RFC 6761: names below `localhost` are this machine, whatever a name server would answer.
        name = "127.0.0.1" if hostName.endswith(".localhost") else hostName
        return super().resolveHostName(receiver, name, portNumber, addressTypes, transportSemantics)

    def resolve_site(self, host: str) -> Deferred[bool]:
        """Report whether a host has an address that may be fetched from; for proxies, too."""
        first: Any = _FirstAddress()
        checked: Any = _PublicAddresses(first, host, self.allowed)
        self.resolveHostName(checked, host)
        found: Deferred[bool] = first.found
        return found

    def _drop_old_answer(self, host: str) -> None:
        now = monotonic()
        if now - self.resolved_at.get(host, -MAX_ANSWER_AGE) >= MAX_ANSWER_AGE:
            dnscache.pop(host, None)
            self.resolved_at[host] = now


class ConnectionMiddleware:
    """Labels what the resolver refused, and checks the address of every response.

    It is next to the downloader. It also installs the resolver if Scrapy doesn't: in a
    CrawlerRunner, or when an add-on is loaded after the reactor has been set up.
    """

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler
        self.allowed = allowed_networks(crawler)
        self.proxies = proxy_hosts(crawler.settings)
        _install_resolver(crawler)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response:
        address = response.ip_address
        if is_proxied(request, self.proxies):
            return response  # the address is the proxy's, and ProxyMiddleware has checked the site
        if address is not None and not is_public_address(address, self.allowed):
            raise refuse_request(self.crawler, PRIVATE_ADDRESS, response.url)
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        host = urlparse_cached(request).hostname
        if isinstance(exception, CannotResolveHostError) and host in refused_hosts:
            raise refuse_request(self.crawler, PRIVATE_ADDRESS, request.url) from exception


def is_proxied(request: Request, proxies: frozenset[str]) -> bool:
    """Report whether a request goes through a proxy that the user has named."""
    proxy = request.meta.get("proxy")
    host = urlsplit(proxy).hostname if proxy else None
    return host is not None and normal_host(host) in proxies


def allowed_networks(crawler: Crawler) -> tuple[IPNetwork, ...]:
    """Return the networks that FOREST_ALLOW_NETWORKS allows, public or not."""
    return read_networks(crawler.settings.getlist("FOREST_ALLOW_NETWORKS"))


def _install_resolver(crawler: Crawler) -> None:
    from twisted.internet import reactor  # imported late: the import chooses the reactor

    installed: Any = reactor
    if not isinstance(installed.nameResolver, PublicResolver):
        PublicResolver.from_crawler(crawler, installed).install_on_reactor()
