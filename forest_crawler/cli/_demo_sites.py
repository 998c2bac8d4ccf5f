"""Gather what the demo's page shows of a site: a page, its articles, and the ranking.

The page is the one on which the wrapper marks most kinds of parts, so that every colour is seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from forest_crawler.cli._demo_results import SiteResult, write_rules
from forest_crawler.cli._paper_explanation import RANKED_SHOWN, type_xpath
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import MissingPackageError
from forest_crawler.evaluation.peers.registry import Peer, get_peer
from forest_crawler.extraction.extraction import FALLBACK, Extraction, extract
from forest_crawler.induction import Induction, SamplePage, explain_induction
from forest_crawler.induction.paper.ranking import RankedPattern
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.studio.demo import DemoSite, RankedRow, ShownPage, ShownText
from forest_crawler.studio.overlay import overlay_tree
from forest_crawler.studio.overlay_marks import Mark, Marks, mark_selection, mark_wrapper
from forest_crawler.studio.site_ranking import rank_rows
from forest_crawler.wrapper.wrapper import Wrapper

PEER = "trafilatura"
"""The extractor that our articles are shown beside, if it is installed."""


def describe_site(result: SiteResult, method: str) -> DemoSite:
    """Return what the demo's page shows of a crawled site."""
    trees = {page.id: parse_page(page.source, url=page.url) for page in result.pages}
    shown = _choose_page(result, trees)
    used = shown[1].used if shown else None
    return DemoSite(
        name=result.name,
        articles=len(result.articles),
        f1=result.f1,
        fallback=result.fallback,
        body=result.body,
        strip=write_rules(wrapper.strip for wrapper in result.wrappers),
        page=_show_page(result, *shown, trees[shown[0].id]) if shown else None,
        ranking=_rank(result, trees, method, used),
    )


def find_peer() -> Peer | None:
    """Return the other extractor; `None` if it isn't installed."""
    peer = get_peer(PEER)
    try:
        peer.version()
    except MissingPackageError:
        return None
    return peer


def _choose_page(
    result: SiteResult, trees: Mapping[str, PageTree]
) -> tuple[LabelledPage, Extraction] | None:
    """Choose the page with most kinds of marks; of equal ones the first."""
    found = [
        (page, extract(trees[page.id], result.wrappers, FALLBACK))
        for page in result.pages
        if page.id in result.articles
    ]
    return max(found, key=lambda it: len(_kinds(_marks(it[1]))), default=None)


def _marks(found: Extraction) -> Marks:
    tree = found.selection.tree
    return mark_wrapper(tree, found.used) if found.used else mark_selection(found.selection)


def _kinds(marks: Marks) -> set[Mark]:
    return {mark for kinds in marks.elements.values() for mark in kinds}


def _show_page(
    result: SiteResult, page: LabelledPage, found: Extraction, tree: PageTree
) -> ShownPage:
    article = result.articles[page.id]
    signifiers: dict[str, float] = article["keywords"]
    language = found.used.language if found.used else None
    texts = [ShownText("The article", _article_document(article), result.score(page))]
    if peer := find_peer():
        text = peer.extract_text(_source(page, tree), page.url)
        name = f"{peer.name} {peer.version()}"
        shown = _text_document(text, signifiers, article["language"])
        texts.append(ShownText(name, shown, result.score(page, text)))
    document = overlay_tree(tree, _marks(found), tuple(signifiers), language=language)
    return ShownPage(page.id, document, signifiers, tuple(texts))


def _source(page: LabelledPage, tree: PageTree) -> str:
    source = page.source
    return source if isinstance(source, str) else source.decode(tree.encoding, "replace")


def _article_document(article: Mapping[str, Any]) -> str:
    """Write an article with the colours of the page's marks."""
    parts: dict[Mark, str] = {
        "forest-title": article["title"] or "",
        "forest-author": ", ".join(article["authors"]),
        "forest-date": (article["date_publish"] or "")[:10],
    }
    names: dict[Mark, str] = {"forest-title": "h1", "forest-author": "i", "forest-date": "time"}
    shown = {mark: text for mark, text in parts.items() if text}
    head = " &ensp;".join(
        f"<{names[it]}>{escape(text)}</{names[it]}>" for it, text in shown.items()
    )
    tree = parse_page(f"<div>{head}</div><div>{article['html']}</div>", url=article["url"])
    header = next(iter(tree.body)) if shown else ()
    marks = {element: (mark,) for element, mark in zip(header, shown, strict=True)}
    language = article["language"]
    return overlay_tree(tree, Marks(marks), tuple(article["keywords"]), language=language)


def _text_document(text: str, signifiers: Mapping[str, float], language: str | None) -> str:
    lines = [line for line in text.splitlines() if line.strip()] or ["(no text)"]
    tree = parse_page("".join(f"<p>{escape(line)}</p>" for line in lines))
    return overlay_tree(tree, keywords=tuple(signifiers), language=language)


def _rank(
    result: SiteResult, trees: Mapping[str, PageTree], method: str, used: Wrapper | None
) -> tuple[RankedRow, ...]:
    """Rank the candidates for the body of the wrapper that was used, over all pages."""
    sample = [SamplePage(trees[page.id], page.entry) for page in result.pages]
    induction = explain_induction(sample, site=result.name, method=method)
    if induction.ranked:
        return tuple(_paper_row(row, index == 0) for index, row in enumerate(_best(induction)))
    return rank_rows(induction, used)


def _best(induction: Induction) -> Sequence[RankedPattern]:
    return induction.ranked[:RANKED_SHOWN]


def _paper_row(row: RankedPattern, is_taken: bool) -> RankedRow:
    return RankedRow(
        pattern=type_xpath(row.pattern.type),
        is_taken=is_taken,
        pages=row.pages,
        level=row.pattern.level,
        j=sum(it.j for it in row.occurrences) / row.pages,
        u=sum(it.u for it in row.occurrences) / row.pages,
        relevance=row.relevance,
    )
