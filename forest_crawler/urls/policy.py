"""Which addresses are never asked for: other schemes, closed networks, odd ports, crawl traps.

Every address that a feed, a page, a sitemap or a redirect names passes `refuse_url` before it is
scheduled. It judges the address as written; where a name leads to is the resolver's question
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
"""Why an address is refused; also the name under which it is counted."""

SCHEMES = frozenset({"http", "https"})
DEFAULT_PORTS = {"http": 80, "https": 443}

WEB_PORTS = frozenset({80, 443, 8000, 8008, 8080, 8443, 8888})
"""Where sites are served. Elsewhere listen mail and database servers that a link could talk to."""

MAX_ADDRESS_LENGTH = 2048
"""Characters; servers and stores cut longer ones in different places."""

MAX_SEGMENTS = 20
MAX_REPEATS = 2
"""How often a segment may stand in a path: /x/x/x/ is a relative link, followed in a ring."""
MAX_PARAMETERS = 30
"""Parameters of a query; combined filters and endless appended ones go beyond."""

# Browsers take a backslash for a slash, parsers do not: two readers would see two hosts.
_MISREAD = re.compile(r"[\x00-\x20\x7f-\xa0\\\u2028\u2029\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class UrlPolicy:
    """What `refuse_url` lets through beyond the public web."""

    ports: frozenset[int] | None = WEB_PORTS  # None: any
    networks: tuple[IPNetwork, ...] = ()  # allowed by hand, public or not


PUBLIC_WEB = UrlPolicy()
ANYWHERE = UrlPolicy(ports=None, networks=read_networks(["0.0.0.0/0", "::/0"]))
"""For readers of links, which do not know what a crawl allows: only what nobody could fetch."""


def refuse_url(url: str, policy: UrlPolicy = PUBLIC_WEB) -> Refusal | None:
    """Say why an address must not be fetched; `None` where nothing speaks against it.

    >>> refuse_url("https://gazette.example/a"), refuse_url("file:///etc/hostname")
    (None, 'scheme')
    >>> refuse_url("http://2130706433/"), refuse_url("http://gazette.example:6379/")
    ('private address', 'port')
    """
    url = url.strip()
    if len(url) > MAX_ADDRESS_LENGTH:
        return "too long"
    try:
        parts = urlsplit(url)
    except ValueError:
        return "malformed"
    if parts.scheme not in SCHEMES:
        return "scheme"
    return _refuse_authority(parts, policy) or _refuse_shape(parts)


def _refuse_authority(parts: SplitResult, policy: UrlPolicy) -> Refusal | None:
    # Path and query may hold blanks, a slip that is repaired on the way; the authority may not.
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
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761: never asked of a server
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
