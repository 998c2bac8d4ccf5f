"""The bytes of a page or an XML document → their text, decoded as browsers do.

Called by `forest_crawler.page.tree` and `forest_crawler.feed.untrusted_xml` before anything else
looks.
"""

from __future__ import annotations

import codecs
import re

from w3lib.encoding import html_body_declared_encoding, read_bom, resolve_encoding, to_unicode

# The encodings that browsers know. Python knows more under names that a page could give, and some
# of those (`zlib`, `undefined`, `unicode_escape`) raise, or read the page's text as escapes.
_PAGE_CODECS = frozenset(
    codecs.lookup(name).name
    for name in (
        "utf-8 utf-16-le utf-16-be cp866 iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 "
        "iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 iso8859-15 iso8859-16 koi8-r koi8-u "
        "mac-roman mac-cyrillic cp874 cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 "
        "cp1258 gb18030 big5hkscs euc_jp iso2022_jp cp932 cp949"
    ).split()
)
# Labels of the Encoding Standard that Python spells without their ending or `x-`.
_ODD_LABEL = re.compile(
    rb"\b(?:(iso-8859-8)-[ei]|x-(mac-cyrillic|mac-roman|euc-jp|gbk|cp125[0-8]))\b", re.IGNORECASE
)
# The bytes with which XML in UTF-16 begins where nobody marks it (XML 1.0, appendix F).
_UNMARKED_UTF16 = {b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_XML_DECLARATION = re.compile(rb"""\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})["']""")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_HEAD = 4096
"""Bytes in which a `meta` is looked for; the standard asks for 1,024, many pages are later."""


def header_charset(content_type: str | None) -> str | None:
    """Return the charset that a Content-Type header names.

    >>> header_charset('text/html; charset="utf-8"'), header_charset("text/html")
    ('utf-8', None)
    """
    found = _CHARSET.search(content_type or "")
    return found[1] if found else None


def decode_page(source: bytes, charset: str | None = None) -> tuple[str, str]:
    """Name a page's encoding and decode it: byte order mark, HTTP header, `meta`, then a guess.

    A label that no browser knows is passed over. Undecodable bytes become U+FFFD.

    >>> decode_page(b"<p>\\x93Caf\\xe9\\x94", charset="iso-8859-1")
    ('cp1252', '<p>“Café”')
    """
    said, start = _said_encoding(source, charset)
    encoding = said or _guess(source)
    return encoding, to_unicode(source[start:], encoding)


def recode_page(source: bytes, charset: str | None = None) -> tuple[str, bytes]:
    """Name a page's encoding as `decode_page` does, and give the page in UTF-8.

    Most pages are that already and stay as they are.

    >>> recode_page(b"<p>Caf\\xe9", charset="iso-8859-1")
    ('cp1252', b'<p>Caf\\xc3\\xa9')
    """
    said, start = _said_encoding(source, charset)
    if said in (None, "utf-8") and not start and _is_utf8(source):
        return "utf-8", source
    encoding = said or _guess(source)
    return encoding, to_unicode(source[start:], encoding).encode("utf-8", "replace")


def decode_xml(source: bytes, charset: str | None = None) -> str:
    """Decode XML or JSON: byte order mark, HTTP header, XML declaration, then UTF-8.

    Where one label says UTF-8 and the bytes are, the other label is wrong: servers add a charset
    to files that they have never looked into.

    >>> decode_xml("<a>é</a>".encode("cp1252"), "iso-8859-1"), decode_xml("<a>é</a>".encode())
    ('<a>é</a>', '<a>é</a>')
    """
    marked, mark = read_bom(source)
    if marked and mark:
        return to_unicode(source[len(mark) :], marked)
    if unmarked := _UNMARKED_UTF16.get(source[:2]):
        return to_unicode(source, unmarked)
    found = _XML_DECLARATION.match(source)
    labels = [_said_by_header(charset), _said_by_header(found[1].decode()) if found else None]
    if "utf-8" in labels and _guess(source) == "utf-8":
        return to_unicode(source, "utf-8")
    said = [label for label in labels if label and not label.startswith("utf-16")]
    return to_unicode(source, said[0] if said else "utf-8")


def _said_encoding(source: bytes, charset: str | None) -> tuple[str | None, int]:
    """The encoding that a page or its header states, and the length of its byte order mark."""
    marked, mark = read_bom(source)
    if marked and mark:
        return marked, len(mark)
    return _said_by_header(charset) or _said_by_meta(source), 0


def _said_by_header(charset: str | None) -> str | None:
    if not charset:
        return None
    label = charset.strip("\"' \t").encode("ascii", "ignore")
    found = resolve_encoding(_ODD_LABEL.sub(rb"\1\2", label).decode("ascii"))
    # Without byte order mark, little-endian is what browsers take.
    return _known("utf-16-le" if found == "utf-16" else found)


def _said_by_meta(source: bytes) -> str | None:
    head = source[:_HEAD]
    lowered = head.lower()
    if b"charset" not in lowered and b"<?xml" not in lowered:
        return None
    found = html_body_declared_encoding(head)
    if found not in _PAGE_CODECS:
        found = html_body_declared_encoding(_ODD_LABEL.sub(rb"\1\2", head))
    # A meta that can be read as ASCII does not stand in a UTF-16 page (HTML standard, 13.2.3.2).
    return "utf-8" if found and found.startswith("utf-16") else _known(found)


def _known(encoding: str | None) -> str | None:
    return encoding if encoding in _PAGE_CODECS else None


def _is_utf8(source: bytes) -> bool:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _guess(source: bytes) -> str:
    try:
        source.decode("utf-8")
    except UnicodeDecodeError as err:
        # A page cut in the middle of a character is UTF-8 all the same, if it was so far.
        is_cut = err.reason == "unexpected end of data" and not source[: err.start].isascii()
        return "utf-8" if is_cut else "cp1252"
    return "utf-8"
