"""Decode a robots.txt, and write it as parsers expect it.

Files come in UTF-16, with characters that nobody sees, and with a version after a robot's name
(`name/0.1`, `name 0.1`). A parser that doesn't understand one of these reads no rule, and
everything would be allowed.
"""

from __future__ import annotations

import codecs
import re

_WIDE_BOMS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_SAMPLE = 512  # bytes by which UTF-16 without a mark is recognised
# RFC 9309, 2.2.1: the product token has letters, "_" and "-"; what follows is not part of it.
_VERSION = re.compile(
    r"^(\s*user[- ]?agent\s*:\s*[a-z_-]+)(?:/|[ \t]+v?[\d(])[^#\n]*", re.IGNORECASE | re.MULTILINE
)
_UNSEEN = str.maketrans("", "", "\0\ufeff\u200b")


def normalise_robots(body: bytes) -> bytes:
    r"""Return a robots.txt in UTF-8, without unseen characters and versions of robots.

    >>> normalise_robots("User-agent: BOT/2.0\nDisallow: /".encode("utf-16"))
    b'User-agent: BOT\nDisallow: /'
    """
    text = body.decode(_encoding(body), "replace").translate(_UNSEEN)
    return _VERSION.sub(r"\1", "\n".join(text.splitlines())).encode()


def _encoding(body: bytes) -> str:
    if body[:2] in _WIDE_BOMS:
        return _WIDE_BOMS[body[:2]]
    head = body[:_SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if 3 * max(even, odd) > len(head):  # most characters of such a file are ASCII
        return "utf-16-be" if even > odd else "utf-16-le"
    return "utf-8"
