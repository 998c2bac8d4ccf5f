"""`ContentMiddleware`: the response to a page's request must be HTML, and whole.

It looks at the first bytes, because servers label PDFs as HTML and HTML as anything.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.retry import get_retry_request

from forest_crawler.crawl.limits import MAX_BYTES, RequestKind
from forest_crawler.crawl.outcomes import EMPTY, NOT_HTML, TRUNCATED
from forest_crawler.fetching.crawl_delay import RETURNABLE
from forest_crawler.fetching.request_outcomes import is_truncated, refuse_request
from forest_crawler.page.html_sniffing import is_html

if TYPE_CHECKING:
    from typing import Self

    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response

KIND_KEY = "forest_kind"
CUT_KEY = "forest_cut"
"""In the meta of the second request for a page that may be truncated."""

_END = re.compile(rb"</(?:html|body)\s*>", re.IGNORECASE)
_END_WITHIN = 4096  # bytes; scripts and comments may follow it


def request_meta(kind: RequestKind) -> dict[str, Any]:
    """Return the meta of a crawl's request: its kind, size limit and `RETURNABLE`."""
    return {KIND_KEY: kind, "download_maxsize": MAX_BYTES[kind], RETURNABLE: True}


class ContentMiddleware:
    """Refuses responses that aren't HTML; retries once what may be truncated."""

    def __init__(self, crawler: Crawler) -> None:
        self.crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        return cls(crawler)

    def process_response(self, request: Request, response: Response) -> Response | Request:
        if request.meta.get(KIND_KEY) != "page" or not 200 <= response.status < 300:
            return response
        if not response.body.strip():
            raise refuse_request(self.crawler, EMPTY, response.url)
        label = (response.headers.get("Content-Type") or b"").decode("latin-1")
        if not is_html(response.body, label):
            raise refuse_request(self.crawler, NOT_HTML, f"{response.url} ({label})")
        return self._retry_truncated(request, response) or response

    def _retry_truncated(self, request: Request, response: Response) -> Request | None:
        """Retry a page without an end, once: some sites write pages that way."""
        spider = self.crawler.spider
        if spider is None or request.meta.get(CUT_KEY) or not may_be_truncated(response):
            return None
        # Not counted among the retries after server errors.
        retries = request.meta.get("retry_times", 0)
        again = get_retry_request(
            request, spider=spider, reason=TRUNCATED, max_retry_times=retries + 1
        )
        if again is not None:
            again.meta.update({"retry_times": retries, CUT_KEY: True})
        return again


def may_be_truncated(response: Response) -> bool:
    """Report whether a page's end may be missing: nothing shows that it is there."""
    return is_truncated(response) and not _END.search(response.body[-_END_WITHIN:])
