"""An article's fields besides its text, each from its most trusted source.

For `forest_crawler.article.article`. The order of trust, field by field:

- title: the wrapper's locator, the page's metadata (of several titles, the one that the article
  shows), the feed
- authors: the page's metadata, the wrapper's locator, a byline, the feed; the first that names a
  person
- dates: the page's metadata, the wrapper's locator, the feed, a date line, htmldate
- description, tags: the page's metadata, the feed
- image: the page's metadata, the wrapper's locator

The article itself supplies what is still missing: its language, and its first image.

Values that contradict another source are dropped: an author with the site's name, a date after the
page was fetched, a change before the publication. So are values that the site repeats
on every page (`Wrapper.common`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import urlsplit

from lxml import etree

from forest_crawler.article.content.images import read_image
from forest_crawler.article.content.links import Resolver
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.site_constants import common_name
from forest_crawler.metadata.bylines import read_bylines, read_names
from forest_crawler.metadata.date_search import guess_date
from forest_crawler.metadata.datelines import read_dateline
from forest_crawler.metadata.names import drop_handles, is_handle, is_placeholder, split_names
from forest_crawler.metadata.page_metadata import PageMetadata, read_metadata
from forest_crawler.metadata.paywall import read_free_access
from forest_crawler.metadata.titles import MAX_TITLE_LENGTH
from forest_crawler.metadata.values import MAX_NAME_LENGTH, pick_authors, pick_date
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable
from forest_crawler.text.dates import MAX_CLOCK_SKEW
from forest_crawler.urls.canonical import canonical_url
from forest_crawler.wrapper.wrapper import Field, Wrapper

MIN_SITE_NAME = 5
"""Min letters of a site's name for an author that begins with it to be the site."""

_T = TypeVar("_T")
_NO_ENTRY = FeedEntry("")


@dataclass(frozen=True, slots=True)
class ArticleFields:
    """An article's fields besides its text; absent is `None` or empty."""

    located_title: str | None  # where the site's pages show it
    titles: tuple[str, ...]  # that page and feed state, the most trusted one first
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
class FieldSources:
    """The sources of one article's fields."""

    tree: PageTree
    wrapper: Wrapper | None
    entry: FeedEntry | None
    url: str | None
    latest: datetime | None  # no date of the article can be later


def choose_fields(sources: FieldSources) -> ArticleFields:
    """Take each field from the most trusted source that has it."""
    metadata = drop_common(read_metadata(sources.tree), sources.wrapper)
    entry = sources.entry or _NO_ENTRY
    published = _published(sources, metadata, entry)
    return ArticleFields(
        located_title=clean(_located_title(sources)),
        titles=_titles(*metadata.titles, entry.title),
        authors=_authors(sources, metadata, entry),
        published=published,
        modified=_modified(sources, metadata, entry, published),
        description=clean(metadata.description or entry.description),
        sitename=clean(metadata.sitename),
        image=clean(metadata.image or _located_image(sources)),
        tags=tuple(filter(None, map(clean, metadata.tags or entry.tags))),
        language=metadata.language,
        canonical=_canonical(sources.url, metadata.canonical) if sources.url else None,
        free_access=read_free_access(sources.tree),
    )


def _canonical(url: str, declared: str | None) -> str | None:
    # Exact: a crawl has dropped from its URLs what can be dropped, and knows the sibling links.
    return canonical_url(url, declared=declared, exact=True)


def drop_common(metadata: PageMetadata, wrapper: Wrapper | None) -> PageMetadata:
    """Remove from a page's metadata what every page of its site repeats."""
    common = set(wrapper.common) if wrapper else set()
    if not common:
        return metadata

    def kept(field: str, value: _T) -> _T | None:
        return None if common_name(field, value) in common else value

    return replace(
        metadata,
        published=kept("published", metadata.published),
        description=kept("description", metadata.description),
        image=kept("image", metadata.image),
        authors=tuple(name for name in metadata.authors if kept("authors", name)),
        tags=tuple(tag for tag in metadata.tags if kept("tags", tag)),
    )


def clean(text: str | None) -> str | None:
    """Fold a value to one line of displayable characters; `None` if none is left."""
    return " ".join(clean_text(text).split()) or None if text else None


def _titles(*found: str | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(title for it in found if (title := clean(it))))


def _located_title(sources: FieldSources) -> str | None:
    found = _locate(sources, "title")
    text = _text_of(found[0]) if found else ""
    return text if 0 < len(text) <= MAX_TITLE_LENGTH else None


