"""Articles of today's templates: what a reader would keep, and nothing of what is around it."""

from __future__ import annotations

from datetime import datetime
from statistics import fmean
from typing import Any

import pytest

from forest_crawler.evaluation.measures import bigram_score, split_words
from tests.support.modern_sites import (
    SITES,
    article_pages,
    body_text,
    cases,
    expect_failure,
    has_words,
    image_urls,
    site_articles,
    site_pages,
    sites_with,
)

GOAL = 0.95  # mean F1 of a site: what a careful reader of two pages would not notice
KINDS = ("lead", "paragraph", "heading", "item", "step", "quote", "row", "code", "figure", "update")


def site_kinds() -> list[Any]:
    """Return every kind of block that a site's gold has, with the site."""
    found = {
        (site, kind)
        for site in SITES
        for kind in KINDS
        if any(page.blocks(kind) for page in site_pages(site))
    }
    return [
        pytest.param(
            site,
            kind,
            id=f"{site}-{kind}",
            marks=expect_failure(f"keeps-{kind}", site),
        )
        for site, kind in sorted(found)
    ]


@pytest.mark.parametrize("site", cases("text"))
def test_text_agrees_with_the_gold(site: str) -> None:
    articles = site_articles(site)
    scores = [
        bigram_score(page.labelled.gold or "", body_text(articles[page.doc], page)).f1
        for page in article_pages(site)
    ]
    assert fmean(scores) >= GOAL


@pytest.mark.parametrize(("site", "kind"), site_kinds())
def test_every_block_of_a_kind_is_kept(site: str, kind: str) -> None:
    articles = site_articles(site)
    lost = [
        (page.doc, text)
        for page in article_pages(site)
        for text in page.blocks(kind)
        if not has_words(str(articles[page.doc]["text"]), text)
    ]
    assert lost == []


@pytest.mark.parametrize("site", cases("forbidden"))
def test_nothing_around_the_article_is_kept(site: str) -> None:
    articles = site_articles(site)
    kept = [
        (page.doc, text)
        for page in article_pages(site)
        for text in page.facts["forbidden"]
        if has_words(str(articles[page.doc]["text"]), text)
    ]
    assert kept == []


@pytest.mark.parametrize("site", cases("order"))
def test_kept_blocks_are_in_the_order_of_the_page(site: str) -> None:
    for page in article_pages(site):
        words = f" {' '.join(split_words(str(site_articles(site)[page.doc]['text'])))} "
        position = 0
        for block in page.facts["blocks"]:
            wanted = f" {' '.join(split_words(block['text']))} "
            if wanted in words and len(wanted.split()) > 3:
                position = words.find(wanted, position)
                assert position >= 0, f"{page.doc}: {block['text']}"


@pytest.mark.parametrize("site", cases("headline"))
def test_text_begins_with_the_body(site: str) -> None:
    for page in article_pages(site):
        lines = str(site_articles(site)[page.doc]["text"]).splitlines()
        assert split_words(page.facts["title"]) not in [split_words(line) for line in lines]


@pytest.mark.parametrize("site", cases("images"))
def test_images_of_the_article_are_kept(site: str) -> None:
    lost = []
    for page in article_pages(site):
        article = site_articles(site)[page.doc]
        urls = [*image_urls(article), str(article.get("image_url"))]
        for image in page.facts["images"]:
            pattern = page.image_pattern(image)
            if not any(pattern.search(url) for url in urls):
                lost.append((page.doc, image["url"]))
    assert lost == []


@pytest.mark.parametrize("site", cases("foreign-images"))
def test_no_image_of_another_article_is_kept(site: str) -> None:
    foreign = []
    for page in article_pages(site):
        patterns = [page.image_pattern(image) for image in page.facts["images"]]
        foreign += [
            (page.doc, url)
            for url in image_urls(site_articles(site)[page.doc])
            if not any(pattern.search(url) for pattern in patterns)
        ]
    assert foreign == []


@pytest.mark.parametrize("site", cases("captions"))
def test_images_have_their_captions_and_alternative_texts(site: str) -> None:
    wrong = []
    for page in article_pages(site):
        images = site_articles(site)[page.doc].get("images", ())
        found = [image for image in images if isinstance(image, dict)]
        for gold in page.facts["images"]:
            if gold["lead"]:
                continue
            pattern = page.image_pattern(gold)
            same = [image for image in found if pattern.search(image["url"])]
            said = [(image.get("alt"), image.get("caption")) for image in same]
            if (gold["alt"], gold["caption"]) not in said:
                wrong.append((page.doc, gold["alt"]))
    assert wrong == []


@pytest.mark.parametrize("site", cases("title"))
def test_title_is_the_headline(site: str) -> None:
    found = {page.doc: site_articles(site)[page.doc].get("title") for page in article_pages(site)}
    assert found == {page.doc: page.facts["title"] for page in article_pages(site)}


@pytest.mark.parametrize("site", cases("authors"))
def test_authors_are_those_of_the_byline(site: str) -> None:
    found = {page.doc: site_articles(site)[page.doc].get("authors") for page in article_pages(site)}
    assert found == {page.doc: page.facts["authors"] for page in article_pages(site)}


@pytest.mark.parametrize("site", cases("date"))
def test_date_has_the_exact_time(site: str) -> None:
    for page in article_pages(site):
        found = str(site_articles(site)[page.doc].get("date_publish"))
        expected = datetime.fromisoformat(page.facts["date"])
        assert datetime.fromisoformat(found) == expected, page.doc


@pytest.mark.parametrize("site", cases("amp-twin", sites_with("amp-twin")))
def test_a_twin_is_the_same_article_as_its_canonical_page(site: str) -> None:
    pages = {page.doc: page for page in site_pages(site)}
    for page in filter(lambda page: "twin_of" in page.facts, pages.values()):
        article, other = (site_articles(site)[doc] for doc in (page.doc, page.facts["twin_of"]))
        assert article["canonical_url"] == pages[page.facts["twin_of"]].facts["url"]
        texts = [body_text(it, page) for it in (article, other)]
        assert split_words(texts[0]) == split_words(texts[1]), page.doc


@pytest.mark.parametrize("site", cases("paywall", sites_with("paywall")))
def test_access_is_what_the_page_says(site: str) -> None:
    expected = {page.doc: page.facts["access"] == "free" for page in article_pages(site)}
    assert {doc: site_articles(site)[doc].get("free_access") for doc in expected} == expected


@pytest.mark.parametrize("site", cases("shell", sites_with("javascript-shell")))
def test_a_shell_has_the_text_of_the_feed_or_of_structured_data(site: str) -> None:
    by = {doc: article.get("extractor") for doc, article in site_articles(site).items()}
    expected = {
        page.doc: "structured-data" if page.facts.get("template") == "ld" else "feed"
        for page in site_pages(site)
    }
    assert by == expected
