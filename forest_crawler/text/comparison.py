"""Compare texts by their letters and digits alone.

A page and its metadata write the same headline with other quotes, dashes, blanks and capitals.
"""

from __future__ import annotations

import re
import unicodedata

_OTHER = re.compile(r"[\W_]+")


def comparable(text: str) -> str:
    """Return a text's letters and digits, case-folded and normalised.

    >>> comparable("‘Storm’ – the  Sequel") == comparable("'STORM' -- The sequel")
    True
    """
    return _OTHER.sub("", unicodedata.normalize("NFKC", text).casefold())
