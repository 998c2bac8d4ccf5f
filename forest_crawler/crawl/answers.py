"""`Answer`: a server's response to a poll, free of Scrapy's classes."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server responded with; `url` is where redirects led to."""

    url: str
    status: int = 200
    body: bytes = field(default=b"", repr=False)
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    link: str | None = None  # the `Link` headers
    moved_permanently: bool = False  # every redirect on the way was permanent
