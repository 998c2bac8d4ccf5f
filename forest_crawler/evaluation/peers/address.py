"""`http://HOST:PORT/PATH`: an extractor behind HTTP, in whatever language it is written.

Gottron's framework reaches extractors as proxies (section 4.2); here the page is simply posted:
the body is its HTML in UTF-8, Content-Location its address. The answer is text, or HTML, of which
tags, comments, styles and scripts are stripped. A connection a page; no proxy, no redirect.
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
"""Seconds without a byte, where the caller sets no tighter limit."""

MAX_BYTES: Final = 50_000_000
"""No article is that long: a longer answer is a mistake."""

_CONNECTIONS = {"http": HTTPConnection, "https": HTTPSConnection}
_URL_CHARACTERS = "%/:=&?~#+!$,;'@()*[]"  # all that an address may hold besides letters and digits


@dataclass(frozen=True, slots=True)
class Address:
    """A server that extracts."""

    name: str
    timeout: float = TIMEOUT

    def version(self) -> str:
        """Nothing: HTTP has no common way to ask for it."""
        return ""

    def extract_text(self, html: str, url: str | None) -> str:
        """The server's answer; `PeerError` where it is not 200."""
        try:
            response, body = self._post(html.encode("utf-8", "replace"), url)
        except TimeoutError as err:
            raise PeerTimeoutError(self.name, f"no answer in {self.timeout:g} s") from err
        except (OSError, HTTPException) as err:
            raise PeerError(self.name, f"no answer: {err!r}; is the server running?") from err
        if response.status != 200:
            raise PeerError(self.name, f"answered {response.status} {response.reason}")
        if len(body) > MAX_BYTES:
            raise PeerError(self.name, f"answered more than {MAX_BYTES:,} bytes")
        return _answer_text(response, body)

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


def open_address(name: str) -> Address:
    """Make the peer of an address."""
    try:
        parts = urlsplit(name)
        complete = bool(parts.hostname) and parts.port != 0
    except ValueError as err:
        raise PeerError(name, f"not an address: {err}") from err
    if not complete:
        raise PeerError(name, "not an address; write http://HOST:PORT/PATH")
    return Address(name)


def _answer_text(response: HTTPResponse, body: bytes) -> str:
    charset = response.headers.get_content_charset("utf-8")
    try:
        text = body.decode(charset, "replace")
    except LookupError:  # a charset that does not exist
        text = body.decode("utf-8", "replace")
    if response.headers.get_content_type() in ("text/html", "application/xhtml+xml"):
        return strip_markup(text)
    return text


for _scheme in _CONNECTIONS:
    register_prefix(f"{_scheme}://", open_address)
