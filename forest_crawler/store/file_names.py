"""File names for sites: a site's name is untrusted, its file must stay inside the directory."""

from __future__ import annotations

import hashlib
import re

_MAX_SLUG_LENGTH = 100
_DIGEST = 12  # hexadecimal digits; distinguishes sites with the same slug

_OTHER = re.compile(r"[^a-z0-9]+")


def site_file_name(site: str, suffix: str = "") -> str:
    """Return a file name for a site: readable, unique, safe on every file system.

    >>> site_file_name("news.example", ".warc")
    'news-example-281808bf264b.warc'
    """
    slug = _OTHER.sub("-", site.lower())[:_MAX_SLUG_LENGTH].strip("-")
    digest = hashlib.sha256(site.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{slug or 'site'}-{digest}{suffix}"
