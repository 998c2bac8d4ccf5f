"""Decode a page or an XML document as browsers do.

First step for every page, feed and sitemap.
"""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding, to_unicode

# The encodings that browsers support. Python has more that a page could name, and some of those
# (`zlib`, `undefined`, `unicode_escape`) raise, or decode escapes in the page's text.
_PAGE_CODECS = frozenset(
    codecs.lookup(name).name
    for name in (
        "utf-8 utf-16-le utf-16-be cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 "
        "iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u "
        "mac-roman mac-cyrillic cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 "
        "cp1258 gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949"
    ).split()
)
# Labels of the Encoding Standard that Python knows only without their suffix or `x-`.
_ODD_LABEL = re.compile(
    rb"\b(?:(iso-8859-8)-[ei]|x-(mac-cyrillic|mac-roman|euc-jp|gbk|cp125[0-8]))\b", re.IGNORECASE
)
_ODD_PARTS = (b"iso-8859-8-", b"x-mac-", b"x-euc-jp", b"x-gbk", b"x-cp125")
# How markup in UTF-16 starts without a byte order mark (XML 1.0, appendix F).
_UNMARKED_UTF16 = re.compile(rb"(?P<le><\0[!-~]\0)|\0<\0[!-~]")
_XML_DECLARATION = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_IN_UTF8 = re.compile(rb"[\xc2-\xf4][\x80-\xbf]")
# Bytes that windows-1252 leaves open, and its last one, which is more often damage than a letter.
_NOT_WESTERN = re.compile(rb"[\x81\x8d\x8f\x90\x9d\xff]")
_CHUNK = 16 * 1024
"""Bytes that are decoded at once to check them: text of a whole page would take fresh memory."""
_HEAD_LENGTH = 4096
"""Bytes that are searched for a `meta`; the standard says 1,024, but many pages have it later."""


def header_charset(content_type: str | None) -> str | None:
    """Return the charset that a Content-Type header names.

    >>> header_charset('text/html; charset="utf-8"'), header_charset("text/html")
    ('utf-8', None)
    """
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def decode_page(source: bytes, charset: str | None = None) -> tuple[str, str]:
    """Decode a page; return the name of its encoding and the text.

    The encoding comes from the byte order mark, the HTTP header, `meta`, or a guess. A label that
    no browser supports is ignored, and so is UTF-16 for bytes that aren't. Undecodable bytes become
    U+FFFD.

    >>> decode_page(b"<p>\\x93Caf\\xe9\\x94", charset="iso-8859-1")
    ('cp1252', '<p>“Café”')
    """
    declared, start = _declared_encoding(source, charset)
    encoding = declared or _guess_encoding(source)
    return encoding, to_unicode(source[start:], encoding)


def recode_page(source: bytes, charset: str | None = None) -> tuple[str, bytes]:
    """Re-encode a page as UTF-8; return the name of its encoding and the bytes.

    Finds the encoding as `decode_page` does. Most pages are UTF-8 already and stay as they are.

    >>> recode_page(b"<p>Caf\\xe9", charset="iso-8859-1")
    ('cp1252', b'<p>Caf\\xc3\\xa9')
    """
    declared, start = _declared_encoding(source, charset)
    if declared in (None, "utf-8") and not start and _is_utf8(source):
        return "utf-8", source
    encoding = declared or _guess_encoding(source)
    return encoding, to_unicode(source[start:], encoding).encode("utf-8", "replace")


def decode_xml(source: bytes, charset: str | None = None) -> str:
    """Decode XML or JSON by BOM, HTTP header, XML declaration, or as UTF-8.

    If one label says UTF-8 and the bytes are UTF-8, the other label is wrong: servers add a charset
    to files without looking inside. Bytes that are said to be UTF-8, but have no character in it
    beyond ASCII, are windows-1252 if all of them are letters or signs there.

    >>> decode_xml("<a>é</a>".encode("cp1252"), "iso-8859-1"), decode_xml("<a>é</a>".encode())
    ('<a>é</a>', '<a>é</a>')
    """
    marked, mark = read_bom(source)
    if marked and mark:
        return to_unicode(source[len(mark) :], marked)
    if unmarked := _unmarked_utf16(source):
        return to_unicode(source, unmarked)
    found = _XML_DECLARATION.match(source)
    labels = [_encoding_of_label(charset), _encoding_of_label(found[1].decode()) if found else None]
    if "utf-8" in labels and _guess_encoding(source) == "utf-8":
        return to_unicode(source, "utf-8")
    declared = [label for label in labels if label and not label.startswith("utf-16")]
    encoding = declared[0] if declared else "utf-8"
    return to_unicode(source, "cp1252" if encoding == "utf-8" and _is_western(source) else encoding)


def _is_western(source: bytes) -> bool:
    """Check whether bytes beyond ASCII make sense in windows-1252, and none in UTF-8."""
    return not (_is_utf8(source) or _IN_UTF8.search(source) or _NOT_WESTERN.search(source))


def _declared_encoding(source: bytes, charset: str | None) -> tuple[str | None, int]:
    """Return the encoding that page or header declare, and the BOM's length."""
    marked, mark = read_bom(source)
    if marked and mark:
        return marked, len(mark)
    label = _encoding_of_label(charset)
    if label and label.startswith("utf-16") and b"\0" not in source[:_HEAD_LENGTH]:
        label = None  # in UTF-16, tags have NULs
    return _unmarked_utf16(source) or label or _encoding_of_meta(source), 0


def _unmarked_utf16(source: bytes) -> str | None:
    found = _UNMARKED_UTF16.match(source)
    return found and ("utf-16-le" if found["le"] else "utf-16-be")


def _encoding_of_label(charset: str | None) -> str | None:
    if not charset:
        return None
    label = charset.strip("\"' \t").encode("ascii", "ignore")
    found = resolve_encoding(_ODD_LABEL.sub(rb"\1\2", label).decode("ascii"))
    # Without a byte order mark, browsers assume little-endian.
    return _supported("utf-16-le" if found == "utf-16" else found)


def _encoding_of_meta(source: bytes) -> str | None:
    head = source[:_HEAD_LENGTH]
    lowered = head.lower()
    if b"charset" not in lowered and b"<?xml" not in lowered:
        return None
    found = html_body_declared_encoding(head)
    if found not in _PAGE_CODECS and any(part in lowered for part in _ODD_PARTS):
        found = html_body_declared_encoding(_ODD_LABEL.sub(rb"\1\2", head))
    # A meta that is readable as ASCII is not in UTF-16 (HTML standard, 13.2.3.2).
    return "utf-8" if found and found.startswith("utf-16") else _supported(found)


def _supported(encoding: str | None) -> str | None:
    return encoding if encoding in _PAGE_CODECS else None


def _is_utf8(source: bytes) -> bool:
    if source.isascii():
        return True
    start, size = 0, len(source)
    try:
        while start < size:
            end = start + _CHUNK
            _, length = codecs.utf_8_decode(source[start:end], "strict", end >= size)
            start += length
    except UnicodeDecodeError:
        return False
    return True


def _guess_encoding(source: bytes) -> str:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as err:
        # A page that is cut within a character is still UTF-8, if the rest is.
        is_cut = err.reason == "unexpected end of data" and not source[: err.start].isascii()
        return "utf-8" if is_cut else "cp1252"
    return "utf-8"
