"""Scrapy's errors as outcomes: one label for whatever reaches an errback.

Middlewares raise `RefusedRequest` (never fetch it) or `PostponedRequest` (fetch it later); every
other error that Scrapy hands to an errback gets its label here.
"""

from __future__ import annotations

import logging
import zlib
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

from forest_crawler.crawl.outcomes import (
    CONNECTION,
    CONNECTION_REFUSED,
    ENCODING,
    ERROR,
    PASSING,
    PASSING_STATUSES,
    REDIRECTS,
    SCHEME,
    TIMEOUT,
    TOO_LARGE,
    TRUNCATED,
    UNKNOWN_HOST,
    Outcome,
)

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response


_log = logging.getLogger(__name__)


class RefusedRequest(IgnoreRequest):
    """A request that must not be made, or whose response is useless."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else self.reason


class PostponedRequest(IgnoreRequest):
    """A request to repeat at `retry_at` (seconds since the epoch) or later."""

    def __init__(self, reason: str, retry_at: float, cause: str | None = None) -> None:
        super().__init__(reason, retry_at, cause)
        self.reason = reason
        self.retry_at = retry_at
        self.cause = cause

    def __str__(self) -> str:
        return f"{self.reason} until {self.retry_at:.0f}"


# The first class that fits decides the label.
_LABELS: tuple[tuple[type[BaseException] | tuple[type[BaseException], ...], str], ...] = (
    (ResponseDataLossError, TRUNCATED),
    (DownloadTimeoutError, TIMEOUT),
    (CannotResolveHostError, UNKNOWN_HOST),
    (DownloadCancelledError, TOO_LARGE),
    ((NotSupported, UnsupportedURLSchemeError), SCHEME),
    (DownloadConnectionRefusedError, CONNECTION_REFUSED),
    (DownloadFailedError, CONNECTION),
    # Bodies that are not compressed as their header says; BadGzipFile is an OSError.
    ((zlib.error, EOFError), ENCODING),
)
_DECOMPRESSION_ERRORS = frozenset({"BadGzipFile", "ZstdError", "error"})


def outcome_of(error: BaseException) -> Outcome:
    """Label an error as it reaches an errback (`failure.value`).

    >>> outcome_of(DownloadTimeoutError("30 s"))
    Outcome(reason='timeout', passing=True, retry_at=None, is_refusal=False, cause=None)
    >>> outcome_of(PostponedRequest("retry-after", 1.8e9)).retry_at
    1800000000.0
    """
    if isinstance(error, PostponedRequest):
        return Outcome(error.reason, passing=True, retry_at=error.retry_at, cause=error.cause)
    if isinstance(error, RefusedRequest):
        return Outcome(error.reason, passing=False, is_refusal=True)
    if isinstance(error, HttpError):
        status = error.response.status
        return Outcome(f"http-{status}", passing=status in PASSING_STATUSES)
    reason = _label(error)
    return Outcome(reason, passing=reason in PASSING)


def is_truncated(response: Response) -> bool:
    """Report whether a body may be truncated: only its connection's end ended it."""
    return not {"partial", "dataloss", "download_stopped"}.isdisjoint(response.flags)


def refuse_request(crawler: Crawler, reason: str, detail: str = "") -> RefusedRequest:
    """Count and log a refusal, and return the error to raise."""
    _count(crawler, f"forest/refused/{reason}")
    _log.info("refused: %s (%s)", detail, reason)
    return RefusedRequest(reason, detail)


def postpone_request(
    crawler: Crawler, reason: str, retry_at: float, cause: str | None = None
) -> PostponedRequest:
    """Count a postponement, and return the error to raise."""
    _count(crawler, f"forest/postponed/{reason}")
    return PostponedRequest(reason, retry_at, cause)


def _count(crawler: Crawler, key: str) -> None:
    crawler.stats.inc_value(key)


def _label(error: BaseException) -> str:
    for kind, label in _LABELS:
        if isinstance(error, kind):
            return label
    if type(error).__name__ in _DECOMPRESSION_ERRORS:
        return ENCODING
    if isinstance(error, OSError):
        return CONNECTION
    if isinstance(error, IgnoreRequest):
        return _label_ignored(error)
    return ERROR


def _label_ignored(error: IgnoreRequest) -> str:
    # Scrapy has only words for it; the cause of a too large body has its decompressed size.
    if "redirections" in str(error):
        return REDIRECTS
    return TOO_LARGE if hasattr(error.__cause__, "decompressed_size") else ERROR
