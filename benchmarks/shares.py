"""Show which stage of an article, an unknown page and an induction takes which share of its time.

`python -m benchmarks.shares [SET …] --step N` interrupts the work after every few milliseconds of
CPU time and notes the innermost stage on the stack, so that nothing is slowed down unevenly, as a
profiler that counts calls would do. Prints a table with a column per set.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from benchmarks.bench_data import encode, find_set
from forest_crawler import ArticleSource, Wrapper, extract, induce, make_article, parse_page
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.extraction.methods.page import PageModelExtractor

SETS = ("big9", "chaos", "waddle")
MIN_PAGES, MAX_PAGES = 2, 10
INTERVAL = 0.002  # seconds of CPU time between two samples
RUNS = 20
REST = "the rest"

Source = tuple[bytes, str | None]

ARTICLE_STAGES = {
    "page.tree.parse_page": "tree",
    "page.outline.number_elements": "elements and text leaves, numbered",
    "page.outline.Outline.positions": "elements and text leaves, numbered",
    "wrapper.wrapper.Wrapper.select": "the wrapper's nodes",
    "wrapper.wrapper.Wrapper.locate": "the wrapper's fields",
    "metadata.page_metadata.read_metadata": "metadata",
    "metadata.bylines.read_bylines": "bylines",
    "metadata.datelines.read_dateline": "dates that no metadata states",
    "metadata.date_search.guess_date": "dates that no metadata states",
    "article.fields.choose_fields": "other fields",
    "article.content.forms.read_parts": "blocks of the content",
    "article.content.headline.find_headline": "blocks of the content",
    "article.content.lead_picture.add_lead_picture": "pictures beside the text",
    "page.pictures.PicturesBeside.elements": "pictures beside the text",
    "page.pictures.PicturesBeside.has_pictures": "pictures beside the text",
    "article.content.forms.write_blocks": "text, HTML and Markdown",
    "article.article._find_language": "language and keywords",
    "text.terms.detect_language": "language and keywords",
    "article.keywords.find_keywords": "language and keywords",
    "article.article.Article.line": "the line of JSON",
}
"""Functions, without the package's name, and the stages that they are."""

PAGE_STAGES = {
    "page.tree.parse_page": "tree",
    "page.outline.number_elements": "elements and text leaves, numbered",
    "page_model.vocabulary.read_markup": "names of elements",
    "page_model.division.divide_blocks": "blocks",
    "page_model.layout.measure_layout": "layout",
    "metadata.statement.read_statement": "what the page states",
    "page_model.features.compute_features": "features",
    "page_model.model.score_features": "trees",
    "page_model.choice.choose_blocks": "choice",
    "page.selection.select_leaves": "selection and its text",
    "page.selection.Selection.text": "selection and its text",
}

INDUCTION_STAGES = {
    "page.tree.parse_page": "tree",
    "page.outline.number_elements": "elements and text leaves, numbered",
    "page.leaf_tokens.tokenize_siblings": "tokens, language, signifiers",
    "induction.sample.sample_analyzer": "tokens, language, signifiers",
    "induction.forest.ForestMethod._find_signifiers": "tokens, language, signifiers",
    "metadata.page_metadata.read_metadata": "metadata",
    "wrapper.element_names.PageNames.__init__": "names of elements",
    "induction.page_scores.score_sample": "page model",
    "induction.sibling_evidence.join_evidence": "sibling evidence",
    "wrapper.name_tree.NameTree.__init__": "merged tree of names",
    "induction.fitting.Fitter.find_candidates": "candidates for the body",
    "induction.fitting.Fitter._add_parts": "further parts",
    "induction.fitting.Fitter._find_strips": "strip rules",
    "induction.field_locators.FieldFinder.locate": "field locators",
    "induction.wrapper_writer.WrapperWriter.write": "repeated lines, the wrapper itself",
}


