"""Wrappers of today's templates: what they select, what they strip, and how they say it."""

from __future__ import annotations

import re
from statistics import fmean

import pytest
from lxml import etree

from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.evaluation.lost_text import apply_rules, bare_tag, find_holes
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.extraction.extraction import BY_WRAPPER, FALLBACK, Extraction, extract
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.page.xpath import ElementPath
from forest_crawler.wrapper.wrapper import FIELDS, Wrapper
from tests.support.modern_sites import (
    SHELL,
    SITES,
    ModernPage,
    body_text,
    cases,
    has_words,
    site_extractions,
    site_pages,
    site_trees,
    site_wrappers,
    sites_with,
)

TEXT_SITES = [site for site in SITES if site != SHELL]
BUILT_NAME = re.compile(r"[A-Z]\w+_\w+__\w{5}\b")
GOAL = 0.95
MAX_LOSS = 0.15  # of a page's F1, against the page model's
MAX_ERROR = 0.05  # of the expected F1, on the mean of a site


def selected_texts(expression: str, tree: PageTree) -> list[str]:
    """Return the texts of the elements that an XPath selects."""
    return [
        " ".join(map(str, element.itertext())) for element in ElementPath(expression)(tree.html)
    ]


def expressions(wrapper: Wrapper) -> list[str]:
    """Return all expressions of a wrapper."""
    fields = [getattr(wrapper, field) for field in FIELDS]
    return [*wrapper.body, *wrapper.strip, *filter(None, fields)]


@pytest.mark.parametrize("site", cases("wrapper-fits", TEXT_SITES))
def test_every_page_is_extracted_by_a_wrapper(site: str) -> None:
    by = {doc: found.extractor for doc, found in site_extractions(site).items()}
    assert by == dict.fromkeys(by, BY_WRAPPER)


@pytest.mark.parametrize("site", cases("container", TEXT_SITES))
def test_the_body_is_a_container_and_not_its_paragraphs(site: str) -> None:
    for page in site_pages(site):
        found = extract(site_trees(site)[page.doc], site_wrappers(site))  # without the page's veto
        tags = [node.tag for node in found.selection.nodes if isinstance(node, etree._Element)]
        single = [tag for tag in tags if tag in ("p", "li", "figure", "blockquote", "table")]
        assert len(single) <= 1, f"{page.doc}: {tags}"  # one may be the lead


@pytest.mark.parametrize("site", cases("bare-inline-strip", TEXT_SITES))
def test_no_bare_inline_tag_is_stripped(site: str) -> None:
    strips = [rule for wrapper in site_wrappers(site) for rule in wrapper.strip]
    assert [rule for rule in strips if bare_tag(rule) in INLINE_TAGS] == []


@pytest.mark.parametrize("site", cases("bare-block-strip", TEXT_SITES))
def test_a_bare_block_is_stripped_only_where_all_of_it_is_template(site: str) -> None:
    for wrapper in site_wrappers(site):
        for rule in filter(bare_tag, wrapper.strip):
            for page in site_pages(site):
                texts = selected_texts(rule, site_trees(site)[page.doc])
                blocks = [block["text"] for block in page.facts["blocks"]]
                eaten = [b for b in blocks if any(has_words(text, b) for text in texts)]
                assert eaten == [], f"{rule} on {page.doc}"


@pytest.mark.parametrize("site", cases("named-strip", TEXT_SITES))
def test_no_strip_rule_takes_text_of_an_article(site: str) -> None:
    for wrapper in site_wrappers(site):
        for rule in wrapper.strip:
            for page in site_pages(site):
                wanted = [b["text"] for b in page.facts["blocks"] if b["kind"] != "update"]
                for text in selected_texts(rule, site_trees(site)[page.doc]):
                    assert [b for b in wanted if has_words(text, b)] == [], f"{rule}, {page.doc}"


@pytest.mark.parametrize("site", cases("holes", TEXT_SITES))
def test_no_kept_sentence_has_a_hole(site: str) -> None:
    for page in site_pages(site):
        gold = "\n".join(block["text"] for block in page.facts["blocks"])
        found = site_extractions(site)[page.doc]
        alone = [apply_rules(found.wrapper, found.selection.tree)] if found.wrapper else []
        for selection in (found.selection, *alone):
            holes = find_holes(selection)
            assert [hole for hole in holes if has_words(gold, hole.removed)] == [], page.doc


@pytest.mark.parametrize("site", cases("wrapper-text", TEXT_SITES))
def test_a_wrapper_alone_selects_the_text(site: str) -> None:
    scores = []
    for page in site_pages(site):
        found = site_extractions(site)[page.doc]
        assert found.wrapper, page.doc
        text = body_text({"text": apply_rules(found.wrapper, found.selection.tree).text}, page)
        scores.append(bigram_score(page.labelled.gold or "", text).f1)
    assert fmean(scores) >= GOAL


def score(page: ModernPage, found: Extraction) -> float:
    """Return the F1 of an extraction's text, without headline and lead caption."""
    text = body_text({"text": found.selection.text}, page)
    return bigram_score(page.labelled.gold or "", text).f1


@pytest.mark.parametrize("site", cases("worse-than-page", TEXT_SITES))
def test_wrappers_are_not_worse_than_the_page_model(site: str) -> None:
    found, trees = site_extractions(site), site_trees(site)
    for page in site_pages(site):
        by_page = score(page, extract(trees[page.doc], [], FALLBACK))
        assert score(page, found[page.doc]) > by_page - MAX_LOSS, page.doc


@pytest.mark.parametrize("site", cases("quality", TEXT_SITES))
def test_quality_is_the_real_score(site: str) -> None:
    found = site_extractions(site)
    scores = [score(page, found[page.doc]) for page in site_pages(site)]
    qualities = [it.quality for it in found.values()]
    expected = fmean(quality if quality is not None else 0.0 for quality in qualities)
    assert abs(expected - fmean(scores)) <= MAX_ERROR


@pytest.mark.parametrize("site", cases("built-names", sites_with("built-class-names")))
def test_names_that_a_build_makes_are_not_spelled_out(site: str) -> None:
    found = [rule for wrapper in site_wrappers(site) for rule in expressions(wrapper)]
    assert [rule for rule in found if BUILT_NAME.search(rule)] == []


@pytest.mark.parametrize("site", cases("two-builds", sites_with("two-builds")))
def test_wrappers_of_one_build_fit_the_pages_of_the_next(site: str) -> None:
    pages = sorted(site_pages(site), key=lambda page: str(page.facts["date"]))
    older, newer = pages[: len(pages) // 2], pages[len(pages) // 2 :]
    wrappers = induce_site(site, [page.held for page in older]).wrappers
    found = {page.doc: extract(site_trees(site)[page.doc], wrappers, FALLBACK) for page in newer}
    assert {it.extractor for it in found.values()} == {BY_WRAPPER}
    assert fmean(score(page, found[page.doc]) for page in newer) >= GOAL
