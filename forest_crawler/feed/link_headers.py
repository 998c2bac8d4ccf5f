"""Links in HTTP headers (RFC 8288): a feed's server may name its hub there, and not in the feed."""

from __future__ import annotations

import re
from urllib.parse import urljoin

MAX_LENGTH = 8_000
"""Characters of all `Link` headers of a response that are read."""

_LINK = re.compile(r"<([^<>]*)>((?:[^\",<]|\"[^\"]*\")*)")
_REL = re.compile(r";\s*rel\s*=\s*(?:\"([^\"]*)\"|([^\s;,\"]+))", re.IGNORECASE)


def linked_url(header: str | None, relation: str, *, base: str) -> str | None:
    """Return the first URL that a `Link` header names with this relation.

    >>> header = '</feed>; rel="self", <https://hub.example/>; rel="hub"'
    >>> linked_url(header, "hub", base="https://gazette.example/feed")
    'https://hub.example/'
    >>> linked_url(header, "self", base="https://gazette.example/feed")
    'https://gazette.example/feed'
    """
    for target, parameters in _LINK.findall((header or "")[:MAX_LENGTH]):
        found = _REL.search(parameters)
        relations = (found[1] or found[2] or "").lower().split() if found else []
        if relation in relations:
            return _join(base, target.strip())
    return None


def _join(base: str, target: str) -> str | None:
    try:
        return urljoin(base, target)
    except ValueError:  # such as "http://[::1"
        return None
