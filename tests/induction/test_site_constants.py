"""Metadata that all pages of a site share isn't a page's own."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.induction import induce
from forest_crawler.induction.site_constants import MIN_PAGES, find_site_constants
from forest_crawler.metadata.page_metadata import PageMetadata
from forest_crawler.page.tree import parse_page

DAY = datetime(2020, 1, 1, tzinfo=UTC)
SAME = PageMetadata(
    authors=("Ann Lee", "The Gazette"),
    published=DAY,
    description="News of the coast",
    sitename="The Gazette",
    image="http://gazette.example/logo.png",
    tags=("news", "coast"),
)
PAGES = [replace(SAME, titles=(f"Rain {i}",)) for i in range(MIN_PAGES)]


def test_values_shared_by_all_pages_are_returned_with_their_field_names() -> None:
    assert find_site_constants(PAGES) == (
        "authors: thegazette",
        "description: News of the coast",
        "image: http://gazette.example/logo.png",
        "published: 2020-01-01T00:00:00+00:00",
        "tags: coast",
        "tags: news",
    )


def test_the_only_author_of_a_site_is_not_a_constant() -> None:
    assert "authors: annlee" not in find_site_constants(PAGES)


def test_a_value_that_one_page_lacks_is_not_a_constant() -> None:
    other = replace(PAGES[0], titles=("Fog",), published=datetime(2026, 3, 6, tzinfo=UTC))
    common = find_site_constants([*PAGES, other])
    assert not any(name.startswith("published") for name in common)
    assert "tags: news" in common


@pytest.mark.parametrize("pages", [PAGES[:-1], [PAGES[0]] * 10, []])
def test_too_few_pages_or_copies_of_one_have_no_constants(pages: list[PageMetadata]) -> None:
    assert find_site_constants(pages) == ()


def test_induced_wrappers_have_the_sites_constants() -> None:
    page = (
        "<html><head><title>{0} returns</title><meta property=og:image content=/logo.png></head>"
        "<body><h1>{0} returns</h1><div class=story><p>Our {0} is back, says the {0} keeper, and "
        "the whole {0} crew with it.</p><p>More {0} on Monday.</p></div><p>Imprint</p>"
    )
    topics = ("ferry", "bakery", "museum", "tram", "lido")
    trees = [parse_page(page.format(it), url=f"http://g.example/{it}") for it in topics]
    (wrapper, *_) = induce(trees, site="g.example")
    assert wrapper.common == ("image: http://g.example/logo.png",)


def test_no_date_of_a_bundled_site_is_a_constant() -> None:
    for site in bundled_sites():
        trees = [
            parse_page(page.source, url=page.url)
            for page in read_pages(str(site))
            if page.gold is not None
        ]
        for wrapper in induce(trees, site=site.name):
            assert not any(name.startswith("published") for name in wrapper.common)
