"""The sites in `tests/data/modern` are complete, and each has the difficulties that it lists."""

import json
import re
import subprocess
import sys
from pathlib import Path

import feedparser
import pytest
from lxml import html

from forest_crawler.evaluation.measures import split_words
from forest_crawler.page.tree import parse_page
from tests.support.modern_sites import (
    KNOWN_FAILURES,
    ROOT,
    SHELL,
    SITES,
    ModernPage,
    describe_site,
    has_words,
    site_pages,
    sites_with,
)

SIZE_LIMIT = 1_500_000

EVERYWHERE = {
    "built-class-names": r'class="[A-Z]\w+_\w+__\w{5}"',
    "cards": r'class="kg-card kg-',
    "blocks": r'class="wp-block-\w+',
    "share-bar-inside": r'entry-content[\s\S]*class="sharedaddy[\s\S]*wp-block-comments',
    "subscribe-widgets-inside": r'class="subscription-widget',
    "share-buttons-inside": r'class="button-wrapper"',
    "streamed-parts": r'<template id="B:0">[\s\S]*<div hidden id="S:0">\s*<',
    "flight-data": r"self\.__next_f\.push\(",
    "utility-classes": r'class="(mb-4 text-4xl|pencraft pc-display-)',
    "no-named-container": r'<div class="space-y-6 text-lg leading-relaxed">',
    "amp-twin": r'rel="(amphtml|canonical)"',
    "links-in-sentences": r'\w <a href="https://[^"]+">\w',
    "live-blog": r"LiveBlogPosting",
    "share-bar-per-update": r"live-item__share[\s\S]*live-item__share",
    "time-per-update": r'(class="live-item__time"[^>]*><time>\d\d:\d\d</time>[\s\S]*){4}',
    "cyrillic": r"[а-я]{5}",
    "subscribe-inside": r'class="promo promo_tg"',
    "gallery": r'(<figure class="slide"[\s\S]*){8}',
    "many-captions": r'(class="slide-text"[\s\S]*){8}',
    "short-text": r'class="gallery-text"',
    "share-bar-per-picture": r'(class="slide-share"[\s\S]*){8}',
    "ads-between": r'class="slide slide-ad"',
    "paywall": r'"isAccessibleForFree":(true|false)',
    "javascript-shell": r'<div id="root"><div class="splash">',
}
"""What shows a difficulty that every page of the site has."""

SOMEWHERE = {
    "newsletter-inside": r'<input[^>]*type="email"',
    "related-inside": "InlineRelated_root|Lesen Sie auch|À lire aussi|jp-relatedposts|rb-teaserbox",
    "comments": r'class="(wp-block-comment-content|comment-body)"',
    "inline-spans": r'\w <span class="Text_italic__\w{5}">\w',
    "signup-card": r"kg-signup-card",
    "bookmark-card": r"kg-bookmark-card",
    "amp-images": r"<amp-img ",
    "lazy-images": r'<img class="lazyload"[^>]* data-src=',
    "teaser": r'data-access="teaser"',
    "metered": r'data-access="metered"',
    "article-body-in-json-ld": r'"articleBody":"',
}
KINDS = {
    "tables": "row",
    "lists": "item",
    "ordered-lists": "step",
    "quotes": "quote",
    "pull-quotes": "quote",
    "code": "code",
}
"""The kind of the gold's blocks that a difficulty is about."""

per_site = pytest.mark.parametrize("site", SITES)


def source(page: ModernPage) -> str:
    raw = page.labelled.source
    return raw.decode() if isinstance(raw, bytes) else raw


def elements(page: ModernPage) -> html.HtmlElement:
    return html.document_fromstring(source(page).encode(), parser=html.HTMLParser(encoding="utf-8"))


def test_there_are_ten_small_sites_in_six_languages() -> None:
    files = [path for path in (ROOT / "sites").rglob("*") if path.is_file()]
    assert len(SITES) == 10
    assert sum(path.stat().st_size for path in files) < SIZE_LIMIT
    assert {describe_site(site)["language"] for site in SITES} == {
        "de",
        "en",
        "es",
        "fr",
        "it",
        "ru",
    }


@per_site
def test_pages_have_their_files_and_entries(site: str) -> None:
    pages = site_pages(site)
    assert len(pages) >= 7
    assert all(page.labelled.gold and page.labelled.language for page in pages)
    entries = feedparser.parse((ROOT / "sites" / site / "feed.xml").read_bytes()).entries
    links = {page.facts["url"] for page in pages if "twin_of" not in page.facts}
    assert {entry.link for entry in entries} == links


@per_site
def test_gold_text_is_that_of_the_blocks(site: str) -> None:
    for page in site_pages(site):
        lines = (page.labelled.gold or "").splitlines()
        assert lines == [block["text"] for block in page.facts["blocks"]]
        assert page.facts["title"] not in lines


