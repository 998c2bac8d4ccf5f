"""Find one portable locator per field: title, author, date, lead and image.

Part of induction, beside the fitting of the body. A page's metadata and feed entry say which values
it should show. Every locator that selects an element with such a value is a candidate; the one on
which most sibling pages agree is chosen. On further pages it also finds values that their metadata
lacks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import date
from urllib.parse import urlsplit

from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.field_matches import (
    ComparableTexts,
    Matches,
    PageText,
    find_day_texts,
    find_images,
    find_leads,
    find_texts,
    find_times,
)
from forest_crawler.metadata.page_metadata import PageMetadata, cut_site_name
from forest_crawler.metadata.titles import title_parts
from forest_crawler.text.comparison import comparable
from forest_crawler.wrapper.element_names import PageNames, locator_cost
from forest_crawler.wrapper.locators import Locator, Step
from forest_crawler.wrapper.name_tree import NameTree

MIN_PAGES = 2
"""Pages that must agree: a match on a single page may be coincidence."""

MIN_AGREEMENT = 0.5
"""Of the pages on which a locator selects anything and the value is known, more than this share
must agree. Not all do, since headlines are edited after the metadata was written; but a wrong
element would have to show the page's own value by accident on every second page."""

MIN_SHARE = 0.25
"""Min share of agreeing pages among all whose value is known. It is low because a site may have
several builds of its template, each with its own class names; an element on fewer pages is a habit
of one section or author."""

MIN_VARIETY = 0.75
"""Min number of distinct values per agreeing page, for fields that are unique to an article: title,
lead and image. Section names vary too, but many pages share one. Below 1, because a page may be in
the sample twice."""

MAX_SELECTED = 3
"""Max elements that a locator may select on a page; the first must be right. There may be a date of
publication and one of change, or several authors. A locator that selects more selects a list."""

PAGES_FOR_SITE_AUTHOR = 4
"""Pages with the same author from which that author is suspect. If it is the site's own name, it is
a default of the publishing system, not an author. If it is another name, only its matches near the
title are bylines; the others are menus and imprints."""

NEAR_TITLE = 15
"""Max text leaves between a title and a byline: kicker, lead, date, share buttons."""

# Extra cost, on the scale of `locator_cost`, of a locator whose first step selects the whole page:
# the more elements are below the first step, the likelier another one will match some day.
_REACH_COST = 1.0
_MAX_NAMED_MATCHES = 20  # per page and field; a title also matches links of the page to itself
_MAX_CANDIDATES = 300  # locators tried per field, those of most pages first


@dataclass(frozen=True, slots=True)
class FieldLocators:
    """A locator per field, whose first element shows the field; `None` if not found."""

    title: Locator | None = None
    author: Locator | None = None
    date: Locator | None = None
    lead: Locator | None = None
    image: Locator | None = None


class FieldFinder:
    """Locates the fields of sibling pages, independently of their order.

    `tree` has the names that at least `MIN_PAGES` of the pages share, if it is made already.
    """

    def __init__(
        self,
        pages: Sequence[PageNames],
        metadata: Sequence[PageMetadata],
        entries: Sequence[FeedEntry | None],
        tree: NameTree | None = None,
    ) -> None:
        self._pages = pages
        self._metadata = cut_site_name(metadata)
        self._entries = entries
        self._tree = tree or NameTree(pages, MIN_PAGES)
        comparable_texts = ComparableTexts()
        self._texts = [PageText(page, comparable_texts) for page in pages]

    def locate(self, chosen: Collection[int] | None = None) -> FieldLocators:
        """Locate the fields on the pages with these numbers, or else on all."""
        known, entries = self._metadata, self._entries
        site = _Site(self._pages, self._tree, chosen)
        titles = list(map(_titles, known, entries))
        parts = [[part for title in page for part in title_parts(title)] for page in titles]
        authors = _authors(known, entries)
        days = list(map(_days, known, entries))
        leads = map(_leads, known, entries)
        images = (page.image for page in known)
        # Titles may name the section too; then locate whichever part of them the pages show.
        title = site.locate(map(find_texts, self._texts, titles)) or site.locate(
            map(find_texts, self._texts, parts)
        )
        bylines: Iterable[Matches | None] = map(find_texts, self._texts, authors)
        if _is_one_author(authors):
            found = zip(bylines, self._pages, strict=True)
            bylines = [_keep_near(it, page, title) for it, page in found]
        return FieldLocators(
            title=title,
            # One person may write the whole site.
            author=site.locate(bylines, min_values=1, min_variety=0),
            # A `time` element has the moment, a text at most the day. No min variety: most entries
            # of a feed are from the same few days.
            date=site.locate(map(find_times, self._texts, days), min_variety=0)
            or site.locate(map(find_day_texts, self._texts, days), min_variety=0),
            lead=site.locate(map(find_leads, self._texts, leads)),
            image=site.locate(map(find_images, self._texts, images)),
        )

    def relocate(self, shared: FieldLocators, chosen: Collection[int]) -> FieldLocators:
        """Return a template's locators: the shared ones, except those that its pages lack.

        A site's templates may show a field in elements of their own, as after a redesign. What
        most pages of the template have stays: it was found on more pages.
        """
        lacking = [
            name
            for field in fields(shared)
            if (locator := getattr(shared, name := field.name)) is not None
            and self._is_lacking(locator, chosen)
        ]
        if not lacking:
            return shared
        own = self.locate(chosen)
        return replace(shared, **{it: getattr(own, it) or getattr(shared, it) for it in lacking})

    def _is_lacking(self, locator: Locator, chosen: Collection[int]) -> bool:
        """Whether a locator selects nothing on most of the pages with these numbers."""
        counts = [count for count, _ in self._tree.count(self._tree.outermost(locator))]
        return 2 * sum(not counts[number] for number in chosen) > len(chosen)