def main(words: Sequence[str]) -> None:
    """Print a table per kind of work."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.shares", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, metavar="SET")
    parser.add_argument("--step", type=int, default=6, help="take every Nth site")
    parser.add_argument("--runs", type=int, default=RUNS)
    arguments = parser.parse_args(words)
    sites = {name: _read_sites(name, arguments.step) for name in arguments.sets}
    kinds = (
        ("known site, whole article", make_articles(), ARTICLE_STAGES),
        ("unknown page", _extract_pages, PAGE_STAGES),
        ("induction", _induce_site, INDUCTION_STAGES),
    )
    for title, work, stages in kinds:
        columns = {name: measure(work, sites[name], stages, arguments.runs) for name in sites}
        print(f"\n{format_table(title, columns)}", flush=True)


def measure(
    work: Callable[[Sequence[Source]], object],
    sites: Sequence[Sequence[Source]],
    stages: Mapping[str, str],
    runs: int,
) -> dict[str, float]:
    """Return the share of each stage in the CPU time of some work, once all caches are warm."""
    for site in sites:
        work(site)
    gc.collect()
    gc.freeze()
    with sampling(stages) as counts:
        for _ in range(runs):
            for site in sites:
                work(site)
    return {stage: count / counts.total() for stage, count in counts.items()}


@contextmanager
def sampling(stages: Mapping[str, str]) -> Iterator[Counter[str]]:
    """Count the stages on which the processor is spent inside."""
    counts: Counter[str] = Counter()

    def note(_signal: int, frame: FrameType | None) -> None:
        counts[find_stage(frame, stages)] += 1

    before = signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    try:
        yield counts
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def find_stage(frame: FrameType | None, stages: Mapping[str, str]) -> str:
    """Return the stage of the innermost function that is one."""
    while frame is not None:
        module = str(frame.f_globals.get("__name__", "")).removeprefix("forest_crawler.")
        stage = stages.get(f"{module}.{frame.f_code.co_qualname}")
        if stage is not None:
            return stage
        frame = frame.f_back
    return REST


def format_table(title: str, columns: Mapping[str, Mapping[str, float]]) -> str:
    """Write the shares as a table, the largest of the first set on top."""
    first = next(iter(columns.values()))
    rows = sorted({stage for shares in columns.values() for stage in shares})
    rows.sort(key=lambda stage: -first.get(stage, 0.0))
    lines = [f"| {title} | {' | '.join(columns)} |", "|---" * (len(columns) + 1) + "|"]
    for stage in rows:
        cells = " | ".join(f"{shares.get(stage, 0.0):.0%}" for shares in columns.values())
        lines.append(f"| {stage} | {cells} |")
    return "\n".join(lines)


def _read_sites(name: str, step: int) -> list[list[Source]]:
    path = find_set(name)
    if path is None:
        raise SystemExit(2)
    sites: dict[str, list[Source]] = defaultdict(list)
    for page in read_pages(path):
        sites[page.site].append((encode(page.source)[0], page.url))
    return [pages[:MAX_PAGES] for pages in sites.values() if len(pages) >= MIN_PAGES][::step]


def make_articles() -> Callable[[Sequence[Source]], object]:
    """Return work that makes the articles of a site, whose wrappers are induced the first time."""
    known: dict[int, list[Wrapper]] = {}

    def work(site: Sequence[Source]) -> list[str]:
        if id(site) not in known:
            trees = [parse_page(source, url=url) for source, url in site]
            known[id(site)] = induce(trees, site="bench")
        return [_make_article(source, url, known[id(site)]) for source, url in site]

    return work


def _make_article(source: bytes, url: str | None, wrappers: Sequence[Wrapper]) -> str:
    tree = parse_page(source, url=url)
    return make_article(tree, extract(tree, wrappers), ArticleSource(url=url)).line()


def _extract_pages(site: Sequence[Source]) -> list[str]:
    trees = (parse_page(source, url=url) for source, url in site)
    return [PageModelExtractor().extract(tree).text for tree in trees]


def _induce_site(site: Sequence[Source]) -> object:
    return induce([parse_page(source, url=url) for source, url in site], site="bench")


if __name__ == "__main__":
    main(sys.argv[1:])
