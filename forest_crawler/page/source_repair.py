"""A page's source such that libxml2 reads all of it, as browsers do.

First step of `forest_crawler.page.tree.parse_page`, before the parser: what it has left out is
gone.
"""

from __future__ import annotations

import re

_CONTROLS = bytes(c for c in range(0x20) if c not in b"\t\n\f\r") + b"\x7f"
_TO_CLEAN = tuple(_CONTROLS + b"\f")
_FORM_FEED_TO_BLANK = bytes.maketrans(b"\f", b" ")  # white space to HTML, no character to XML
# Character references to what XML has no place for: the parser lets them through, and an XPath that
# names such an attribute value could not be run.
_FORBIDDEN_REFERENCE = re.compile(
    rb"&#(?:0*(?:[1-8]|1[124-9]|2[0-9]|3[01]|6553[45])(?![0-9])"
    rb"|[xX]0*(?:[1-8bcefBCEF]|1[0-9a-fA-F]|[fF]{3}[efEF])(?![0-9a-fA-F]));?"
)  # without IGNORECASE: with it, the search is twice as slow
_NONCHARACTERS = ("\ufffe".encode(), "\uffff".encode())
_TITLE_OPENED = re.compile(rb"<title\b[^>]*>", re.IGNORECASE)
_TITLE_CLOSED = re.compile(rb"</title\b", re.IGNORECASE)


def clean_source(data: bytes) -> bytes:
    """UTF-8 that holds no character, and no reference to one, that XML could not."""
    if _NONCHARACTERS[0][:1] in data:  # most pages have no such byte at all
        for character in _NONCHARACTERS:
            data = data.replace(character, b"")
    if any(control in data for control in _TO_CLEAN):  # half as long as to translate in any case
        data = data.translate(_FORM_FEED_TO_BLANK, _CONTROLS)
    return _FORBIDDEN_REFERENCE.sub(b" ", data)


def close_title(data: bytes) -> bytes:
    """Close a title that is open to the end and so swallows the whole page."""
    opened = _TITLE_OPENED.search(data)
    if opened is None or _TITLE_CLOSED.search(data, opened.end()):
        return data
    end = data.find(b"<", opened.end())
    return data if end < 0 else data[:end] + b"</title>" + data[end:]