@dataclass(frozen=True, slots=True)
class _Trial:
    """How a locator does on the pages whose value is known."""

    known: int  # pages whose value is known
    values: Sequence[str]  # one per page on which its first element shows the page's own value
    matched: int  # pages on which it selects anything
    alone: int  # pages on which it shows the value and selects nothing else

    def agrees(self, min_values: int, min_variety: float) -> bool:
        agreed, distinct = len(self.values), len(set(self.values))
        return (
            agreed >= max(MIN_PAGES, MIN_SHARE * self.known)
            and agreed > MIN_AGREEMENT * self.matched
            and distinct >= max(min_values, min_variety * agreed)
        )


class _Site:
    """Sibling pages, and the locators on which the chosen ones agree."""

    def __init__(
        self, pages: Sequence[PageNames], tree: NameTree, chosen: Collection[int] | None
    ) -> None:
        self._pages = pages
        self._tree = tree
        self._chosen = range(len(pages)) if chosen is None else chosen
        self._reaches: dict[Step, float] = {}

    def locate(
        self,
        matches: Iterable[Matches | None],
        *,
        min_values: int = 2,
        min_variety: float = MIN_VARIETY,
    ) -> Locator | None:
        """Return the best locator of the matches (`None`: a page of unknown value).

        It must show at least `min_values` distinct values: what never changes belongs to the site.
        """
        matches = [it if i in self._chosen else None for i, it in enumerate(matches)]
        trials: dict[tuple[int, ...], _Trial] = {}
        rated = []
        for locator in self._candidates(matches):
            nodes = self._tree.outermost(locator)
            trial = trials.get(nodes)
            if trial is None:
                trial = trials[nodes] = self._try(nodes, matches)
            if trial.agrees(min_values, min_variety):
                rated.append((-len(trial.values), -trial.alone, self._cost(locator), locator))
        return min(rated)[-1] if rated else None

    def _try(self, nodes: Sequence[int], matches: Sequence[Matches | None]) -> _Trial:
        values: list[str] = []
        known = matched = alone = 0
        for (count, first), found in zip(self._tree.count(nodes), matches, strict=True):
            if found is None:
                continue
            known += 1
            matched += bool(count)
            if 1 <= count <= MAX_SELECTED and first in found:
                values.append(found[first])
                alone += count == 1
        return _Trial(known, values, matched, alone)

    def _cost(self, locator: Locator) -> float:
        cost = locator_cost(locator)
        return cost if len(locator) == 1 else cost + self._reach(locator[0])

    def _reach(self, first: Step) -> float:
        """Return the cost of a first step by the share of the pages' elements below it."""
        if first not in self._reaches:
            nodes = self._tree.outermost((first,))
            held = total = 0
            for page in self._pages:
                ends = page.outline.ends
                held += sum(ends[i] - i for i in self._tree.elements(page, nodes))
                total += len(ends)
            self._reaches[first] = _REACH_COST * held / total
        return self._reaches[first]

    def _candidates(self, matches: Sequence[Matches | None]) -> list[Locator]:
        """Return locators of a match on `MIN_PAGES` or more, those of most pages first."""
        same = Counter(
            frozenset(self._tree.node(page, i) for i in sorted(found)[:_MAX_NAMED_MATCHES])
            for page, found in zip(self._pages, matches, strict=True)
            if found
        )
        named: Counter[Locator] = Counter()
        for nodes, count in same.items():
            for locator in {name for node in nodes for name in self._tree.name(node)}:
                named[locator] += count
        kept = [locator for locator, count in named.items() if count >= MIN_PAGES]
        kept.sort(key=lambda locator: (-named[locator], locator_cost(locator), locator))
        return kept[:_MAX_CANDIDATES]


def _titles(page: PageMetadata, entry: FeedEntry | None) -> Sequence[str]:
    return (*page.titles, entry.title) if entry else page.titles


def _leads(page: PageMetadata, entry: FeedEntry | None) -> Sequence[str]:
    known = (page.description, entry.description if entry else None)
    return [text for text in known if text]


def _days(page: PageMetadata, entry: FeedEntry | None) -> set[date]:
    known = (page.published, entry.published if entry else None)
    return {moment.date() for moment in known if moment}


def _authors(
    pages: Sequence[PageMetadata], entries: Sequence[FeedEntry | None]
) -> list[Sequence[str]]:
    """Return how each page may show its authors: the first alone, or all in a row.

    The site's own name isn't an author if many pages have an author, or if other names occur too.
    """
    known = [
        page.authors or (entry.authors if entry else ())
        for page, entry in zip(pages, entries, strict=True)
    ]
    spellings = {comparable(name) for names in known for name in names}
    if len(spellings) > 1 or sum(map(bool, known)) >= PAGES_FOR_SITE_AUTHOR:
        own = {comparable(name) for page in pages for name in _site_names(page)}
        known = [tuple(name for name in names if comparable(name) not in own) for names in known]
    return [(names[0], " ".join(names)) if names else () for names in known]


def _is_one_author(authors: Sequence[Sequence[str]]) -> bool:
    known = [comparable(names[0]) for names in authors if names]
    return len(known) >= PAGES_FOR_SITE_AUTHOR and len(set(known)) == 1


def _keep_near(found: Matches | None, page: PageNames, title: Locator | None) -> Matches | None:
    """Return the matches near the page's title."""
    titles = [page.outline.leaf_starts[i] for i in page.outermost(title)[:1]] if title else []
    return found and {
        i: value
        for i, value in found.items()
        if any(abs(page.outline.leaf_starts[i] - start) <= NEAR_TITLE for start in titles)
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
