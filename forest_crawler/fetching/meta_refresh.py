"""`MetaRefreshMiddleware`: Scrapy's, for pages whose base or refresh isn't a URL, too."""

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
        except ValueError:  # <base href="http://[::1">: browsers ignore it
            return response
