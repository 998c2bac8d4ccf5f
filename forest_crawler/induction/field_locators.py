"""Where a site's pages show title, author, date, lead and image: a portable locator for each.

Part of induction, beside the fitting of the body. What a page should show is known from its
metadata and its feed entry; the elements that do show it are named in every way a locator can, and
the locator on which most sibling pages agree is taken. It then also finds what a page shows and
no metadata says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from urllib.parse import urlsplit

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.field_matches import (
    PageText,
    Sightings,
    find_day_texts,
    find_images,
    find_leads,
    find_texts,
    find_times,
)
from forest_crawler.metadata.page_metadata import PageMetadata, cut_site_name
from forest_crawler.metadata.titles import title_parts
from forest_crawler.text.comparison import comparable
from forest_crawler.wrapper.element_names import PageNames, locator_cost, name_element, shared_tests
from forest_crawler.wrapper.locators import Locator

MIN_PAGES = 2
"""Pages that must agree: one page's coincidence is no place of the site."""

MIN_AGREEMENT = 0.5
"""Of the pages on which a locator selects anything and the value is known, more than this share
must agree. Headlines are edited after the metadata was written, so not all of them will; but a
wrong element would have to hold this page's own value by accident on every second page."""

MIN_SHARE = 0.25
"""Of all pages whose value is known. A site may have several builds of its template, each with its
own names; what fewer pages show is the habit of a section or of an author."""

MIN_VARIETY = 0.75
"""Different values per page that agrees, of what no two articles share: title, lead and image. The
name of a section also changes, but from few pages to the next; a page may be in a sample twice."""

MAX_MATCHES = 3
"""Elements that a locator may select on a page, the first being right: dates of publication and
change, several authors. What selects more is a list."""

PAGES_FOR_SITE_AUTHOR = 4
"""Pages with one and the same author. Called as the site, it is a default of its system and no
author; called otherwise, only a name near the title is a byline, others are menus and imprints."""

NEAR_TITLE = 15
"""Pieces of text between a title and a byline: kicker, lead, date, share buttons."""

# Cost of a locator that starts from an element holding the whole page, in `locator_cost`'s measure:
# the more stands under its first step, the likelier something else there will match one day.
_REACH_COST = 1.0
_MAX_SIGHTINGS = 20  # elements of a page that are named for a field; headings and links to itself
_MAX_CANDIDATES = 300  # locators that are tried for a field, those seen on most pages first


@dataclass(frozen=True, slots=True)
class FieldLocators:
    """A locator for each field, whose first element on a page shows it; `None` where none does."""

    title: Locator | None = None
    author: Locator | None = None
    date: Locator | None = None
    lead: Locator | None = None
    image: Locator | None = None


def locate_fields(
    pages: Sequence[PageNames],
    metadata: Sequence[PageMetadata],
    entries: Sequence[FeedEntry | None],
) -> FieldLocators:
    """Locate what sibling pages show of their metadata; the order of pages does not matter."""
    said = cut_site_name(metadata)
    texts = [PageText(page.outline) for page in pages]
    titles = list(map(_titles, said, entries))
    parts = [[part for title in page for part in title_parts(title)] for page in titles]
    authors = _authors(said, entries)
    days = list(map(_days, said, entries))
    leads = map(_leads, said, entries)
    images = (page.image for page in said)
    site = _Site(pages)
    # Where sections stand in the titles too, whatever part of them the pages show.
    title = site.locate(map(find_texts, texts, titles)) or site.locate(
        map(find_texts, texts, parts)
    )
    bylines: Iterable[Sightings | None] = map(find_texts, texts, authors)
    if _is_one_author(authors):
        bylines = [_keep_near(it, page, title) for it, page in zip(bylines, pages, strict=True)]
    return FieldLocators(
        title=title,
        # One person may write the whole site.
        author=site.locate(bylines, least_values=1, least_variety=0),
        # A `time` element tells the moment, a text at most the day; a feed is full of today's.
        date=site.locate(map(find_times, texts, days), least_variety=0)
        or site.locate(map(find_day_texts, texts, days), least_variety=0),
        lead=site.locate(map(find_leads, texts, leads)),
        image=site.locate(map(find_images, texts, images)),
    )


@dataclass(frozen=True, slots=True)
class _Showing:
    """What a locator shows on the pages of which the value is known."""

    known: int  # pages of which the value is known
    values: Sequence[str]  # of the pages on which its first element shows the page's own
    matched: int  # pages on which it selects anything
    alone: int  # pages on which it shows the value and selects nothing else

    def agrees(self, least_values: int, least_variety: float) -> bool:
        agreed, different = len(self.values), len(set(self.values))
        return (
            agreed >= max(MIN_PAGES, MIN_SHARE * self.known)
            and agreed > MIN_AGREEMENT * self.matched
            and different >= max(least_values, least_variety * agreed)
        )


