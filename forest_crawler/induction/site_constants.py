"""What a site says alike on every page: its own name for an author, one date, one picture.

A page alone cannot tell; its siblings can. Found when wrappers are induced, kept in them as
`Wrapper.common`, and no longer believed when articles are made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from forest_crawler.metadata.page_metadata import PageMetadata
from forest_crawler.text.comparison import comparable

MIN_PAGES = 4
"""Pages, with titles of their own, that say the same: fewer do by chance, as a feed's latest
entries are all of one day."""

MAX_COMMON_LENGTH = 300
"""Characters of a value that are compared and kept."""


def find_site_constants(pages: Sequence[PageMetadata]) -> tuple[str, ...]:
    """The values that all of a site's pages share, each with its field's name.

    One author of all pages may be the only one who writes there; called as the site, it is none.

    >>> pages = [PageMetadata((f"Rain {i}",), image="http://gazette.example/logo.png")
    ...          for i in range(4)]
    >>> find_site_constants(pages)
    ('image: http://gazette.example/logo.png',)
    """
    titles = {comparable(page.title or "") for page in pages}
    if len(titles) < MIN_PAGES:
        return ()
    shared = set.intersection(*(set(_values(page)) for page in pages))
    own = {comparable(page.sitename or "") for page in pages}
    return tuple(
        name for name in sorted(shared) if not name.startswith("authors: ") or _value(name) in own
    )


def common_name(field: str, value: object) -> str:
    """A field's value as `Wrapper.common` names it."""
    if isinstance(value, datetime):
        value = value.isoformat()
    text = str(value or "")
    if field in ("authors", "tags"):
        text = comparable(text)
    return f"{field}: {text[:MAX_COMMON_LENGTH]}"


def _values(page: PageMetadata) -> Iterator[str]:
    if page.published:
        yield common_name("published", page.published)
    if page.description:
        yield common_name("description", page.description)
    if page.image:
        yield common_name("image", page.image)
    for field in ("authors", "tags"):
        for value in getattr(page, field):
            yield common_name(field, value)


def _value(name: str) -> str:
    return name.partition(": ")[2]
