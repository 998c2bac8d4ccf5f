"""Tell pages from other documents by their first bytes, as browsers do.

Servers label PDFs as HTML and HTML as anything; archives have what servers sent.
"""

from __future__ import annotations

import re

_SNIFFED = 1445  # bytes, as in browsers (WHATWG MIME sniffing)
_BOMS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
_UNMARKED_UTF16 = re.compile(rb"<\0[!-~]\0|\0<\0[!-~]")
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


def is_html(body: bytes, content_type: str) -> bool:
    """Report whether a body can be read as a page.

    >>> is_html(b"%PDF-1.7", "text/html"), is_html(b"<!doctype html><p>a", "text/plain")
    (False, True)
    """
    head = body[:_SNIFFED]
    if head.startswith(_MAGIC) or head[4:8] == b"ftyp":
        return False
    label = content_type.lower()
    is_marked = head.startswith(_BOMS) or _UNMARKED_UTF16.match(head)
    wide = is_marked or "utf-16" in label or "utf-32" in label
    mime = label.rpartition(",")[2].partition(";")[0].strip()  # of several headers, the last
    if not wide and (controls := len(_CONTROL.findall(head))):
        # Stray control bytes among tags are harmless; of a document that is none, there are many.
        is_stray = controls < _MAX_STRAY * len(head)
        return is_stray and mime in _HTML_TYPES and bool(_TAG.search(_CONTROL.sub(b"", head)))
    if mime in _HTML_TYPES:
        return True
    return mime in _UNSURE_TYPES and bool(_MARKUP.match(_without_bom(head)))


def _without_bom(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf")
