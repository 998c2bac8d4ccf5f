"""Cookies from a `cookies.txt`, the form that browsers' add-ons, curl and wget write.

They are sent as a browser would send them. What servers set during a crawl is ignored.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from forest_crawler.errors import InputError
from forest_crawler.fetching.header_text import check_header_text, read_secrets
from forest_crawler.urls.hosts import normal_host

_HTTP_ONLY = "#HttpOnly_"
_COLUMNS = 7


@dataclass(frozen=True, slots=True, repr=False)  # a repr might reach a log
class Cookie:
    """A cookie, and where it may be sent to (RFC 6265, 5.4)."""

    host: str
    subdomains: bool
    path: str
    secure: bool
    expires: float  # seconds since the epoch; 0: never
    name: str
    value: str

    def fits(self, url: str, now: float) -> bool:
        """Report whether a request for a URL gets this cookie."""
        parts = urlsplit(url)
        host = normal_host(parts.hostname or "")
        is_host = host == self.host or (self.subdomains and f".{host}".endswith(f".{self.host}"))
        is_open = parts.scheme == "https" or not self.secure
        return is_host and is_open and self._has_path(parts.path) and not 0 < self.expires <= now

    def _has_path(self, path: str) -> bool:
        path, own = path or "/", self.path.rstrip("/")
        return path == own or path.startswith(f"{own}/")


def read_cookies(path: str) -> tuple[Cookie, ...]:
    """Read a `cookies.txt`; raise `InputError`, which names the wrong line."""
    lines = read_secrets(Path(path)).splitlines()
    return tuple(
        _read_line(line, f"{path}:{number}")
        for number, line in enumerate(lines, 1)
        if line.strip() and (line.startswith(_HTTP_ONLY) or not line.startswith("#"))
    )


def join_cookies(cookies: Iterable[Cookie], url: str) -> str:
    """Return the Cookie header of a request, longer paths first; empty if none fits."""
    now = time.time()
    found = [cookie for cookie in cookies if cookie.fits(url, now)]
    found.sort(key=lambda cookie: -len(cookie.path))
    return "; ".join(f"{it.name}={it.value}" if it.name else it.value for it in found)


def _read_line(line: str, location: str) -> Cookie:
    columns = line.removeprefix(_HTTP_ONLY).split("\t")
    if len(columns) != _COLUMNS:
        message = f"has {len(columns)} columns instead of {_COLUMNS}, separated by tabs"
        raise InputError(f"{message}; export it as cookies.txt (Netscape format)", location)
    domain, subdomains, path, secure, expires, name, value = columns
    host = normal_host(domain.removeprefix("."))
    if host is None:
        raise InputError("the first column isn't a host", location)
    check_header_text(name + value, location)
    try:
        until = float(expires or 0)
    except ValueError as err:
        raise InputError("the fifth column isn't a time in seconds", location) from err
    return Cookie(
        host, _is_true(subdomains), path or "/", _is_true(secure), max(until, 0.0), name, value
    )


def _is_true(text: str) -> bool:
    return text.strip().upper() == "TRUE"
