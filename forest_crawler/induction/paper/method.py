"""`PaperMethod`: FOREST as published, a line per stage, with the variants that it measures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from forest_crawler.induction.method import Induction
from forest_crawler.induction.paper.dfs_form import dfs_form
from forest_crawler.induction.paper.filters import (
    COPY_TERMS,
    Filter,
    ignore_anchors,
    ignore_comments,
    ignore_copies,
)
from forest_crawler.induction.paper.patterns import exact_type, find_patterns, tolerant_type
from forest_crawler.induction.paper.ranking import RankedPattern, RankingOptions, rank_patterns
from forest_crawler.induction.sample import SamplePage, sample_analyzer
from forest_crawler.induction.significant_paths import (
    PageTerms,
    SignificantPage,
    locate_signifiers,
    sample_terms,
)
from forest_crawler.induction.signifiers import (
    TOP_K,
    Signifiers,
    entry_signifiers,
    tfidf_signifiers,
)
from forest_crawler.page.xpath_syntax import contains
from forest_crawler.text.terms import Analyzer
from forest_crawler.wrapper.wrapper import Wrapper


@dataclass(frozen=True, slots=True)
class PaperMethod:
    """One generic wrapper with dfs positions; the defaults are the paper's tf-idf variant.

    In the feeds variant, signifiers do not count in leaves that repeat the entry, unless
    `count_copies`. The paper says nothing about them; with them the headline or the lead wins.
    """

    signifiers: Literal["tf-idf", "feeds"] = "tf-idf"
    k: int = TOP_K
    count_copies: bool = False
    filters: tuple[Filter, ...] = ()
    tolerant: bool = True
    ranking: RankingOptions = field(default_factory=RankingOptions)
    fallback: str | None = None

    @property
    def needs_entry(self) -> bool:
        """Whether signifiers come from feed entries."""
        return self.signifiers == "feeds"

    def run(self, sample: Sequence[SamplePage], site: str, name: str) -> Induction:
        """Derive the generic wrapper of a site."""
        analyzer = sample_analyzer(sample)
        terms = sample_terms([page.tree for page in sample], analyzer)
        signifiers = self._find_signifiers(sample, terms, analyzer)
        located = [locate_signifiers(*pair) for pair in zip(terms, signifiers, strict=True)]
        located = self._filter(located, sample, analyzer)
        patterns = find_patterns(located, tolerant_type if self.tolerant else exact_type)
        ranked = rank_patterns(patterns, located, self.ranking)
        best = [pattern for pattern in ranked[:1] if pattern.relevance > 0]
        wrappers = [_generic_wrapper(pattern, located, site, name) for pattern in best]
        return Induction(site, tuple(located), tuple(wrappers), ranked=tuple(ranked))

    def _find_signifiers(
        self, sample: Sequence[SamplePage], terms: Sequence[PageTerms], analyzer: Analyzer
    ) -> list[Signifiers]:
        by_tfidf = tfidf_signifiers([page.all for page in terms], self.k)
        if self.signifiers == "tf-idf":
            return by_tfidf
        # A page without entry falls back to tf-idf rather than dropping out of the sample.
        return [
            entry_signifiers(page.entry, analyzer, self.k) if page.entry else own
            for page, own in zip(sample, by_tfidf, strict=True)
        ]

    def _filter(
        self, located: Sequence[SignificantPage], sample: Sequence[SamplePage], analyzer: Analyzer
    ) -> list[SignificantPage]:
        if "anchors" in self.filters:
            located = [ignore_anchors(page) for page in located]
        if "comments" in self.filters:
            located = [ignore_comments(page) for page in located]
        if self.signifiers == "tf-idf" or self.count_copies:
            return list(located)
        return [
            ignore_copies(found, entry_signifiers(page.entry, analyzer, COPY_TERMS).weights)
            if page.entry
            else found
            for found, page in zip(located, sample, strict=True)
        ]


def _generic_wrapper(
    ranked: RankedPattern, pages: Sequence[SignificantPage], site: str, method: str
) -> Wrapper:
    """Write the XPath of the pattern's element type, completed with the dfs positions seen."""
    element_type = ranked.pattern.type
    tests = [_attribute_test(name, ranked, pages) for name, _ in element_type.attributes]
    positions = [rated.occurrence.dfs for rated in ranked.occurrences]
    return Wrapper(
        site=site,
        method=method,
        form="dfs",
        body=(dfs_form(element_type.tag, tests, positions),),
        support=ranked.pages,
        pages=len(pages),
        relevance=ranked.relevance,
    )


def _attribute_test(name: str, ranked: RankedPattern, pages: Sequence[SignificantPage]) -> str:
    """Test an attribute's tolerant value; remove digits only where the pages have some.

    `post-` is contained in `post-4711`, but `--x` is not contained in `-4711-x`.
    """
    value = dict(ranked.pattern.type.attributes)[name]
    elements = (
        pages[rated.occurrence.page].terms.tree.outline.elements[rated.occurrence.dfs - 1]
        for rated in ranked.occurrences
    )
    # Not `get`: it would read the name `{x}y`, as templates leave them, as one in namespace x.
    raw = (dict(element.attrib.items())[name] for element in elements)
    return contains(name, value, without_digits=any(value not in r for r in raw))
