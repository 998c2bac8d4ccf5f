"""A site's sample pages → its wrappers: the Forest method, a line a stage.

`induce` is the library's main entry. The paper's variants and its Coverage baseline differ in
options only (`SITE_METHODS`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Literal

from forest_crawler.errors import SampleError, UnknownNameError
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.paper.dfs_form import dfs_form
from forest_crawler.induction.paper.patterns import exact_type, find_patterns, tolerant_type
from forest_crawler.induction.paper.ranking import RankedPattern, RankingOptions, rank_patterns
from forest_crawler.induction.significant_paths import (
    PageTerms,
    SignificantPage,
    locate_signifiers,
    page_terms,
)
from forest_crawler.induction.signifiers import (
    TOP_K,
    Signifiers,
    entry_signifiers,
    tfidf_signifiers,
)
from forest_crawler.induction.templates import TemplateOptions, induce_templates
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath_syntax import contains
from forest_crawler.text.terms import Analyzer, analyzer_for, detect_language
from forest_crawler.wrapper.wrapper import Wrapper

if TYPE_CHECKING:
    from forest_crawler.page_model.features import Features

MIN_PAGES = 2
"""With one page nothing repeats, and every term's idf is the same."""


@dataclass(frozen=True, slots=True)
class SamplePage:
    """One page of a site's sample, with the feed entry that led to it if there was one."""

    tree: PageTree
    entry: FeedEntry | None = None
    features: Features | None = None  # of its blocks, where they are computed already


@dataclass(frozen=True, slots=True)
class InductionOptions:
    """The variants of the method that the paper measures; the defaults are its tf-idf variant."""

    signifiers: Literal["tf-idf", "feeds"] = "tf-idf"
    k: int = TOP_K
    tolerant: bool = True
    ranking: RankingOptions = field(default_factory=RankingOptions)
    # Portable wrappers for each template, in place of the paper's one wrapper with dfs positions.
    templates: TemplateOptions | None = None


SITE_METHODS: dict[str, InductionOptions] = {
    "forest": InductionOptions(templates=TemplateOptions()),
    "forest-paper": InductionOptions(),
    "forest-paper-feeds": InductionOptions(signifiers="feeds"),
    "coverage": InductionOptions(ranking=RankingOptions(measure="coverage")),
}
DEFAULT_METHOD = "forest"


@dataclass(frozen=True, slots=True)
class Induction:
    """What induction found, and why: what `--explain` prints."""

    site: str
    pages: tuple[SignificantPage, ...]
    ranked: tuple[RankedPattern, ...]
    wrappers: tuple[Wrapper, ...]


def induce(
    pages: Sequence[SamplePage | PageTree],
    *,
    site: str = "site",
    method: str = DEFAULT_METHOD,
    options: InductionOptions | None = None,
) -> list[Wrapper]:
    """Induce a site's wrappers from two or more of its pages.

    Raises `SampleError` where there are too few pages. `options` changes single steps of the
    method, for measurements.
    """
    sample, options = _check(pages, site, method, options)
    if options.templates:
        return _induce_templates(sample, site, method, options.templates)
    return list(_follow_paper(sample, site, method, options).wrappers)


def explain_induction(
    pages: Sequence[SamplePage | PageTree],
    *,
    site: str = "site",
    method: str = DEFAULT_METHOD,
    options: InductionOptions | None = None,
) -> Induction:
    """Induce a site's wrappers and keep what led to them.

    The signifiers and ranked patterns are the paper's. `forest` fits its wrappers to more than
    these; they still tell where on the pages the keywords stand.
    """
    sample, options = _check(pages, site, method, options)
    found = _follow_paper(sample, site, method, options)
    if options.templates:
        wrappers = _induce_templates(sample, site, method, options.templates)
        found = replace(found, wrappers=tuple(wrappers))
    return found


