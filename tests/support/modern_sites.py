"""The sites of `tests/data/modern`, read, induced and extracted as a crawl does it, in process."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.measures import split_words
from forest_crawler.extraction.extraction import FALLBACK, Extraction, extract
from forest_crawler.feed.entry_codec import encode_entry
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.store.records import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

ROOT = Path(__file__).resolve().parents[1] / "data" / "modern"
SITES = sorted(path.parent.name for path in (ROOT / "sites").glob("*/package.json"))
SHELL = "daybreak-reader"  # its pages have no text
FETCHED_AT = 1_795_000_000.0  # November 2026, after the youngest article
KNOWN_FAILURES = ROOT / "known_failures.json"


@dataclass(frozen=True, slots=True)
class ModernPage:
    """A page with its gold."""

    labelled: LabelledPage
    facts: dict[str, Any]

    @property
    def doc(self) -> str:
        """The name of the page's file."""
        return self.labelled.id

    @property
    def held(self) -> HeldPage:
        """The page as the store holds it."""
        entry = self.labelled.entry
        source = self.labelled.source
        return HeldPage(
            key=self.doc,
            url=self.facts["url"],
            site=self.labelled.site,
            status=200,
            content_type="text/html; charset=utf-8",
            body=source if isinstance(source, bytes) else source.encode(),
            fetched_at=FETCHED_AT,
            entry=encode_entry(entry) if entry else None,
            feed_url=None,
            guid=entry.guid if entry else None,
        )

    def blocks(self, kind: str) -> list[str]:
        """Return the texts of the gold's blocks of a kind."""
        return [block["text"] for block in self.facts["blocks"] if block["kind"] == kind]

    def image_pattern(self, image: dict[str, Any]) -> re.Pattern[str]:
        """Return what the address of an image looks like, in whatever size."""
        images = self.facts["images"]
        number = images.index(image) + (0 if images[0]["lead"] else 1)
        name = self.facts.get("twin_of", self.doc)
        return re.compile(rf"{re.escape(name)}\D{{1,7}}{number}(?!\d)")


@cache
def describe_site(site: str) -> dict[str, Any]:
    """Read a site's description file."""
    facts: dict[str, Any] = json.loads((ROOT / "sites" / site / "package.json").read_text("utf-8"))
    return facts


@cache
def site_pages(site: str) -> tuple[ModernPage, ...]:
    """Read a site's pages, by name."""
    folder = ROOT / "sites" / site
    return tuple(
        ModernPage(page, json.loads((folder / f"{page.id}.json").read_text("utf-8")))
        for page in read_pages(folder)
    )


def sample_pages(site: str) -> list[ModernPage]:
    """Return the pages to learn from: two thirds of them, and no article twice."""
    pages = site_pages(site)
    twins = {page.facts["twin_of"] for page in pages if "twin_of" in page.facts}
    if twins:  # the canonical pages of these articles are unseen
        return [page for page in pages if page.doc not in twins]
    return [page for number, page in enumerate(pages) if number % 3 != 2]


@cache
def site_wrappers(site: str) -> tuple[Wrapper, ...]:
    """Induce a site's wrappers from its sample."""
    return induce_site(site, [page.held for page in sample_pages(site)]).wrappers


@cache
def site_articles(site: str) -> dict[str, dict[str, Any]]:
    """Make the articles of a site's pages; a page without one has its `reason` only."""
    pages = tuple(page.held for page in site_pages(site))
    job = SiteJob(site, tuple(enumerate(site_wrappers(site))), pages)
    (found,) = extract_sites([job])
    return {
        it.key: json.loads(it.article.line) if it.article else {"text": "", "reason": it.reason}
        for it in found.pages
    }


def article_pages(site: str) -> list[ModernPage]:
    """Return the pages that have an article: all but teasers that were passed over as such."""
    articles = site_articles(site)
    return [page for page in site_pages(site) if not _is_passed_over(page, articles[page.doc])]


def _is_passed_over(page: ModernPage, article: dict[str, Any]) -> bool:
    return page.facts["access"] == "teaser" and "teaser" in str(article.get("reason"))


@cache
def site_trees(site: str) -> dict[str, PageTree]:
    """Parse a site's pages."""
    return {
        page.doc: parse_page(page.labelled.source, url=page.facts["url"])
        for page in site_pages(site)
    }


@cache
def site_extractions(site: str) -> dict[str, Extraction]:
    """Apply a site's wrappers to its pages."""
    wrappers = site_wrappers(site)
    return {doc: extract(tree, wrappers, FALLBACK) for doc, tree in site_trees(site).items()}


def body_text(article: dict[str, Any], page: ModernPage) -> str:
    """Return an article's text without headline and lead caption, which are in no gold text."""
    captions = [image["caption"] for image in page.facts["images"] if image["lead"]]
    left_out = [split_words(text) for text in (page.facts["title"], *filter(None, captions))]
    lines = str(article["text"]).splitlines()
    return "\n".join(line for line in lines if split_words(line) not in left_out)


def has_words(text: str, wanted: str) -> bool:
    """Return whether a text has these words in a row, whatever marks are between them."""
    return f" {' '.join(split_words(wanted))} " in f" {' '.join(split_words(text))} "


def image_urls(article: dict[str, Any]) -> list[str]:
    """Return the decoded addresses of an article's images."""
    images = article.get("images", ())
    return [unquote(image["url"] if isinstance(image, dict) else image) for image in images]


def cases(check: str, sites: Sequence[str] = SITES) -> list[Any]:
    """Return the sites as parameters of a check; those known to fail are expected to."""
    return [pytest.param(site, id=site, marks=expect_failure(check, site)) for site in sites]


def expect_failure(check: str, site: str) -> Sequence[pytest.MarkDecorator]:
    """Return the mark of a check that is known to fail on a site, by an assertion only."""
    reason = known_failures().get((check, site))
    if reason is None:
        return ()
    return [pytest.mark.xfail(reason=reason, strict=True, raises=AssertionError)]


@cache
def known_failures() -> dict[tuple[str, str], str]:
    """Return why a check fails on a site, by check and site."""
    rows = json.loads(KNOWN_FAILURES.read_text("utf-8"))
    return {(row["check"], row["site"]): row["reason"] for row in rows}


def sites_with(difficulty: str) -> list[str]:
    """Return the sites that list a difficulty."""
    found = [site for site in SITES if difficulty in describe_site(site)["difficulties"]]
    assert found, f"no site has the difficulty {difficulty!r}"
    return found
