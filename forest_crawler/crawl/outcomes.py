"""Outcomes: why a request brought no page, and what the crawl does about it.

The labels are counted and stored as reasons. `fetching.request_outcomes` maps Scrapy's errors to
an `Outcome`; `PageQueue` and `SourcePolls` decide by it: retry at a time, skip, or fail.
"""

from __future__ import annotations

from dataclasses import dataclass

HTTP = "http-"
"""How the reason begins that is a status of HTTP: `http-404`."""

PRIVATE_ADDRESS = "private-address"
ROBOTS = "robots"
ROBOTS_UNAVAILABLE = "robots-unavailable"
CRAWL_DELAY = "crawl-delay"
RETRY_AFTER = "retry-after"
NOT_HTML = "not-html"
EMPTY = "empty"
HOME_PAGE = "home-page"
TOO_LARGE = "too-large"
TRUNCATED = "truncated"
REDIRECTS = "redirects"
TIMEOUT = "timeout"
CONNECTION = "connection"
CONNECTION_REFUSED = "connection-refused"
UNKNOWN_HOST = "unknown-host"
ENCODING = "encoding"
SCHEME = "scheme"
DROPPED = "dropped"
LEASE_EXPIRED = "lease-expired"
ERROR = "error"

PASSING = frozenset(
    {
        TRUNCATED,
        TIMEOUT,
        CONNECTION,
        CONNECTION_REFUSED,
        UNKNOWN_HOST,
        ROBOTS_UNAVAILABLE,
        RETRY_AFTER,
    }
)
"""Reasons that may no longer apply at the next attempt."""

TROUBLES = (PASSING | {TOO_LARGE, REDIRECTS, ENCODING, ERROR}) - {ROBOTS_UNAVAILABLE}
"""Reasons that show a site in trouble: its next pages will probably fail, too."""

HOST_TROUBLES = frozenset({TIMEOUT, CONNECTION, CONNECTION_REFUSED, UNKNOWN_HOST})
"""Reasons that concern a host as a whole, whichever of its files was requested."""

PASSING_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})


@dataclass(frozen=True, slots=True)
class Outcome:
    """Why a request brought no page."""

    reason: str
    passing: bool  # worth another attempt at all
    retry_at: float | None = None  # and when, if the host has said so
    is_refusal: bool = False  # we chose not to fetch it, or not to use its response
    cause: str | None = None  # why robots.txt is unavailable, as a label

    @property
    def source_status(self) -> str:
        """The label of a source: why robots.txt, and so the feed, cannot be fetched.

        >>> Outcome("robots-unavailable", True, cause="unknown-host").source_status
        'unknown-host'
        >>> Outcome("robots-unavailable", True, cause="http-500").source_status
        'robots-http-500'
        """
        if self.cause is None:
            return self.reason
        return self.cause if self.cause in HOST_TROUBLES else f"robots-{self.cause}"

    @property
    def wants_pause(self) -> bool:
        """Whether the host has stated how long it wants no request, be it for robots.txt.

        >>> Outcome("robots-unavailable", True, 1.8e9, cause="retry-after").wants_pause
        True
        >>> Outcome("robots-unavailable", True, 1.8e9, cause="http-500").wants_pause
        False
        """
        return self.retry_at is not None and RETRY_AFTER in (self.reason, self.cause)

    @property
    def is_trouble(self) -> bool:
        """Whether the site's next pages will probably fail, too.

        >>> Outcome("timeout", True).is_trouble, Outcome("http-503", True).is_trouble
        (True, True)
        >>> Outcome("http-404", False).is_trouble, Outcome("crawl-delay", True, 1.8e9).is_trouble
        (False, False)
        """
        return self.reason in TROUBLES or (self.passing and self.reason.startswith("http-"))

    @property
    def is_answer(self) -> bool:
        """Whether the site has responded as it should, though without a page for us.

        >>> Outcome("http-404", False).is_answer, Outcome("robots", False).is_answer
        (True, False)
        """
        is_final = self.reason.startswith("http-") and not self.passing
        return is_final or self.reason in (NOT_HTML, EMPTY, HOME_PAGE)
