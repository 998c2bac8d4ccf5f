"""Who may use the studio: host, token, origin and CSRF checks, and the security headers.

The studio has no accounts. On loopback, other pages in the same browser are the threat: DNS
rebinding is stopped by the Host check, forged requests by the CSRF token and the origin check.
Beyond loopback, the token is the password.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from types import MappingProxyType
from urllib.parse import parse_qs, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forest_crawler.studio.options import LOOPBACK, StudioOptions

COOKIE = "forest_token"
CSRF_FIELD = "csrf"
CSRF_HEADER = "x-csrf-token"
API_PREFIX = "/api/"

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of our own pages: nothing inline, nothing from elsewhere."""

_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # `no-referrer` makes browsers send "Origin: null"
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
_CORS = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": "Authorization, Content-Type",
    "cross-origin-resource-policy": "cross-origin",
    "vary": "Origin",
}
_SAFE_METHODS = ("GET", "HEAD")


class Guard:
    """Refuses requests that this studio's own pages and readers would not send."""

    def __init__(self, app: ASGIApp, options: StudioOptions) -> None:
        self._app = app
        self._options = options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a refused request here, and pass on the others."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        shared = self._shared_with(scope, headers)
        sending = _with_headers(send, _CORS | {"access-control-allow-origin": shared})
        if not shared:
            sending = _with_headers(send)
        refused = self._refuse(scope, headers, is_shared=bool(shared))
        await (refused or self._app)(scope, receive, sending)

    def _shared_with(self, scope: Scope, headers: Headers) -> str:
        """Return the origin if it is one that may use the service; else an empty text."""
        origin = headers.get("origin", "")
        is_api = scope["path"].startswith(API_PREFIX)
        return origin if is_api and origin in self._options.cors else ""

    def _refuse(self, scope: Scope, headers: Headers, *, is_shared: bool) -> Response | None:
        if self._options.is_loopback and not _is_local(headers.get("host", "")):
            return _refusal("this name is not the studio's; open it at 127.0.0.1", 421)
        if is_shared and scope["method"] == "OPTIONS":  # a browser's question, without the token
            return Response(status_code=204)
        if self._options.token and not self._has_token(scope, headers):
            return _refusal("give the token of `forest studio`: ?token=… or a Bearer header", 401)
        is_change = scope["method"] not in _SAFE_METHODS
        is_checked = is_change or scope["path"].startswith(API_PREFIX)
        if is_checked and not is_shared and not is_same_origin(headers):
            return _refusal("requests from other sites are refused", 403)
        is_own_change = is_change and not scope["path"].startswith(API_PREFIX)
        if is_own_change and not self._options.may_change:
            return _refusal("this studio is read-only; start it without --read-only", 403)
        return self._sign_in(scope)

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        token = self._options.token or ""
        given = [_query(scope).get("token", [""])[0], _cookie(headers)]
        scheme, _, bearer = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            given.append(bearer.strip())
        return any(hmac.compare_digest(it.encode(), token.encode()) for it in given)

    def _sign_in(self, scope: Scope) -> Response | None:
        """Turn a token in the address into a cookie, so that it is in no link and no log."""
        query = _query(scope)
        if not self._options.token or "token" not in query or scope["path"].startswith(API_PREFIX):
            return None
        del query["token"]
        rest = urlencode(query, doseq=True)
        answer = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
        answer.set_cookie(COOKIE, self._options.token, httponly=True, samesite="strict")
        return answer


class CsrfTokens:
    """One secret per process; other sites cannot read our pages, so they don't know it."""

    def __init__(self) -> None:
        self.value = secrets.token_urlsafe(24)

    def is_valid(self, given: str | None) -> bool:
        """Report whether a form or a script sent the token of our pages."""
        return given is not None and hmac.compare_digest(given.encode(), self.value.encode())


def is_same_origin(headers: Headers) -> bool:
    """Report whether a browser sent a request for a page of ours, or no browser did."""
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc == headers.get("host", "")


def _is_local(host: str) -> bool:
    name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
    return name.strip("[]").lower() in LOOPBACK


def _query(scope: Scope) -> dict[str, list[str]]:
    return parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)


def _cookie(headers: Headers) -> str:
    try:
        found = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


def _refusal(reason: str, status: int) -> Response:
    return PlainTextResponse(f"forest studio: {reason}\n", status)


def _with_headers(send: Send, more: Mapping[str, str] = MappingProxyType({})) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in {**_HEADERS, **more}.items():
                headers.setdefault(name, value)
            headers.setdefault("content-security-policy", PAGE_POLICY)
            headers.setdefault("cache-control", "no-store")
        await send(message)

    return sending
