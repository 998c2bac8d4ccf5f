"""The host of a URL, and the site it belongs to: its registrable domain.

A site is the unit of work: its pages are fetched, leased and wrapped together. The list of public
suffixes comes with tldextract; it is neither downloaded nor cached on disk.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import idna

from forest_crawler.urls.networks import is_numeric_host, literal_address

if TYPE_CHECKING:
    from tldextract import TLDExtract

# The standards allow no underscores in host names, but many names with underscores resolve.
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", re.ASCII)
_MAX_HOST_LENGTH = 1024  # before decoding, which is slow; a decoded name has at most 253
_CACHED_HOSTS = 4096


def host_of(url: str) -> str | None:
    """Return the normalised host of a URL, or `None` if it has no valid one.

    Lower case, ASCII (IDNA), without a final dot; an IP address in its usual form.

    >>> host_of("HTTP://Www.Bücher.Example.:80/"), host_of("http://0x7f.1/"), host_of("mailto:a@b")
    ('www.xn--bcher-kva.example', '127.0.0.1', None)
    """
    try:
        host = urlsplit(url.strip()).hostname
    except ValueError:  # unbalanced brackets, or a host that would read differently elsewhere
        return None
    return normal_host(host) if host else None


def site_of(url: str) -> str | None:
    """Return the site of a URL: its registrable domain or IP address, if any.

    >>> site_of("https://news.example.co.uk/a"), site_of("http://127.0.0.1:8000/")
    ('example.co.uk', '127.0.0.1')
    """
    host = host_of(url)
    return _site_of_host(host) if host else None


def is_known_suffix(host: str) -> bool:
    """Report whether a host ends with a suffix under which domains are registered.

    >>> is_known_suffix("bbc.co.uk"), is_known_suffix("feeds.opml")
    (True, False)
    """
    return bool(_suffixes()(host).suffix)


@lru_cache(maxsize=_CACHED_HOSTS)
def normal_host(host: str) -> str | None:
    """Normalise a host; return `None` if it is neither a name nor an IP address."""
    if len(host) > _MAX_HOST_LENGTH:
        return None
    if ":" in host:
        address = literal_address(host)
        return str(address) if address and "%" not in host else None
    try:
        name = _ascii_name(unquote(host))
    except UnicodeError:
        return None
    name = name.lower().removesuffix(".")
    if is_numeric_host(name):
        address = literal_address(name)
        return str(address) if address else None
    return name if _HOST.fullmatch(name) else None


def _ascii_name(host: str) -> str:
    if host.isascii():
        return host
    # Digits and dots of other scripts become those that a resolver sees.
    host = unicodedata.normalize("NFKC", host)
    return host if host.isascii() else idna.encode(host, uts46=True).decode("ascii")


@lru_cache(maxsize=_CACHED_HOSTS)
def _site_of_host(host: str) -> str:
    if literal_address(host):
        return host
    found = _suffixes()(host)
    if found.suffix and found.domain:
        return f"{found.domain}.{found.suffix}"
    if found.suffix:  # a public suffix itself
        return host
    # A last label that is not in the list counts as a suffix (the list's own rule "*").
    return ".".join(host.split(".")[-2:])


@cache
def _suffixes() -> TLDExtract:
    from tldextract import TLDExtract  # imports an HTTP client: 0.2 s, and few commands need it

    # Private suffixes too: two blogs on one blog host are two sites.
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True)