@pytest.mark.parametrize("site", [site for site in SITES if site != SHELL])
def test_gold_blocks_are_in_the_page_in_order(site: str) -> None:
    for page in site_pages(site):
        tree = parse_page(page.labelled.source)
        words = f" {' '.join(split_words(' '.join(tree.outline.leaf_texts)))} "
        position = 0
        for block in page.facts["blocks"]:
            position = words.find(f" {' '.join(split_words(block['text']))} ", position)
            assert position >= 0, f"{page.doc}: {block['text']!r}"


@per_site
def test_forbidden_texts_are_in_the_page_and_not_in_the_gold(site: str) -> None:
    for page in site_pages(site):
        forbidden = page.facts["forbidden"]
        assert forbidden
        gold = page.labelled.gold or ""
        assert [text for text in forbidden if has_words(gold, text)] == []


@per_site
def test_articles_of_a_site_share_no_sentence(site: str) -> None:
    seen: set[str] = set()
    for page in site_pages(site):
        if "twin_of" in page.facts:
            continue
        lines = {line for line in (page.labelled.gold or "").splitlines() if len(line) > 40}
        assert lines.isdisjoint(seen)
        seen |= lines


@pytest.mark.parametrize("site", [site for site in SITES if site != SHELL])
def test_images_of_the_gold_are_in_the_page(site: str) -> None:
    for page in site_pages(site):
        for image in page.facts["images"]:
            assert page.image_pattern(image).search(source(page)), image["url"]


@pytest.mark.parametrize("difficulty", EVERYWHERE)
def test_every_page_of_a_site_has_its_difficulty(difficulty: str) -> None:
    for site in sites_with(difficulty):
        for page in site_pages(site):
            assert re.search(EVERYWHERE[difficulty], source(page)), page.doc


@pytest.mark.parametrize("difficulty", SOMEWHERE)
def test_some_pages_of_a_site_have_its_difficulty(difficulty: str) -> None:
    for site in sites_with(difficulty):
        found = [
            page for page in site_pages(site) if re.search(SOMEWHERE[difficulty], source(page))
        ]
        assert len(found) >= 2, site


@pytest.mark.parametrize("difficulty", KINDS)
def test_some_pages_have_blocks_of_a_kind(difficulty: str) -> None:
    for site in sites_with(difficulty):
        assert any(page.blocks(KINDS[difficulty]) for page in site_pages(site)), site


@per_site
def test_every_difficulty_has_a_test(site: str) -> None:
    tested = {*EVERYWHERE, *SOMEWHERE, *KINDS, "two-builds", "full-feed", "two-authors"}
    assert set(describe_site(site)["difficulties"]) <= tested


def test_some_articles_have_two_authors() -> None:
    for site in sites_with("two-authors"):
        assert any(len(page.facts["authors"]) == 2 for page in site_pages(site))


def test_the_two_builds_have_no_class_in_common() -> None:
    for site in sites_with("two-builds"):
        titles = [str(elements(page).xpath("string(//h1/@class)")) for page in site_pages(site)]
        assert sorted(titles.count(title) for title in set(titles)) == [4, 4]


def test_some_amp_pages_have_a_canonical_twin() -> None:
    for site in sites_with("amp-twin"):
        pages = {page.doc: page for page in site_pages(site)}
        twins = [page for page in pages.values() if "twin_of" in page.facts]
        assert len(twins) >= 4
        for page in twins:
            tree = elements(page)
            assert tree.get("amp") is not None
            assert not tree.xpath("//img[not(ancestor::noscript)]")
            canonical = pages[page.facts["twin_of"]]
            assert tree.xpath("string(//link[@rel='canonical']/@href)") == canonical.facts["url"]
            assert page.labelled.gold == canonical.labelled.gold


def test_a_wall_is_on_metered_pages_and_teasers_only() -> None:
    for site in sites_with("paywall"):
        access = {page.doc: page.facts["access"] for page in site_pages(site)}
        assert set(access.values()) == {"free", "metered", "teaser"}
        walled = {page.doc for page in site_pages(site) if 'class="paywall"' in source(page)}
        assert walled == {doc for doc, kind in access.items() if kind != "free"}


def test_a_shell_has_its_text_in_the_feed_or_in_json_ld() -> None:
    entries = feedparser.parse((ROOT / "sites" / SHELL / "feed.xml").read_bytes()).entries
    full = {entry.link for entry in entries if "content" in entry}
    for page in site_pages(SHELL):
        in_page = "articleBody" in source(page)
        assert in_page == (page.facts["url"] not in full)
        assert page.blocks("paragraph")[0].split(".")[0] not in "".join(
            parse_page(page.labelled.source).outline.leaf_texts
        )


def test_known_failures_name_sites_and_reasons() -> None:
    rows = json.loads(KNOWN_FAILURES.read_text("utf-8"))
    assert len({(row["check"], row["site"]) for row in rows}) == len(rows)
    assert all(row["site"] in SITES and row["reason"] for row in rows)


def test_generator_writes_exactly_these_files() -> None:
    command = [sys.executable, "-m", "data.generator", "--check", "--root", str(ROOT)]
    run = subprocess.run(
        command, cwd=Path(ROOT).parents[2], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
