"""Features of a page as a whole, the same for all blocks, that show its kind.

Part of `features`. They come from names in the markup, the page's statement about itself, and its
records: a thread begins with the first record, an article comes before them.
"""

from __future__ import annotations

from forest_crawler.metadata.statement import Statement
from forest_crawler.page_model.layout import NOWHERE, Layout
from forest_crawler.page_model.records import Records, name_share
from forest_crawler.page_model.vocabulary import CONCEPTS


def describe_page(layout: Layout, statement: Statement, records: Records) -> list[float]:
    """Compute each trait of the page, in the order of `PAGE_COLUMNS`."""
    return _kind_traits(layout, statement) + _record_traits(layout, records)


def _kind_traits(layout: Layout, statement: Statement) -> list[float]:
    """Measure size, links, concepts and stated types of the page."""
    words = layout.blocks.words
    total = max(float(layout.sums.words[-1]), 1.0)
    longest = float(words.max(initial=0))
    links, text = layout.sums.linked[-1] / total, layout.sums.long[-1] / total
    found = [len(words), total, links, text, longest]
    shares, counts = (layout.concept_words / total).tolist(), layout.concept_counts.tolist()
    for number in _PAGE_CONCEPTS:
        found += (shares[number], counts[number])
    found += [_text_before(layout, concept) for concept in _LATE_CONCEPTS]
    found += [not statement.types.isdisjoint(types) for types in _STATED_KINDS.values()]
    return found


def _text_before(layout: Layout, concept: int) -> float:
    """Compute the share of running text before the first block with a concept, -1 without any."""
    under, text = layout.concepts[concept] < NOWHERE, layout.sums.long
    start = int(under.argmax()) if len(under) else 0
    return float(text[start] / max(text[-1], 1)) if len(under) and under[start] else -1.0


_PAGE_CONCEPTS = [
    number
    for number, concept in enumerate(CONCEPTS)
    if concept in "article comment post thread blog product card user p table code".split()
]
_LATE_CONCEPTS = [CONCEPTS.index("comment"), CONCEPTS.index("thread")]
_STATED_KINDS = {
    "article": frozenset("article newsarticle blogposting reportagenewsarticle og:article".split()),
    "product": frozenset("product productgroup og:product og:product.group".split()),
    "forum": frozenset("discussionforumposting qapage question".split()),
    "comment": frozenset("comment usercomments".split()),
    "listing": frozenset("collectionpage itemlist searchresultspage blog".split()),
}


def _record_traits(layout: Layout, records: Records) -> list[float]:
    """Measure the records' share of the page, the text around them, and their names."""
    text = layout.sums.long
    total, held = max(text[-1], 1), records.text
    if not len(held):
        return [-1.0] * len(_RECORD_COLUMNS)
    start, end = layout.first[records.elements[0]], layout.last[records.elements].max()
    return [
        len(held),
        records.total / total,
        held[0] / held.mean(),
        held.max() / records.total,
        text[start] / total,
        (text[-1] - text[end]) / total,
        name_share(layout, records, "comment"),
        name_share(layout, records, "post"),
    ]


_RECORD_COLUMNS = (
    "page records",
    "page text in records",
    "page first record",
    "page longest record",
    "page text before records",
    "page text after records",
    "page records called comment",
    "page records called post",
)
PAGE_COLUMNS = (
    *("page " + name for name in ("blocks", "words", "links", "text", "longest")),
    *(
        name
        for number in _PAGE_CONCEPTS
        for name in (f"page share in {CONCEPTS[number]}", f"page {CONCEPTS[number]}s")
    ),
    *(f"page text before {CONCEPTS[number]}" for number in _LATE_CONCEPTS),
    *("stated " + kind for kind in _STATED_KINDS),
    *_RECORD_COLUMNS,
)
