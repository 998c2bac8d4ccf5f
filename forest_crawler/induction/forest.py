"""`ForestMethod`: the default method, a line per stage.

The Forest ranker finds the patterns that are dense in each page's own keywords; sibling pages and
the page model say which of them is the article as a whole, what belongs to it, and what to strip.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from forest_crawler.induction.field_locators import FieldFinder
from forest_crawler.induction.keywords import KeywordSource, known_terms
from forest_crawler.induction.method import Induction
from forest_crawler.induction.sample import MIN_PAGES, SamplePage, sample_analyzer
from forest_crawler.induction.scored_page import LeafEvidence, ScoredPage
from forest_crawler.induction.sibling_evidence import (
    BlockScores,
    SiblingOptions,
    count_words,
    join_evidence,
)
from forest_crawler.induction.significant_paths import (
    SignificantPage,
    locate_signifiers,
    sample_terms,
)
from forest_crawler.induction.signifiers import DocumentFrequencies, weigh_sample
from forest_crawler.induction.site_constants import find_site_constants
from forest_crawler.induction.templates import TemplateOptions, find_templates
from forest_crawler.induction.wrapper_writer import WrapperWriter
from forest_crawler.metadata.page_metadata import PageMetadata, read_metadata
from forest_crawler.page.leaf_tokens import tokenize_siblings
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import best_threshold
from forest_crawler.text.terms import Analyzer
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.name_tree import NameTree
from forest_crawler.wrapper.site_names import SiteNames

K = 20
"""Signifiers per page by tf-idf: the paper's curve is flat above 5, and so is ours above 10."""

ScoreSample: TypeAlias = Callable[[Sequence[PageTree]], list[BlockScores]]
"""How likely each block of sibling pages is content, by each page alone."""


@dataclass(frozen=True, slots=True)
class ForestMethod:
    """Portable wrappers, one per template: ranked by keywords, refined by siblings."""

    k: int = K
    keywords: tuple[KeywordSource, ...] = ("entry", "user")
    siblings: SiblingOptions = field(default_factory=SiblingOptions)
    templates: TemplateOptions = field(default_factory=TemplateOptions)
    repeated_lines: bool = True  # whether a wrapper leaves lines out that repeat
    score: ScoreSample | None = None  # the page model if None
    fallback: str | None = "page"

    @property
    def needs_entry(self) -> bool:
        """Entries help, but are not needed."""
        return False

    def run(self, sample: Sequence[SamplePage], site: str, name: str) -> Induction:
        """Derive the wrappers of a site."""
        tokenize_siblings(page.tree for page in sample)
        metadata = [read_metadata(page.tree) for page in sample]
        site_names = SiteNames()
        names = [PageNames(page.tree.outline, site_names) for page in sample]
        analyzer = sample_analyzer(sample)
        significant, frequencies = self._find_signifiers(sample, metadata, analyzer)
        tree = NameTree(names, MIN_PAGES)
        evidence = self._judge_leaves(sample, names)
        pages = _score_pages(names, significant, evidence)
        templates = find_templates(pages, self.templates, tree)
        writer = WrapperWriter(
            site,
            name,
            constants=find_site_constants(metadata),
            language=analyzer.language,
            frequencies=frequencies,
            pages=dict(zip(pages, significant, strict=True)),
            names=tree,
            drops_lines=self.repeated_lines,
        )
        finder = FieldFinder(names, metadata, [page.entry for page in sample], tree)
        shared = finder.locate()
        numbers = {page: number for number, page in enumerate(pages)}
        wrappers = [
            writer.write(it, finder.relocate(shared, {numbers[page] for page in it.pages}))
            for it in templates
        ]
        fits = tuple(template.fit for template in templates)
        return Induction(site, tuple(significant), tuple(wrappers), fits)

    def _find_signifiers(
        self, sample: Sequence[SamplePage], metadata: Sequence[PageMetadata], analyzer: Analyzer
    ) -> tuple[list[SignificantPage], DocumentFrequencies]:
        terms = sample_terms([page.tree for page in sample], analyzer)
        known = known_terms(sample, metadata, analyzer, self.keywords)
        signifiers, frequencies = weigh_sample([page.all for page in terms], self.k, known)
        located = [locate_signifiers(*pair) for pair in zip(terms, signifiers, strict=True)]
        return located, frequencies

    def _judge_leaves(
        self, sample: Sequence[SamplePage], names: Sequence[PageNames]
    ) -> list[LeafEvidence]:
        """Judge how likely each text leaf is content, by the page model and the siblings."""
        scores = self._score(sample)
        judged = join_evidence(scores, names, self.siblings)
        return [
            LeafEvidence(
                page.per_leaf(blocks.content),
                page.per_leaf(blocks.repeated),
                page.bounds,
                page.per_leaf(page.content > best_threshold(page.content, blocks.words)),
                page.per_leaf(page.content),
            )
            for page, blocks in zip(scores, judged, strict=True)
        ]

    def _score(self, sample: Sequence[SamplePage]) -> list[BlockScores]:
        trees = [page.tree for page in sample]
        if self.score is not None:
            return self.score(trees)
        from forest_crawler.induction.page_scores import score_sample  # loads the page model

        return score_sample(trees, gathered=[page.features for page in sample])


def _score_pages(
    names: Sequence[PageNames],
    significant: Sequence[SignificantPage],
    evidence: Sequence[LeafEvidence],
) -> list[ScoredPage]:
    return [
        ScoredPage(
            page_names,
            count_words(page.terms.tree),
            values,
            page.hits,
            [len(leaf) for leaf in page.terms.leaves],
        )
        for page_names, page, values in zip(names, significant, evidence, strict=True)
    ]
