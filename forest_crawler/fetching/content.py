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

_SNIFFED = 1445  # bytes, as in browsers (WHATWG MIME sniffing)
_BOMS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
_MAGIC = (
    *(b"%PDF-", b"%!PS-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF", b"OggS", b"ID3"),
    *(b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"BZh", b"{\\rtf", b"\x7fELF"),
    *(b"\xd0\xcf\x11\xe0", b"\x1aE\xdf\xa3", b"wOFF", b"wOF2", b"\x00\x00\x01\x00"),
)
_MAX_STRAY = 0.1  # share of control bytes in a page
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_TAG_NAMES = (
    rb"<(?:!doctype\s+html|html|head|body|script|title|meta|link|style|table|div|h1|p|a|br|b|font)"
    rb"[\s/>]"
)
_TAG = re.compile(_TAG_NAMES, re.IGNORECASE)
_MARKUP = re.compile(
    rb"\s*(?:<!--.*?-->\s*|<\?xml.*?\?>\s*)*" + _TAG_NAMES, re.IGNORECASE | re.DOTALL
)
_HTML_TYPES = ("", "text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml")
_UNSURE_TYPES = (
    *("text/plain", "application/octet-stream", "application/unknown", "unknown/unknown"),
    *("text/xml", "application/xml", "binary/octet-stream", "*/*"),
)


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


def is_html(body: bytes, content_type: str) -> bool:
    """Report whether a body can be read as a page.

    >>> is_html(b"%PDF-1.7", "text/html"), is_html(b"<!doctype html><p>a", "text/plain")
    (False, True)
    """
    head = body[:_SNIFFED]
    if head.startswith(_MAGIC) or head[4:8] == b"ftyp":
        return False
    label = content_type.lower()
    wide = head.startswith(_BOMS) or "utf-16" in label or "utf-32" in label
    mime = label.partition(";")[0].strip()
    if not wide and (controls := len(_CONTROL.findall(head))):
        # Stray control bytes among tags are harmless; of a document that is none, there are many.
        is_stray = controls < _MAX_STRAY * len(head)
        return is_stray and mime in _HTML_TYPES and bool(_TAG.search(_CONTROL.sub(b"", head)))
    if mime in _HTML_TYPES:
        return True
    return mime in _UNSURE_TYPES and bool(_MARKUP.match(_without_bom(head)))


def _without_bom(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf")
