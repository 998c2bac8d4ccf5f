"""Uses of the public API that a strict type checker accepts; `test_public_api.py` runs it."""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler import (
    Article,
    ArticleSource,
    Extraction,
    FeedEntry,
    PageMetadata,
    PageTree,
    SamplePage,
    Selection,
    Wrapper,
    dump_wrappers,
    extract,
    induce,
    load_wrappers,
    make_article,
    parse_page,
    read_feed,
    read_metadata,
)
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.extraction.methods.registry import register
from forest_crawler.fetching.addon import ForestAddon
from forest_crawler.pipelines.forest import ForestPipeline
from forest_crawler.pipelines.items import PageItem


def archive_pages(sources: Sequence[bytes]) -> list[Article]:
    trees: list[PageTree] = [parse_page(source, url="http://a.example/") for source in sources]
    wrappers: list[Wrapper] = load_wrappers(dump_wrappers(induce(trees, site="a.example")))
    found: list[Extraction] = [extract(tree, wrappers, fallback="page") for tree in trees]
    source = ArticleSource(url="http://a.example/", site="a.example")
    pairs = zip(trees, found, strict=True)
    return [make_article(tree, extraction, source) for tree, extraction in pairs]


def describe(tree: PageTree, feed: bytes) -> tuple[str, str | None, float]:
    metadata: PageMetadata = read_metadata(tree)
    entries: tuple[FeedEntry, ...] = tuple(read_feed(feed, url="http://a.example/feed").entries)
    sample = [SamplePage(tree, entry) for entry in entries]
    selection: Selection = induce(sample, method="forest-paper")[0].select(tree)
    line: str = archive_pages([feed])[0].line("newsplease", ["title"])
    score: float = bigram_score(selection.text, line).f1
    return selection.html, metadata.sitename, score


class FirstParagraph:
    def extract(self, tree: PageTree) -> Selection:
        return Selection(tree)


def set_up_project() -> tuple[PageItem, dict[str, dict[type, int]]]:
    register("first-paragraph", FirstParagraph())
    item = PageItem("http://a.example/", b"<p>", 200, "text/html", key="a.example/")
    return item, {"ADDONS": {ForestAddon: 300}, "ITEM_PIPELINES": {ForestPipeline: 300}}
