"""Find metadata values that all pages of a site share.

Examples are the site's name as author, one date or one picture; only siblings show that they aren't
a page's own. Induction keeps them in `Wrapper.common`, and the article stage ignores them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from forest_crawler.metadata.page_metadata import PageMetadata
from forest_crawler.text.comparison import comparable

MIN_PAGES = 4
"""Min pages, with different titles, that must share a value: fewer may do so by chance, as the
latest entries of a feed are often of one day."""

MAX_COMMON_LENGTH = 300
"""Max characters of a value that are compared and kept."""


def find_site_constants(pages: Sequence[PageMetadata]) -> tuple[str, ...]:
    """Return the values that all pages of a site share, each with its field's name.

    An author of all pages may be the only one who writes there, so an author is returned only if
    it is the site's own name.

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
    """Write a field's value as `Wrapper.common` has it."""
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
