"""Call the API of a feed reader; what goes wrong is a `PublishError` that says what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from forest_crawler.errors import ForestError

TIMEOUT = 120.0
"""Seconds for an answer: a reader may fetch a feed first."""

MAX_ANSWER = 64 * 2**20
"""Bytes of an answer: the feeds of a big account are a few megabytes."""


class PublishError(ForestError):
    """A feed reader that cannot be reached, or refuses what it is sent."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message, status)
        self.message = message
        self.status = status  # of HTTP, if it answered

    def __str__(self) -> str:
        return self.message


class _NoRedirect(HTTPRedirectHandler):
    """Follows no redirect: the token must not go anywhere else."""

    def redirect_request(self, *_: object) -> None:
        return None


@dataclass(frozen=True, slots=True)
class ReaderApi:
    """The API of a reader at an address, with what proves who calls."""

    base: str
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # they have the token

    def call(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/json",
        *,
        limit: int = MAX_ANSWER,
    ) -> bytes:
        """Send a request and return the answer's body; raises `PublishError`."""
        url = f"{self.base.rstrip('/')}/{path}"
        headers = dict(self.headers) | ({"Content-Type": kind} if body is not None else {})
        request = Request(url, data=body, method=method, headers=headers)  # noqa: S310  the user's
        try:
            with build_opener(_NoRedirect).open(request, timeout=TIMEOUT) as answer:
                data: bytes = answer.read(limit + 1)
        except HTTPError as err:
            raise PublishError(_refusal(url, err), err.code) from err
        except (OSError, HTTPException, ValueError) as err:
            reason = getattr(err, "reason", err)
            raise PublishError(f"{url} doesn't answer ({reason}); check --url") from err
        if len(data) > limit:
            raise PublishError(f"{url} answers with more than {limit} bytes")
        return data


def _refusal(url: str, err: HTTPError) -> str:
    with err:
        said = " ".join(err.read(500).decode("utf-8", "replace").split())[:200]
    if err.code in (301, 302, 303, 307, 308):
        return f"{url} redirects to {err.headers.get('Location')}; give that address with --url"
    return f"{url} answers {err.code} {err.reason}{': ' + said if said else ''}"
