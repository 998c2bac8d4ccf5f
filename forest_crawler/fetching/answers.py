"""Responses of polls as `Answer`s, which the engine reads without Scrapy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from forest_crawler.crawl.answers import Answer
from forest_crawler.feed.link_headers import MAX_LENGTH

if TYPE_CHECKING:
    from scrapy.http import Response

MAX_VALIDATOR = 1000
"""Characters of an ETag or Last-Modified that are kept."""

_PERMANENT = {301, 308}


def read_answer(response: Response) -> Answer:
    """Make the engine's record of a response."""
    etag, last_modified = _header(response, "ETag"), _header(response, "Last-Modified")
    return Answer(
        url=response.url,
        status=response.status,
        body=response.body,
        content_type=_header(response, "Content-Type"),
        etag=etag[:MAX_VALIDATOR] if etag else None,
        last_modified=last_modified[:MAX_VALIDATOR] if last_modified else None,
        link=_links(response),
        moved_permanently=_is_moved(response),
    )


def _header(response: Response, name: str) -> str | None:
    value = response.headers.get(name)
    return value.decode("latin-1") if value else None


def _links(response: Response) -> str | None:
    """Return all `Link` headers as one, which means the same."""
    return b", ".join(response.headers.getlist("Link")).decode("latin-1")[:MAX_LENGTH] or None


def _is_moved(response: Response) -> bool:
    """Report whether every redirect was permanent: then the new URL is the feed's."""
    reasons = response.meta.get("redirect_reasons", ())
    return bool(reasons) and all(reason in _PERMANENT for reason in reasons)
