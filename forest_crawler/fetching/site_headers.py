"""`SiteHeaders`: headers and cookies that a user gives for single sites.

They are added below all middlewares, to the request that goes out, by the URL that it goes to: a
redirect to another host never gets them, and nothing above (logs, store, WARC) ever sees them. A
header belongs to an origin: scheme, host and port. A host alone means https at the usual port.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from forest_crawler.errors import InputError
from forest_crawler.fetching.cookie_file import Cookie, join_cookies, read_cookies
from forest_crawler.fetching.header_text import check_header_name, check_header_text, read_secrets
from forest_crawler.urls.hosts import normal_host
from forest_crawler.urls.policy import DEFAULT_PORTS

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

HEADERS_SETTING, COOKIES_SETTING = "FOREST_SITE_HEADERS", "FOREST_COOKIES"

Origin = tuple[str, str, int]
"""Scheme, host and port."""


@dataclass(frozen=True, slots=True, repr=False)  # a repr might reach a log
class SiteHeaders:
    """What to send to which site, besides the usual headers."""

    headers: Mapping[Origin, Mapping[str, str]] = field(default_factory=dict)
    cookies: tuple[Cookie, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.headers or self.cookies)

    def find(self, url: str) -> dict[str, str]:
        """Return the headers of a request for a URL."""
        origin = read_origin(url)
        found = dict(self.headers.get(origin, {})) if origin else {}
        jar = join_cookies(self.cookies, url)
        if jar:
            own = next((name for name in found if name.lower() == "cookie"), "Cookie")
            found[own] = f"{found[own]}; {jar}" if own in found else jar
        return found


def read_site_headers(headers: str | None, cookies: str | None) -> SiteHeaders:
    """Read a TOML file of headers per site, and a `cookies.txt`; both may be absent."""
    return SiteHeaders(
        _read_headers(headers) if headers else {}, read_cookies(cookies) if cookies else ()
    )


def site_headers_of(settings: BaseSettings) -> SiteHeaders:
    """Read the files that FOREST_SITE_HEADERS and FOREST_COOKIES name."""
    return read_site_headers(settings.get(HEADERS_SETTING), settings.get(COOKIES_SETTING))


def read_origin(url: str) -> Origin | None:
    """Return the origin of an http(s) URL, or of a host, which means https.

    >>> read_origin("Gazette.example"), read_origin("http://127.0.0.1:8000/a")
    (('https', 'gazette.example', 443), ('http', '127.0.0.1', 8000))
    """
    try:
        parts = urlsplit(url if "://" in url else f"https://{url}")
        port = parts.port or DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    host = normal_host(parts.hostname) if parts.hostname else None
    return (parts.scheme, host, port) if host and port else None


def _read_headers(path: str) -> dict[Origin, dict[str, str]]:
    try:
        document = tomllib.loads(read_secrets(Path(path)))
    except tomllib.TOMLDecodeError as err:
        # Its message names the place, and at most one character.
        raise InputError(f"isn't TOML: {err}", path) from err
    return {
        _read_site(site, path): _read_table(site, rows, path) for site, rows in document.items()
    }


def _read_site(site: str, path: str) -> Origin:
    origin = read_origin(site)
    parts = urlsplit(site if "://" in site else f"https://{site}")
    if origin is None or parts.path.strip("/") or parts.query or parts.username is not None:
        message = "isn't a host or the beginning of a URL"
        raise InputError(f'{message}, as ["gazette.example"]', f"{path}: {site}")
    return origin


def _read_table(site: str, rows: Any, path: str) -> dict[str, str]:
    location = f"{path}: {site}"
    if not isinstance(rows, dict):
        message = "isn't a table; write the site as"
        raise InputError(f'{message} ["gazette.example"] and its headers below', location)
    if any(isinstance(value, dict) for value in rows.values()):
        raise InputError(f'write the site in quotes: ["{site}.…"]', location)
    for name, value in rows.items():
        check_header_name(name, location)
        if not isinstance(value, str):
            raise InputError("must be a text in quotes", f"{location}: {name}")
        check_header_text(value, f"{location}: {name}")
    return dict(rows)
