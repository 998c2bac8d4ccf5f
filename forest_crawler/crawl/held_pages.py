"""Read held pages for the jobs: tree, feed entry, whether there is an article."""

from __future__ import annotations

from forest_crawler.crawl.jobs import NO_ARTICLE
from forest_crawler.errors import EmptyPageError
from forest_crawler.extraction.extraction import Extraction
from forest_crawler.extraction.stated_text import count_words, extract_stated
from forest_crawler.feed.entry_codec import decode_entry
from forest_crawler.feed.records import FeedEntry
from forest_crawler.metadata.paywall import read_free_access
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.model import ScoredBlocks
from forest_crawler.page_model.outcome import Outcome, judge_page
from forest_crawler.store.page_bodies import unpack_body
from forest_crawler.store.records import HeldPage

TEASER = f"{NO_ARTICLE}-teaser"
"""The reason of a page that shows the beginning of an article that isn't free."""

TEASER_WORDS = 120
"""Words below which the text of a page that isn't free is a teaser."""


def is_teaser(tree: PageTree, found: Extraction) -> bool:
    """Whether a page states that its article isn't free, and shows only a few words of it."""
    return read_free_access(tree) is False and count_words(found) < TEASER_WORDS


def body_of(page: HeldPage) -> bytes:
    """Return the body of a page, which comes packed; raises `StoreError` if it is damaged."""
    if page.packed is None:
        return page.body
    return unpack_body(page.packed, f"the kept page {page.url}")


def parse_held(page: HeldPage) -> tuple[PageTree | None, str | None]:
    """Parse a page; without a tree, the reason. Raises `StoreError` if its body is damaged."""
    try:
        tree = parse_page(body_of(page), charset=header_charset(page.content_type), url=page.url)
    except EmptyPageError:
        return None, "empty"
    # The tree lacks the page's end, and with it an unknown share of the article.
    return (None, "too-deep") if tree.truncated else (tree, None)


def decode_held_entry(page: HeldPage) -> FeedEntry | None:
    """Decode the feed entry that the store keeps with a page."""
    return decode_entry(page.entry, link=page.url, guid=page.guid) if page.entry else None


def find_stated(page: HeldPage, tree: PageTree | None, reason: str) -> Extraction | None:
    """Take the text of feed or JSON-LD for a page that has none, for that reason."""
    if reason == f"{NO_ARTICLE}-{Outcome.LISTING.value}":
        return None  # a feed's summary of a listing isn't an article either
    return extract_stated(tree, decode_held_entry(page), page.url)


def missing_article(scored: ScoredBlocks) -> str | None:
    """Return why a page has no article, by the page model; `None` if it has one."""
    outcome = judge_page(scored, choose_blocks(scored))
    return None if outcome is Outcome.ARTICLE else f"{NO_ARTICLE}-{outcome.value.replace(' ', '-')}"
