"""Return the feed entry's title and description: a baseline of the Forest paper."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from forest_crawler.extraction.methods.registry import register
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree, parse_page


@dataclass(frozen=True, slots=True)
class Description:
    """Uses the feed entry only, not the page."""

    def extract_with(self, tree: PageTree, entry: FeedEntry) -> Selection:
        """Select title and description, as nodes of a small page made from the entry."""
        parts = [part for part in (entry.title, entry.description) if part.strip()]
        if not parts:
            return Selection(tree)
        made = parse_page("".join(f"<p>{escape(part)}</p>" for part in parts), url=tree.url)
        return select_elements(made, made.body.iterchildren("p"))


register("description", Description())
