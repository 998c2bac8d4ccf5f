"""Remove control characters and other code points that no reader can show.

Feeds and pages carry them by accident; XML and databases refuse them.
"""

from __future__ import annotations

import re

FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML 1.0 does not allow, and DEL."""

SOFT_HYPHEN = "\xad"
"""Where a word may be divided at the end of a line: in other places nobody sees it."""

UNSEEN = " \t\n\r\xa0\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"
"""Blanks, and characters without a width: site builders fill empty paragraphs with them."""

_C1_CONTROLS = re.compile("[\x80-\x9f]")


def clean_text(text: str) -> str:
    """Remove control characters and other code points that no reader can show.

    >>> clean_text("Storm\\x07 and\\x85 rain")
    'Storm and rain'
    """
    return _C1_CONTROLS.sub("", FORBIDDEN.sub("", text))
