"""When two texts say the same: compared by their letters and digits alone.

A page and its metadata differ in quotes, dashes, blanks and capitals, and mean the same headline.
"""

from __future__ import annotations

import re
import unicodedata

_OTHER = re.compile(r"[\W_]+")


def comparable(text: str) -> str:
    """The letters and digits of a text, in one case and one form.

    >>> comparable("‘Storm’ – the  Sequel") == comparable("'STORM' -- The sequel")
    True
    """
    return _OTHER.sub("", unicodedata.normalize("NFKC", text).casefold())