def _authors(sources: FieldSources, metadata: PageMetadata, entry: FeedEntry) -> tuple[str, ...]:
    """Take the first source that names a person; the site's own name only if none does."""
    language = metadata.language or sources.tree.language
    own = [comparable(it) for it in (metadata.sitename, *_host_names(sources.url)) if it]
    candidates: tuple[Callable[[], Iterable[str]], ...] = (
        lambda: metadata.authors,
        lambda: _located_authors(sources, language),
        lambda: read_bylines(sources.tree),
        lambda: entry.authors,
    )
    outlets: tuple[str, ...] = ()
    for names in candidates:
        split = (name for text in names() for name in split_names(text, language))
        cleaned = (name for name in map(clean, split) if name and not is_placeholder(name))
        people = drop_handles(list(dict.fromkeys(cleaned)))
        found = tuple(name for name in people if not _is_outlet(name, own))
        if found and not is_handle(found[0]):
            return found
        outlets = outlets or people
    return outlets


def _is_outlet(name: str, own: Sequence[str]) -> bool:
    """Whether a name is the site's, with "staff" or the like, or without its end."""
    letters = comparable(name)
    if letters in own or any(it.startswith(letters) for it in own):
        return True
    return any(len(it) >= MIN_SITE_NAME and letters.startswith(it) for it in own[:1])


def _located_authors(sources: FieldSources, language: str | None) -> list[str]:
    texts = map(_text_of, _locate(sources, "author"))
    return [name for text in texts for name in read_names(text, language) or pick_authors([text])]


def _published(sources: FieldSources, metadata: PageMetadata, entry: FeedEntry) -> datetime | None:
    dates: tuple[Callable[[], datetime | None], ...] = (
        lambda: metadata.published,
        lambda: _located_date(sources),
        lambda: entry.published,
        lambda: read_dateline(sources.tree),
        lambda: guess_date(sources.tree, sources.latest),
    )
    for date in dates:
        moment = date()
        if moment and _is_past(moment, sources.latest):
            return _refine(moment, entry.published)
    return None


def _refine(moment: datetime, exact: datetime | None) -> datetime:
    """Replace a day, which has no time, by the feed's time of the same day."""
    is_day = (moment.hour, moment.minute, moment.second) == (0, 0, 0)
    if not is_day or exact is None:
        return moment
    in_zone = exact.astimezone(moment.tzinfo) if exact.tzinfo and moment.tzinfo else exact
    return exact if moment.date() in (exact.date(), in_zone.date()) else moment


def _modified(
    sources: FieldSources, metadata: PageMetadata, entry: FeedEntry, published: datetime | None
) -> datetime | None:
    for moment in (metadata.modified, entry.updated):
        if moment and _is_past(moment, sources.latest) and (not published or moment >= published):
            return moment
    return None


def _is_past(moment: datetime, latest: datetime | None) -> bool:
    return latest is None or moment <= latest + MAX_CLOCK_SKEW


def _located_date(sources: FieldSources) -> datetime | None:
    elements = _locate(sources, "date")
    moment = pick_date([e.get("datetime") or e.get("content") or "" for e in elements])
    return moment or pick_date(_text_of(e) for e in elements)


def _located_image(sources: FieldSources) -> str | None:
    resolver = Resolver(sources.tree)
    images = (read_image(e, resolver.image) for e in _locate(sources, "image"))
    return next((image.src for image in images if image), None)


def _locate(sources: FieldSources, field: Field) -> list[Element]:
    wrapper = sources.wrapper
    if wrapper is None:
        return []
    return wrapper.locate(sources.tree, field) or [
        _shown(text) for text in wrapper.read_values(sources.tree, field)
    ]


def _shown(text: str) -> Element:
    """Return an element that shows a text, for a value that no element of the page shows."""
    element = etree.Element("span")
    element.text = text
    return element


def _text_of(element: Element) -> str:
    text = "".join(str(piece) for piece in element.itertext())
    return " ".join(text[: MAX_NAME_LENGTH * 10].split())


def _host_names(url: str | None) -> list[str]:
    """List a host and its labels, the names of sites that have no better one."""
    try:
        host = urlsplit(url or "").hostname
    except ValueError:
        return []
    return [host, *host.split(".")[:-1]] if host else []


def to_datetime(seconds: float | None) -> datetime | None:
    """Convert seconds since 1970; `None` if they are out of range."""
    try:
        return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None
