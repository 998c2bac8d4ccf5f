"""`MetaRefreshMiddleware`: Scrapy's, for pages with an odd base, refresh or charset, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.downloadermiddlewares import redirect

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.http import Response


class MetaRefreshMiddleware(redirect.MetaRefreshMiddleware):
    """Follows meta refreshes; a page with a malformed one is that page."""

    def process_response(
        self, request: Request, response: Response, spider: Spider | None = None
    ) -> Request | Response:
        """Return the page, or the request for the one that it leads to."""
        try:
            return super().process_response(request, response)
        except LookupError:  # `charset=zlib`: a codec of Python, but not one of text
            return super().process_response(request, response.replace(encoding="utf-8"))
        except ValueError:  # <base href="http://[::1">: browsers ignore it
            return response