def _check(
    pages: Sequence[SamplePage | PageTree],
    site: str,
    method: str,
    options: InductionOptions | None,
) -> tuple[list[SamplePage], InductionOptions]:
    if method not in SITE_METHODS:
        raise UnknownNameError("site method", method, list(SITE_METHODS))
    sample = [page if isinstance(page, SamplePage) else SamplePage(page) for page in pages]
    if len(sample) < MIN_PAGES:
        given = "1 page" if len(sample) == 1 else f"{len(sample)} pages"
        raise SampleError(f"{given} given, at least {MIN_PAGES} siblings needed", site)
    return sample, options or SITE_METHODS[method]


def _induce_templates(
    sample: Sequence[SamplePage], site: str, method: str, options: TemplateOptions
) -> list[Wrapper]:
    from forest_crawler.induction.page_scores import (
        score_sample,  # the page model, for this method alone
    )

    trees = [page.tree for page in sample]
    entries = [page.entry for page in sample]
    score = partial(score_sample, gathered=[page.features for page in sample])
    return induce_templates(
        trees, score, entries=entries, site=site, method=method, options=options
    )


def _follow_paper(
    sample: Sequence[SamplePage], site: str, method: str, options: InductionOptions
) -> Induction:
    """The Forest method as published, a line a stage."""
    analyzer = _analyzer(sample)
    terms = [page_terms(page.tree, analyzer) for page in sample]
    signifiers = _signifiers(sample, terms, analyzer, options)
    located = [locate_signifiers(*pair) for pair in zip(terms, signifiers, strict=True)]
    patterns = find_patterns(located, tolerant_type if options.tolerant else exact_type)
    ranked = rank_patterns(patterns, located, options.ranking)
    wrappers = [_generic_wrapper(r, located, site, method) for r in ranked[:1] if r.relevance > 0]
    return Induction(site, tuple(located), tuple(ranked), tuple(wrappers))


def _analyzer(sample: Sequence[SamplePage]) -> Analyzer:
    """The analyzer of the language that most of the sample's pages are in."""
    languages = Counter(
        detect_language(_beginning(page.tree), page.tree.language) for page in sample
    )
    return analyzer_for(max(sorted(languages), key=lambda language: languages[language]))


def _beginning(tree: PageTree) -> str:
    return "" if tree.language else " ".join(tree.outline.leaf_texts)


def _signifiers(
    sample: Sequence[SamplePage],
    terms: Sequence[PageTerms],
    analyzer: Analyzer,
    options: InductionOptions,
) -> list[Signifiers]:
    by_tfidf = tfidf_signifiers([page.all for page in terms], options.k)
    if options.signifiers == "tf-idf":
        return by_tfidf
    # A page without entry falls back to tf-idf rather than dropping out of the sample.
    return [
        entry_signifiers(page.entry, analyzer, options.k) if page.entry else own
        for page, own in zip(sample, by_tfidf, strict=True)
    ]


def _generic_wrapper(
    ranked: RankedPattern, pages: Sequence[SignificantPage], site: str, method: str
) -> Wrapper:
    """The XPath of the pattern's element type, completed with the dfs positions seen."""
    element_type = ranked.pattern.type
    tests = [_attribute_test(name, ranked, pages) for name, _ in element_type.attributes]
    positions = [rated.place.dfs for rated in ranked.occurrences]
    xpath = dfs_form(element_type.tag, tests, positions)
    return Wrapper(
        site=site,
        method=method,
        form="dfs",
        body=(xpath,),
        support=ranked.pages,
        pages=len(pages),
        relevance=ranked.relevance,
    )


def _attribute_test(name: str, ranked: RankedPattern, pages: Sequence[SignificantPage]) -> str:
    """Test for an attribute's tolerant value; digits are taken out only where the pages have some.

    `post-` is contained in `post-4711`, but `--x` is not contained in `-4711-x`.
    """
    value = dict(ranked.pattern.type.attributes)[name]
    elements = (
        pages[rated.place.page].terms.tree.outline.elements[rated.place.dfs - 1]
        for rated in ranked.occurrences
    )
    # Not `get`: it would take a name `{x}y`, as templates leave them, for one in namespace x.
    raw = (dict(element.attrib.items())[name] for element in elements)
    return contains(name, value, without_digits=any(value not in r for r in raw))
