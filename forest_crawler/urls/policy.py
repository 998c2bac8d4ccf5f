"""Which URLs are never requested.

Every URL from a feed, a page, a sitemap or a redirect passes `refuse_url` before it is scheduled.
It refuses other schemes, private networks, odd ports and crawl traps. It judges the URL as written;
the resolver checks which address a host name leads to
(`forest_crawler.urls.networks.is_public_address`).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Literal
from urllib.parse import SplitResult, urlsplit

from forest_crawler.urls.hosts import normal_host
from forest_crawler.urls.networks import (
    IPNetwork,
    is_public_address,
    literal_address,
    read_networks,
)

Refusal = Literal[
    "too long", "malformed", "scheme", "credentials", "no host", "port", "private address", "trap"
]
"""Why a URL is refused; also the label under which it is counted."""

SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": 80, "https": 443}

WEB_PORTS = frozenset({80, 443, 8000, 8008, 8080, 8443, 8888})
"""Ports of web servers. On others, mail and database servers listen that a link could talk to."""

MAX_URL_LENGTH = 2048
"""Characters; servers and stores cut longer ones at different lengths."""

MAX_SEGMENTS = 20
MAX_REPEATS = 2
"""How often a segment may occur in a path: /x/x/x/ is a relative link, followed in a loop."""
MAX_PARAMETERS = 30
"""Parameters of a query; combined filters and links that keep appending have more."""

# Browsers read a backslash as a slash, URL parsers do not: they would see two different hosts.
_MISREAD = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """What `refuse_url` allows beyond the public web."""

    ports: frozenset[int] | None = WEB_PORTS  # None allows any
    networks: tuple[IPNetwork, ...] = ()  # allowed by the user, public or not


PUBLIC_WEB = UrlPolicy()
ANYWHERE = UrlPolicy(ports=None, networks=read_networks(["0.0.0.0/0", "::/0"]))
"""Refuses only what nobody can fetch: for parsers of links, which do not know a crawl's policy."""


def refuse_url(url: str, policy: UrlPolicy = PUBLIC_WEB) -> Refusal | None:
    """Return why a URL must not be fetched, or `None` if it may be.

    >>> refuse_url("https://gazette.example/a"), refuse_url("file:///etc/hostname")
    (None, 'scheme')
    >>> refuse_url("http://2130706433/"), refuse_url("http://gazette.example:6379/")
    ('private address', 'port')
    """
    url = url.strip()
    if len(url) > MAX_URL_LENGTH:
        return "too long"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "malformed"
    if parts.scheme not in SCHEMES:
        return "scheme"
    return _refuse_authority(parts, policy) or _refuse_shape(parts)


def _refuse_authority(parts: SplitResult, policy: UrlPolicy) -> Refusal | None:
    # Blanks in path and query are repaired later; in the authority they are refused.
    if _MISREAD.search(parts.netloc):
        return "malformed"
    if "@" in parts.netloc:
        return "credentials"
    if not parts.hostname:
        return "no host"
    host = normal_host(parts.hostname)
    if host is None:
        return "malformed"
    return _refuse_port(parts, policy) or _refuse_host(host, policy)


def _refuse_port(parts: SplitResult, policy: UrlPolicy) -> Refusal | None:
    try:
        port = parts.port
    except ValueError:
        return "malformed"
    if port is None:
        port = DEFAULT_PORTS[parts.scheme]
    return None if policy.ports is None or port in policy.ports else "port"


def _refuse_host(host: str, policy: UrlPolicy) -> Refusal | None:
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761: never resolved by a server
        host = "127.0.0.1"
    address = literal_address(host)
    if address is None or is_public_address(address, policy.networks):
        return None
    return "private address"


def _refuse_shape(parts: SplitResult) -> Refusal | None:
    segments = [segment for segment in parts.path.split("/") if segment]
    repeats = max(Counter(segments).values(), default=0)
    if len(segments) > MAX_SEGMENTS or repeats > MAX_REPEATS:
        return "trap"
    return "trap" if parts.query.count("&") >= MAX_PARAMETERS else None
