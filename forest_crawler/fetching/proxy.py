"""`ProxyMiddleware`: requests go through an HTTP proxy, and the guards keep their meaning.

A proxy resolves the names of sites itself, where `PublicResolver` cannot see it. So every name is
resolved here, too, before the proxy gets the request: one that leads to a private network is
refused, and so is one that cannot be resolved here, unless FOREST_PROXY_RESOLVES leaves those to
the proxy. The proxy itself may be anywhere, because the user has named it; as a site it may not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.httpproxy import HttpProxyMiddleware
from scrapy.exceptions import CannotResolveHostError, NotConfigured
from scrapy.utils.defer import maybe_deferred_to_future
from scrapy.utils.httpobj import urlparse_cached

from forest_crawler.crawl.outcomes import PRIVATE_ADDRESS
from forest_crawler.fetching.proxy_settings import ENVIRONMENT, proxy_hosts, read_proxies
from forest_crawler.fetching.public_resolver import PublicResolver, refused_hosts
from forest_crawler.fetching.request_outcomes import refuse_request
from forest_crawler.urls.hosts import normal_host

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler


class ProxyMiddleware(HttpProxyMiddleware):
    """Scrapy's middleware for proxies, which also checks where a request leads."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        super().__init__(settings.get("HTTPPROXY_AUTH_ENCODING"))
        self.crawler = crawler
        self.leaves_unknown = settings.getbool("FOREST_PROXY_RESOLVES")
        urls = read_proxies(settings)
        self.proxies = {scheme: self._get_proxy(url, scheme) for scheme, url in urls.items()}
        self.hosts = proxy_hosts(settings)
        self.uses_environment = settings.get("FOREST_PROXY") in (None, "", ENVIRONMENT)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        if not read_proxies(crawler.settings):
            raise NotConfigured
        return cls(crawler)

    async def process_request(self, request: Request) -> None:  # type: ignore[override]
        if self.uses_environment:
            super().process_request(request)
        else:  # `no_proxy` is of the environment; `--proxy` is for all
            scheme = urlparse_cached(request).scheme
            credentials, url = self.proxies[scheme]
            self._set_proxy_and_creds(request, url, credentials, scheme)
        host = normal_host(urlparse_cached(request).hostname or "") or ""
        if request.meta.get("proxy") or host in self.hosts:
            await self._check(host, request.url)

    async def _check(self, host: str, url: str) -> None:
        from twisted.internet import reactor  # imported late: the import chooses the reactor

        installed: Any = reactor
        resolver = installed.nameResolver
        if not isinstance(resolver, PublicResolver):
            raise RuntimeError("the public resolver is not installed")
        if await maybe_deferred_to_future(resolver.resolve_site(host)):
            return
        if host in refused_hosts:
            raise refuse_request(self.crawler, PRIVATE_ADDRESS, url)
        if not self.leaves_unknown:
            raise CannotResolveHostError(f"{host} cannot be resolved here; see --proxy-resolves")
