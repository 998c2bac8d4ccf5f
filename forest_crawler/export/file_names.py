"""File names made from names and URLs of sites, which are untrusted input."""

from __future__ import annotations

import hashlib
import re
import unicodedata

MAX_SLUG_LENGTH = 60
_OTHER = re.compile(r"[^a-z0-9]+")


def safe_name(text: str) -> str:
    """Return a file name for a text: a readable slug and a digest.

    >>> safe_name("../../etc")
    'etc-...'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = _OTHER.sub("-", plain).strip("-")[:MAX_SLUG_LENGTH].strip("-")
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{slug}-{digest}" if slug else digest
