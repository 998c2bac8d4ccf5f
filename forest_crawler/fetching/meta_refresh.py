"""`MetaRefreshMiddleware`: Scrapy's, for pages with an odd base, refresh or charset, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import redirect

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response

_READ_BYTES = 4 * 4096
"""Bytes of the 4096 characters in which Scrapy looks for a refresh."""


class MetaRefreshMiddleware(redirect.MetaRefreshMiddleware):
    """Follows meta refreshes; a page with a malformed one is that page."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the page, or the request for the one that it leads to."""
        if not _may_refresh(response.body):
            return response
        try:
            return super().process_response(request, response)
        except LookupError:  # `charset=zlib`: a codec of Python, but not one of text
            return super().process_response(request, response.replace(encoding="utf-8"))
        except ValueError:  # <base href="http://[::1">: browsers ignore it
            return response


def _may_refresh(body: bytes) -> bool:
    """Report whether a page has the word at its beginning: Scrapy decodes all of it to look.

    >>> [_may_refresh('<meta http-equiv="Refresh">'.encode(it)) for it in ("utf-8", "utf-16")]
    [True, True]
    >>> _may_refresh(b'<meta http-equiv="X-UA-Compatible">')
    False
    """
    return b"refresh" in body[:_READ_BYTES].replace(b"\0", b"").lower()
