"""Which proxy a crawl uses: that of FOREST_PROXY, those of the environment, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from forest_crawler.errors import InputError
from forest_crawler.urls.hosts import normal_host

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

ENVIRONMENT = "env"
"""The value of FOREST_PROXY that takes `http_proxy`, `https_proxy` and `no_proxy`."""

_SCHEMES = ("http", "https")


def read_proxies(settings: BaseSettings) -> dict[str, str]:
    """Return the URL of the proxy for each scheme; none by default."""
    value = settings.get("FOREST_PROXY")
    if value and value != ENVIRONMENT:
        return dict.fromkeys(_SCHEMES, check_proxy(value))
    if value or settings.getbool("HTTPPROXY_ENABLED"):
        found = getproxies()
        return {scheme: check_proxy(found[scheme]) for scheme in _SCHEMES if found.get(scheme)}
    return {}


def proxy_hosts(settings: BaseSettings) -> frozenset[str]:
    """Return the hosts of the proxies that the user has named."""
    found = (urlsplit(url).hostname for url in read_proxies(settings).values())
    return frozenset(host for name in found if name and (host := normal_host(name)))


def check_proxy(url: str) -> str:
    """Return the URL of an HTTP proxy; raise `InputError` for anything else.

    >>> check_proxy("10.0.0.5:3128")
    'http://10.0.0.5:3128'
    """
    full = url if "://" in url else f"http://{url}"
    try:
        parts = urlsplit(full)
        is_proxy = parts.scheme == "http" and bool(normal_host(parts.hostname or ""))
        is_proxy = is_proxy and (parts.port or 80) > 0 and not parts.path.strip("/")
    except ValueError:
        is_proxy = False
    if not is_proxy:  # without the URL, which may have a password
        raise InputError("must be `env` or the URL of an HTTP proxy, as http://host:3128", "proxy")
    return full
