"""What an article says beside its text, each value from the source that is trusted most.

For `forest_crawler.article`. The order of trust, field by field:

- title: where the site's pages show it (the wrapper's locator), what the page states, the feed
- authors: what the page states, where the site's pages show them, the feed, hints in the markup
- dates: what the page states, where the site's pages show it, the feed, hints, htmldate
- description, tags: what the page states, the feed; image: stated, located, the article's first

What contradicts another source is dropped: an author called as the site, a date after the page was
fetched, a change before the publication. What a site says alike on every page (`Wrapper.common`)
is no page's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urlsplit

from forest_crawler.access import read_free_access
from forest_crawler.bylines import read_names
from forest_crawler.canonical import canonical_address
from forest_crawler.claims import LONGEST_NAME, pick_authors, pick_date
from forest_crawler.common_values import common_name
from forest_crawler.content.images import read_image
from forest_crawler.content.links import Resolver
from forest_crawler.dates import SLACK
from forest_crawler.feeds import FeedEntry, clean_text
from forest_crawler.likeness import comparable
from forest_crawler.metadata import PageMetadata, read_metadata
from forest_crawler.shown_dates import guess_date, read_dateline
from forest_crawler.terms import detect_language
from forest_crawler.titles import LONGEST_TITLE
from forest_crawler.tree import PageTree
from forest_crawler.wrapper import Field, Wrapper
from forest_crawler.xpath import Element

_T = TypeVar("_T")
_NO_ENTRY = FeedEntry("")


@dataclass(frozen=True, slots=True)
class ArticleFields:
    """An article's fields beside its text; `None` or empty where nobody says anything."""

    title: str | None
    authors: tuple[str, ...]
    published: datetime | None
    modified: datetime | None
    description: str | None
    sitename: str | None
    image: str | None
    tags: tuple[str, ...]
    language: str | None
    canonical: str | None
    free_access: bool | None


@dataclass(frozen=True, slots=True)
class Claims:
    """All that is said of one article, by whom."""

    tree: PageTree
    wrapper: Wrapper | None
    entry: FeedEntry | None
    url: str | None
    latest: datetime | None  # no date of the article can be later
    text: str
    images: Sequence[str]


def settle_fields(claims: Claims) -> ArticleFields:
    """Take each field from the source that is trusted most."""
    said = without_common(read_metadata(claims.tree), claims.wrapper)
    entry = claims.entry or _NO_ENTRY
    published = _published(claims, said, entry)
    return ArticleFields(
        title=_first(lambda: _located_title(claims), lambda: said.title, lambda: entry.title),
        authors=_authors(claims, said, entry),
        published=published,
        modified=_modified(claims, said, entry, published),
        description=clean(said.description or entry.description),
        sitename=clean(said.sitename),
        image=clean(said.image or _located_image(claims) or next(iter(claims.images), None)),
        tags=tuple(filter(None, map(clean, said.tags or entry.tags))),
        language=said.language or detect_language(claims.text),
        canonical=canonical_address(claims.url, declared=said.canonical) if claims.url else None,
        free_access=read_free_access(claims.tree),
    )


def without_common(said: PageMetadata, wrapper: Wrapper | None) -> PageMetadata:
    """A page's metadata less what its site says alike on every page."""
    common = set(wrapper.common) if wrapper else set()
    if not common:
        return said

    def kept(field: str, value: _T) -> _T | None:
        return None if common_name(field, value) in common else value

    return replace(
        said,
        published=kept("published", said.published),
        description=kept("description", said.description),
        image=kept("image", said.image),
        authors=tuple(name for name in said.authors if kept("authors", name)),
        tags=tuple(tag for tag in said.tags if kept("tags", tag)),
    )


def clean(text: str | None) -> str | None:
    """A value on one line without characters that no reader can show; `None` where none is left."""
    return " ".join(clean_text(text).split()) or None if text else None


def _first(*sources: Callable[[], str | None]) -> str | None:
    return next((text for source in sources if (text := clean(source()))), None)


def _located_title(claims: Claims) -> str | None:
    found = _located(claims, "title")
    text = _shown(found[0]) if found else ""
    return text if 0 < len(text) <= LONGEST_TITLE else None


def _authors(claims: Claims, said: PageMetadata, entry: FeedEntry) -> tuple[str, ...]:
    own = {comparable(name) for name in (said.sitename, *_host_names(claims.url)) if name}
    located = [name for e in _located(claims, "author") for name in _located_names(_shown(e))]
    for names in (said.authors, located, entry.authors):
        people = list(dict.fromkeys(filter(None, map(clean, names))))
        if people:
            # Beside people, the site's own name is no author; alone, only siblings could tell.
            return tuple(name for name in people if comparable(name) not in own) or tuple(people)
    return ()


def _located_names(text: str) -> tuple[str, ...]:
    return read_names(text) or pick_authors([text])


def _published(claims: Claims, said: PageMetadata, entry: FeedEntry) -> datetime | None:
    sources: tuple[Callable[[], datetime | None], ...] = (
        lambda: said.published,
        lambda: _located_date(claims),
        lambda: entry.published,
        lambda: read_dateline(claims.tree),
        lambda: guess_date(claims.tree, claims.latest),
    )
    for source in sources:
        moment = source()
        if moment and _is_past(moment, claims.latest):
            return moment
    return None


def _modified(
    claims: Claims, said: PageMetadata, entry: FeedEntry, published: datetime | None
) -> datetime | None:
    for moment in (said.modified, entry.updated):
        if moment and _is_past(moment, claims.latest) and (not published or moment >= published):
            return moment
    return None


def _is_past(moment: datetime, latest: datetime | None) -> bool:
    return latest is None or moment <= latest + SLACK


def _located_date(claims: Claims) -> datetime | None:
    elements = _located(claims, "date")
    moment = pick_date([e.get("datetime") or e.get("content") or "" for e in elements])
    return moment or pick_date(_shown(e) for e in elements)


def _located_image(claims: Claims) -> str | None:
    resolver = Resolver(claims.tree)
    images = (read_image(e, resolver.image) for e in _located(claims, "image"))
    return next((image.src for image in images if image), None)


def _located(claims: Claims, field: Field) -> list[Element]:
    return claims.wrapper.locate(claims.tree, field) if claims.wrapper else []


def _shown(element: Element) -> str:
    text = "".join(str(piece) for piece in element.itertext())
    return " ".join(text[: LONGEST_NAME * 10].split())


def _host_names(url: str | None) -> list[str]:
    """A host and its labels: what sites are called that have no better name."""
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        return []
    return [host, *host.split(".")[:-1]] if host else []


def moment_of(seconds: float | None) -> datetime | None:
    """A time stamp as a moment; `None` for what no clock can show."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
