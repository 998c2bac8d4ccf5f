"""The codes of languages, as pages and feeds state them."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[-_,\s]")
_CODE = re.compile("[a-z]{2,3}")
_ENCODING = "utf"


def read_language(text: str) -> str | None:
    """Read the base code of a language; `None` if there is none.

    Some pages state their encoding where their language belongs.

    >>> read_language("pt-BR"), read_language("EN, de"), read_language("utf-8")
    ('pt', 'en', None)
    """
    code = _SEPARATOR.split(text.strip().lower(), maxsplit=1)[0]
    return code if _CODE.fullmatch(code) and code != _ENCODING else None
