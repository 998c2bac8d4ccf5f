"""`http://HOST:PORT/PATH`: an extractor on an HTTP server, in any language.

Gottron's framework uses extractors as proxies (section 4.2); here the page is posted: the body is
its HTML in UTF-8, the header Content-Location its URL. The response is text, or HTML, whose tags,
comments, styles and scripts are removed. One connection per page; no proxy, no redirects.
"""

from __future__ import annotations

from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Final
from urllib.parse import quote, urlsplit

from forest_crawler.evaluation.peers.errors import PeerError, PeerTimeoutError
from forest_crawler.evaluation.peers.markup import strip_markup
from forest_crawler.evaluation.peers.registry import register_prefix

TIMEOUT: Final = 120.0
"""Seconds without a byte, unless the caller sets a lower limit."""

MAX_BYTES: Final = 50_000_000
"""No article is that long: a longer response is a mistake."""

_CONNECTIONS = {"http": HTTPConnection, "https": HTTPSConnection}
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"  # what a URL may contain besides letters and digits


@dataclass(frozen=True, slots=True)
class HttpPeer:
    """An HTTP server that extracts."""

    name: str
    timeout: float = TIMEOUT

    def version(self) -> str:
        """Return an empty string: HTTP servers have no common way to report it."""
        return ""

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the server's response; raise `PeerError` unless its status is 200."""
        try:
            response, body = self._post(html.encode("utf-8", "replace"), url)
        except TimeoutError as err:
            raise PeerTimeoutError(self.name, f"no response in {self.timeout:g} s") from err
        except (OSError, HTTPException) as err:
            raise PeerError(self.name, f"no response: {err!r}; is the server running?") from err
        if response.status != 200:
            raise PeerError(self.name, f"responded {response.status} {response.reason}")
        if len(body) > MAX_BYTES:
            raise PeerError(self.name, f"responded with more than {MAX_BYTES:,} bytes")
        return _response_text(response, body)

    def _post(self, page: bytes, url: str | None) -> tuple[HTTPResponse, bytes]:
        parts = urlsplit(self.name)
        connection = _CONNECTIONS[parts.scheme](parts.netloc, timeout=self.timeout)
        headers = {"Content-Type": "text/html; charset=utf-8"}
        if url:
            headers["Content-Location"] = quote(url, safe=_URL_CHARACTERS)
        target = quote(parts._replace(scheme="", netloc="").geturl(), safe=_URL_CHARACTERS)
        try:
            connection.request("POST", target or "/", page, headers)
            response = connection.getresponse()
            return response, response.read(MAX_BYTES + 1)
        finally:
            connection.close()


def open_url(name: str) -> HttpPeer:
    """Make the peer of a URL."""
    try:
        parts = urlsplit(name)
        complete = bool(parts.hostname) and parts.port != 0
    except ValueError as err:
        raise PeerError(name, f"isn't a URL: {err}") from err
    if not complete:
        raise PeerError(name, "isn't a URL; write http://HOST:PORT/PATH")
    return HttpPeer(name)


def _response_text(response: HTTPResponse, body: bytes) -> str:
    charset = response.headers.get_content_charset("utf-8")
    try:
        text = body.decode(charset, "replace")
    except LookupError:  # a charset that does not exist
        text = body.decode("utf-8", "replace")
    if response.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
        return strip_markup(text)
    return text


for _scheme in _CONNECTIONS:
    register_prefix(f"{_scheme}://", open_url)
