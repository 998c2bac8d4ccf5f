"""What an article says beside its text, each value from the source that is trusted most.

For `forest_crawler.article.article`. The order of trust, field by field:

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

from forest_crawler.article.content.images import read_image
from forest_crawler.article.content.links import Resolver
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.site_constants import common_name
from forest_crawler.metadata.bylines import read_names
from forest_crawler.metadata.datelines import guess_date, read_dateline
from forest_crawler.metadata.page_metadata import PageMetadata, read_metadata
from forest_crawler.metadata.paywall import read_free_access
from forest_crawler.metadata.titles import MAX_TITLE_LENGTH
from forest_crawler.metadata.values import MAX_NAME_LENGTH, pick_authors, pick_date
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable
from forest_crawler.text.dates import MAX_CLOCK_SKEW
from forest_crawler.text.terms import detect_language
from forest_crawler.urls.canonical import canonical_url
from forest_crawler.wrapper.wrapper import Field, Wrapper

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
class FieldValues:
    """All that is said of one article, by whom."""

    tree: PageTree
    wrapper: Wrapper | None
    entry: FeedEntry | None
    url: str | None
    latest: datetime | None  # no date of the article can be later
    text: str
    images: Sequence[str]


def settle_fields(values: FieldValues) -> ArticleFields:
    """Take each field from the source that is trusted most."""
    said = without_common(read_metadata(values.tree), values.wrapper)
    entry = values.entry or _NO_ENTRY
    published = _published(values, said, entry)
    return ArticleFields(
        title=_first(lambda: _located_title(values), lambda: said.title, lambda: entry.title),
        authors=_authors(values, said, entry),
        published=published,
        modified=_modified(values, said, entry, published),
        description=clean(said.description or entry.description),
        sitename=clean(said.sitename),
        image=clean(said.image or _located_image(values) or next(iter(values.images), None)),
        tags=tuple(filter(None, map(clean, said.tags or entry.tags))),
        language=said.language or detect_language(values.text),
        canonical=canonical_url(values.url, declared=said.canonical) if values.url else None,
        free_access=read_free_access(values.tree),
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


def _located_title(values: FieldValues) -> str | None:
    found = _located(values, "title")
    text = _shown(found[0]) if found else ""
    return text if 0 < len(text) <= MAX_TITLE_LENGTH else None


def _authors(values: FieldValues, said: PageMetadata, entry: FeedEntry) -> tuple[str, ...]:
    own = {comparable(name) for name in (said.sitename, *_host_names(values.url)) if name}
    located = [name for e in _located(values, "author") for name in _located_names(_shown(e))]
    for names in (said.authors, located, entry.authors):
        people = list(dict.fromkeys(filter(None, map(clean, names))))
        if people:
            # Beside people, the site's own name is no author; alone, only siblings could tell.
            return tuple(name for name in people if comparable(name) not in own) or tuple(people)
    return ()


def _located_names(text: str) -> tuple[str, ...]:
    return read_names(text) or pick_authors([text])


def _published(values: FieldValues, said: PageMetadata, entry: FeedEntry) -> datetime | None:
    sources: tuple[Callable[[], datetime | None], ...] = (
        lambda: said.published,
        lambda: _located_date(values),
        lambda: entry.published,
        lambda: read_dateline(values.tree),
        lambda: guess_date(values.tree, values.latest),
    )
    for source in sources:
        moment = source()
        if moment and _is_past(moment, values.latest):
            return moment
    return None


def _modified(
    values: FieldValues, said: PageMetadata, entry: FeedEntry, published: datetime | None
) -> datetime | None:
    for moment in (said.modified, entry.updated):
        if moment and _is_past(moment, values.latest) and (not published or moment >= published):
            return moment
    return None


def _is_past(moment: datetime, latest: datetime | None) -> bool:
    return latest is None or moment <= latest + MAX_CLOCK_SKEW


def _located_date(values: FieldValues) -> datetime | None:
    elements = _located(values, "date")
    moment = pick_date([e.get("datetime") or e.get("content") or "" for e in elements])
    return moment or pick_date(_shown(e) for e in elements)


def _located_image(values: FieldValues) -> str | None:
    resolver = Resolver(values.tree)
    images = (read_image(e, resolver.image) for e in _located(values, "image"))
    return next((image.src for image in images if image), None)


def _located(values: FieldValues, field: Field) -> list[Element]:
    return values.wrapper.locate(values.tree, field) if values.wrapper else []


def _shown(element: Element) -> str:
    text = "".join(str(piece) for piece in element.itertext())
    return " ".join(text[: MAX_NAME_LENGTH * 10].split())


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
