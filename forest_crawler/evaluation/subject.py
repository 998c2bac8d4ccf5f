"""`Subject`: a labelled page under test, parsed only if the method needs its tree."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.captions import find_captions
from forest_crawler.evaluation.entries import entry_from_metadata
from forest_crawler.feed.records import FeedEntry
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.page.encoding import decode_page
from forest_crawler.page.tree import PageTree, parse_page


@dataclass(frozen=True, eq=False)
class Subject:
    """A page under test.

    Parsing is part of a method's time, so the tree is made when the method uses it, and never for
    a method that reads the source.
    """

    page: LabelledPage

    @cached_property
    def tree(self) -> PageTree:
        """The page's tree; raises `EmptyPageError` if there is none."""
        return parse_page(self.page.source, url=self.page.url)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The page's own titles, the most trusted first; none if it has no tree."""
        try:
            return read_metadata(self.tree).titles
        except EmptyPageError:
            return ()

    @cached_property
    def captions(self) -> frozenset[str]:
        """What the page marks as captions; none if it has no tree."""
        try:
            return find_captions(self.tree)
        except EmptyPageError:
            return frozenset()

    @cached_property
    def html(self) -> str:
        """The source as text, decoded as for the tree."""
        source = self.page.source
        return source if isinstance(source, str) else decode_page(source)[1]

    @cached_property
    def entry(self) -> FeedEntry:
        """The page's feed entry, or one made from its metadata."""
        return self.page.entry or entry_from_metadata(self.tree)