class _Site:
    """Sibling pages, and the locators on which they agree."""

    def __init__(self, pages: Sequence[PageNames]) -> None:
        self._pages = pages
        self._shared = shared_tests(pages)

    def locate(
        self,
        sightings: Iterable[Sightings | None],
        *,
        least_values: int = 2,
        least_variety: float = MIN_VARIETY,
    ) -> Locator | None:
        """The best locator of what was sighted; `None` stands for a page whose value is unknown.

        It must show so many different values: what never changes belongs to the site.
        """
        sightings = list(sightings)
        rated = [
            (-len(shown.values), -shown.alone, self._cost(locator), locator)
            for locator in self._candidates(sightings)
            if (shown := self._try(locator, sightings)).agrees(least_values, least_variety)
        ]
        return min(rated)[-1] if rated else None

    def _try(self, locator: Locator, sightings: Sequence[Sightings | None]) -> _Showing:
        values: list[str] = []
        known = matched = alone = 0
        for page, seen in zip(self._pages, sightings, strict=True):
            if seen is None:
                continue
            found = page.outermost(locator)
            known += 1
            matched += bool(found)
            if 1 <= len(found) <= MAX_MATCHES and found[0] in seen:
                values.append(seen[found[0]])
                alone += len(found) == 1
        return _Showing(known, values, matched, alone)

    def _cost(self, locator: Locator) -> float:
        if len(locator) == 1:
            return locator_cost(locator)
        held = total = 0
        for page in self._pages:
            held += sum(page.outline.ends[i] - i for i in page.outermost(locator[:1]))
            total += len(page.outline.elements)
        return locator_cost(locator) + _REACH_COST * held / total

    def _candidates(self, sightings: Sequence[Sightings | None]) -> list[Locator]:
        """Locators that name a sighting on two pages or more, those of most pages first."""
        named: Counter[Locator] = Counter()
        for page, seen in zip(self._pages, sightings, strict=True):
            names: set[Locator] = set()
            for index in sorted(seen or ())[:_MAX_SIGHTINGS]:
                names |= name_element(page, index, self._shared, MIN_PAGES)
            named.update(names)
        kept = [locator for locator, count in named.items() if count >= MIN_PAGES]
        kept.sort(key=lambda locator: (-named[locator], locator_cost(locator), locator))
        return kept[:_MAX_CANDIDATES]


def _titles(page: PageMetadata, entry: FeedEntry | None) -> Sequence[str]:
    return (*page.titles, entry.title) if entry else page.titles


def _leads(page: PageMetadata, entry: FeedEntry | None) -> Sequence[str]:
    said = (page.description, entry.description if entry else None)
    return [text for text in said if text]


def _days(page: PageMetadata, entry: FeedEntry | None) -> set[date]:
    said = (page.published, entry.published if entry else None)
    return {moment.date() for moment in said if moment}


def _authors(
    pages: Sequence[PageMetadata], entries: Sequence[FeedEntry | None]
) -> list[Sequence[str]]:
    """How each page may show its authors: the first one alone, or all in a row.

    A site that gives its own name for an author, on many pages or beside people, has none there.
    """
    said = [
        page.authors or (entry.authors if entry else ())
        for page, entry in zip(pages, entries, strict=True)
    ]
    spellings = {comparable(name) for names in said for name in names}
    if len(spellings) > 1 or sum(map(bool, said)) >= PAGES_FOR_SITE_AUTHOR:
        own = {comparable(name) for page in pages for name in _site_names(page)}
        said = [tuple(name for name in names if comparable(name) not in own) for names in said]
    return [(names[0], " ".join(names)) if names else () for names in said]


def _is_one_author(authors: Sequence[Sequence[str]]) -> bool:
    said = [comparable(names[0]) for names in authors if names]
    return len(said) >= PAGES_FOR_SITE_AUTHOR and len(set(said)) == 1


def _keep_near(seen: Sightings | None, page: PageNames, title: Locator | None) -> Sightings | None:
    """The sightings near the page's title."""
    places = [page.outline.leaf_starts[i] for i in page.outermost(title)[:1]] if title else []
    return seen and {
        i: value
        for i, value in seen.items()
        if any(abs(page.outline.leaf_starts[i] - place) <= NEAR_TITLE for place in places)
    }


def _site_names(page: PageMetadata) -> Iterator[str]:
    if page.sitename:
        yield page.sitename
    try:
        host = urlsplit(page.canonical or "").hostname
    except ValueError:
        host = None
    if host:
        yield from (host, *host.split(".")[:-1])
