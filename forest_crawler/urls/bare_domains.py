"""Bare domains: `gazette.example/feed` as people write it, without a scheme."""

from __future__ import annotations

import re
from pathlib import Path

from forest_crawler.urls.hosts import host_of, is_known_suffix
from forest_crawler.urls.policy import ANYWHERE, refuse_url

_NOT_A_DOMAIN = re.compile(r"[\s@\\]|^[A-Za-z][A-Za-z0-9+.-]*:(?!\d{1,5}(?:[/?#]|$))|^[./?#-]")

_FILE_ENDINGS = frozenset("app cab md mov py ps pl rs sh so zip".split())
"""Top-level domains that are also usual endings of files."""

_RESERVED = frozenset({"example", "localhost", "test", "invalid"})
"""Names for documents and tests (RFC 6761), which no list of public suffixes has."""


def complete_url(text: str) -> str | None:
    """Return the https URL of a bare domain, with or without a path; `None` if it isn't one.

    >>> complete_url("gazette.example/feed"), complete_url("gazette.example:8080")
    ('https://gazette.example/feed', 'https://gazette.example:8080')
    >>> complete_url("gazette"), complete_url("mailto:desk@gazette.example"), complete_url("./a.b")
    (None, None, None)
    """
    if _NOT_A_DOMAIN.search(text):
        return None
    url = f"https://{text}"
    host = host_of(url)
    if host is None or not _is_domain(host) or refuse_url(url, ANYWHERE) is not None:
        return None
    return url


def complete_argument(text: str) -> str | None:
    """Return the https URL of a bare domain on a command line, where files are named, too.

    A file that exists is a file, and so is a name whose ending isn't that of a domain.

    >>> complete_argument("gazette.example"), complete_argument("feeds.opml")
    ('https://gazette.example', None)
    """
    url = complete_url(text)
    host = host_of(url) if url else None
    if url is None or host is None or _exists(text):
        return None
    ending = host.rpartition(".")[2]
    has_path = "/" in text
    if ending in _RESERVED:
        return url
    is_file = ending in _FILE_ENDINGS and not has_path and not text.startswith("www.")
    return url if is_known_suffix(host) and not is_file else None


def _is_domain(host: str) -> bool:
    """Report whether a host has a dot, and an ending that a domain may have."""
    ending = host.rpartition(".")[2]
    return "." in host and (ending.isalpha() or ending.startswith("xn--"))


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):  # too long for a name, or a NUL in it
        return False
