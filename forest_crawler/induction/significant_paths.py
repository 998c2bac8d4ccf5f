"""Find significant nodes and paths: where on a page its signifiers are.

Shared by `forest` and the paper's own method (section 3.2, Definition 1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forest_crawler.induction.signifiers import Signifiers
from forest_crawler.page.leaf_tokens import leaf_tokens
from forest_crawler.page.tree import PageTree
from forest_crawler.text.terms import Analyzer


@dataclass(frozen=True, slots=True)
class PageTerms:
    """A page's terms, leaf by leaf."""

    tree: PageTree
    leaves: Sequence[Sequence[str]]

    @property
    def all(self) -> list[str]:
        """All terms of the page, in order."""
        return [term for leaf in self.leaves for term in leaf]


@dataclass(frozen=True, slots=True)
class SignificantPage:
    """A page with the signifiers in each of its text leaves."""

    terms: PageTerms
    signifiers: Signifiers
    hits: Sequence[int]  # for each leaf, how many of its terms are signifiers

    @property
    def x(self) -> int:
        """Signifiers on the whole page (the paper's X)."""
        return sum(self.hits)

    @property
    def y(self) -> int:
        """Other terms on the whole page (the paper's Y)."""
        return sum(len(leaf) for leaf in self.terms.leaves) - self.x


def page_terms(tree: PageTree, analyzer: Analyzer) -> PageTerms:
    """Return the terms of every text leaf of a page."""
    return sample_terms([tree], analyzer)[0]


def sample_terms(trees: Iterable[PageTree], analyzer: Analyzer) -> list[PageTerms]:
    """Return the terms of every text leaf of sibling pages, made once for those they share."""
    known: dict[int, list[str]] = {}  # by identity of the tokens, which the trees keep
    found = []
    for tree in trees:
        leaves = []
        for tokens in leaf_tokens(tree):
            terms = known.get(id(tokens))
            if terms is None:
                terms = known[id(tokens)] = analyzer.terms_of(tokens)
            leaves.append(terms)
        found.append(PageTerms(tree, leaves))
    return found


def locate_signifiers(terms: PageTerms, signifiers: Signifiers) -> SignificantPage:
    """Count signifiers per leaf; leaves with any are the significant nodes."""
    is_signifier = frozenset(signifiers.weights).__contains__
    hits = [sum(map(is_signifier, leaf)) for leaf in terms.leaves]
    return SignificantPage(terms, signifiers, hits)


def significant_elements(page: SignificantPage) -> list[int]:
    """Return the outline indices of elements on significant paths (Definition 1)."""
    outline = page.terms.tree.outline
    on_path: set[int] = set()
    for leaf, count in enumerate(page.hits):
        index = outline.leaf_owners[leaf] if count else -1
        while index >= 0 and index not in on_path:
            on_path.add(index)
            index = outline.parents[index]
    return sorted(on_path)
