"""Why a request brought no page: the labels that are counted, and what they mean for the request.

Middlewares raise `RefusedRequest` (never ask again) or `PostponedRequest` (ask again at a time);
everything else that Scrapy hands to an errback gets its label here. A spider calls
`outcome_of(failure.value)` and tells the store: skip, retry at a time, or fail.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    NotSupported,
    ResponseDataLossError,
    UnsupportedURLSchemeError,
)
from scrapy.spidermiddlewares.httperror import HttpError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PRIVATE_ADDRESS = "private-address"
ROBOTS = "robots"
ROBOTS_UNAVAILABLE = "robots-unavailable"
CRAWL_DELAY = "crawl-delay"
RETRY_AFTER = "retry-after"
NOT_HTML = "not-html"
EMPTY = "empty"
TOO_LARGE = "too-large"
TRUNCATED = "truncated"
REDIRECTS = "redirects"
TIMEOUT = "timeout"
CONNECTION = "connection"
UNKNOWN_HOST = "unknown-host"
ENCODING = "encoding"
SCHEME = "scheme"
DROPPED = "dropped"
ERROR = "error"

PASSING = frozenset({TRUNCATED, TIMEOUT, CONNECTION, UNKNOWN_HOST, ROBOTS_UNAVAILABLE, RETRY_AFTER})
"""What may be gone at the next try."""

TROUBLES = (PASSING | {TOO_LARGE, REDIRECTS, ENCODING, ERROR}) - {ROBOTS_UNAVAILABLE}
"""What tells of a site that is not well."""

PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})


class RefusedRequest(IgnoreRequest):
    """A request that must not be made, or whose answer is of no use; it is skipped."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class PostponedRequest(IgnoreRequest):
    """A request that its host wants later: at `retry_at` (seconds since the epoch) or after."""

    def __init__(self, reason: str, retry_at: float) -> None:
        super().__init__(reason, retry_at)
        self.reason = reason
        self.retry_at = retry_at

    def __str__(self) -> str:
        return f"{self.reason} until {self.retry_at:.0f}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a request that brought no page."""

    reason: str
    passing: bool  # worth another try at all
    retry_at: float | None = None  # and when, where the host has said so

    @property
    def is_trouble(self) -> bool:
        """Whether more of the same is to be feared from the site.

        >>> Outcome("timeout", True).is_trouble, Outcome("http-503", True).is_trouble
        (True, True)
        >>> Outcome("http-404", False).is_trouble, Outcome("crawl-delay", True, 1.8e9).is_trouble
        (False, False)
        """
        return self.reason in TROUBLES or (self.passing and self.reason.startswith("http-"))

    @property
    def is_answer(self) -> bool:
        """Whether the site has answered as it should, though not with a page for us.

        >>> Outcome("http-404", False).is_answer, Outcome("robots", False).is_answer
        (True, False)
        """
        is_final = self.reason.startswith("http-") and not self.passing
        return is_final or self.reason in (NOT_HTML, EMPTY)


# The first class that fits gives the label.
_LABELS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (ResponseDataLossError, TRUNCATED),
    (DownloadTimeoutError, TIMEOUT),
    (CannotResolveHostError, UNKNOWN_HOST),
    (DownloadCancelledError, TOO_LARGE),
    ((NotSupported, UnsupportedURLSchemeError), SCHEME),
    ((DownloadConnectionRefusedError, DownloadFailedError), CONNECTION),
    # Bodies that are not packed as their header says; BadGzipFile is an OSError.
    ((zlib.error, EOFError), ENCODING),
)
_UNPACKERS = frozenset({"BadGzipFile", "ZstdError", "error"})


def outcome_of(error: BaseException) -> Outcome:
    """Label an error as it reaches an errback (`failure.value`).

    >>> outcome_of(DownloadTimeoutError("30 s"))
    Outcome(reason='timeout', passing=True, retry_at=None)
    >>> outcome_of(PostponedRequest("retry-after", 1.8e9)).retry_at
    1800000000.0
    """
    if isinstance(error, PostponedRequest):
        return Outcome(error.reason, passing=True, retry_at=error.retry_at)
    if isinstance(error, RefusedRequest):
        return Outcome(error.reason, passing=False)
    if isinstance(error, HttpError):
        status = error.response.status
        return Outcome(f"http-{status}", passing=status in PASSING_STATUSES)
    reason = _label(error)
    return Outcome(reason, passing=reason in PASSING)


def is_truncated(response: Response) -> bool:
    """Tell whether a body may be cut: it had no length, and its end was the connection's."""
    return not {"partial", "dataloss", "download_stopped"}.isdisjoint(response.flags)


def refuse_request(crawler: Crawler, reason: str, detail: str = "") -> RefusedRequest:
    """Count a refusal, and give the error to raise."""
    _count(crawler, f"forest/refused/{reason}")
    return RefusedRequest(reason, detail)


def postpone_request(crawler: Crawler, reason: str, retry_at: float) -> PostponedRequest:
    """Count a postponement, and give the error to raise."""
    _count(crawler, f"forest/postponed/{reason}")
    return PostponedRequest(reason, retry_at)


def _count(crawler: Crawler, key: str) -> None:
    crawler.stats.inc_value(key)


def _label(error: BaseException) -> str:
    for kind, label in _LABELS:
        if isinstance(error, kind):
            return label
    if type(error).__name__ in _UNPACKERS:
        return ENCODING
    if isinstance(error, OSError):
        return CONNECTION
    if isinstance(error, IgnoreRequest):
        return _label_ignored(error)
    return ERROR


def _label_ignored(error: IgnoreRequest) -> str:
    # Scrapy says it in words only; the unpacked size is told by the cause.
    if "redirections" in str(error):
        return REDIRECTS
    return TOO_LARGE if hasattr(error.__cause__, "decompressed_size") else ERROR
