"""Run the default method on the bundled sites: it solves the difficulty each was built for."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import pytest

from forest_crawler import SamplePage, induce, parse_page
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.wrapper.wrapper import Wrapper

MIN_F1 = 0.9
"""F1 of a clean article: about one word in ten is too many or missing."""

SOLVED_BY = {
    "gazette-des-cols": "two templates: strip rules of each, under one body",
    "harbour-gazette": "page-specific ids and A/B classes: only names that pages share are used",
    "kettle-and-kiln": "comments longer than the article: the page model, and strip rules",
    "open-field": "paragraphs parted by br, hidden print text: hidden elements are dropped",
    "orrery-wiki": "a link-heavy wiki: equal positions are judged together over all pages",
    "signal-stack": "hashed class names of two builds: generated names cost most",
    "stadtlicht": "text in sibling containers: a locator selects all of them",
    "talbote": "tables without classes: other attributes name elements too",
    "umibe-tsushin": "title outside the body, no spaces: terms are pairs of characters",
    "valley-minutes": "a sidebar longer than the article: repeated text is template",
}


@cache
def load_site(name: str) -> tuple[list[LabelledPage], tuple[Wrapper, ...]]:
    path = next(site for site in bundled_sites() if site.name == name)
    pages = list(read_pages(path))
    sample = [SamplePage(parse_page(page.source), page.entry) for page in pages]
    return pages, tuple(induce(sample, site=name))


def test_every_bundled_site_has_an_entry_in_the_table() -> None:
    assert {site.name for site in bundled_sites()} == set(SOLVED_BY)


@pytest.mark.parametrize("name", SOLVED_BY, ids=str)
def test_a_bundled_sites_articles_come_out_clean(name: str) -> None:
    pages, wrappers = load_site(name)
    found = [extract(parse_page(page.source), wrappers, FALLBACK) for page in pages]
    scores = [
        bigram_score(page.gold or "", extraction.selection.text).f1
        for page, extraction in zip(pages, found, strict=True)
    ]
    assert fmean(scores) >= MIN_F1, SOLVED_BY[name]


@pytest.mark.parametrize("name", ["harbour-gazette", "stadtlicht"])
def test_the_order_of_pages_changes_no_wrapper(name: str) -> None:
    pages, wrappers = load_site(name)
    backwards = [SamplePage(parse_page(page.source), page.entry) for page in reversed(pages)]
    assert tuple(induce(backwards, site=name)) == wrappers


@pytest.mark.parametrize("name", SOLVED_BY, ids=str)
def test_a_wrapper_selects_something_on_all_the_pages_that_support_it(name: str) -> None:
    pages, wrappers = load_site(name)
    trees = [parse_page(page.source) for page in pages]
    assert wrappers
    for wrapper in wrappers:
        assert wrapper.form == "portable"
        assert wrapper.support >= 2
        assert sum(bool(wrapper.select(tree)) for tree in trees) >= wrapper.support


def test_a_wrapper_works_on_a_page_outside_its_sample() -> None:
    pages, _ = load_site("harbour-gazette")
    *known, unseen = pages
    wrappers = induce([parse_page(page.source) for page in known], site="harbour-gazette")
    found = extract(parse_page(unseen.source), wrappers)
    assert found.extractor == "wrapper"
    assert bigram_score(unseen.gold or "", found.selection.text).f1 >= MIN_F1


def test_titles_are_located_where_pages_show_them() -> None:
    pages, wrappers = load_site("harbour-gazette")
    tree = parse_page(pages[0].source)
    assert wrappers[0].title is not None
    [title] = wrappers[0].locate(tree, "title")[:1]
    assert " ".join("".join(str(text) for text in title.itertext()).split()) == pages[0].title


def redesign(page: LabelledPage) -> str:
    """Write a page's article into another template."""
    _, *lines = (page.gold or "").splitlines()
    text = "".join(f"<p>{line}</p>" for line in lines)
    links = "".join(f'<li><a href="/{name}">{name}</a></li>' for name in ("news", "sport", "tides"))
    return f"""<html lang="en"><title>{page.title}</title><body><ul class="menu">{links}</ul>
<section class="prose"><h2>{page.title}</h2>{text}</section><p class="foot">Harbour Gazette</p>"""


def test_each_template_of_a_redesigned_site_has_its_own_title() -> None:
    pages, _ = load_site("harbour-gazette")
    old, new = pages[:7], [redesign(page) for page in pages[7:]]
    sample = [parse_page(it) for it in (*(page.source for page in old), *new)]
    wrappers = induce(sample, site="harbour-gazette")
    shown = [
        [
            [it.tag for it in wrapper.locate(tree, "title")]
            for tree in sample
            if wrapper.select(tree)
        ]
        for wrapper in wrappers
    ]
    assert shown == [[["h1"]] * 7, [["h2"]] * 4]
