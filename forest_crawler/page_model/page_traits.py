"""Features of a page as a whole, the same for all blocks, that show its kind.

Part of `features`. They come from names in the markup, the page's statement about itself, and its
records: a thread begins with the first record, an article comes before them.
"""

from __future__ import annotations

from forest_crawler.metadata.statement import Statement
from forest_crawler.page_model.layout import NOWHERE, Layout
from forest_crawler.page_model.records import Records, name_share
from forest_crawler.page_model.vocabulary import CONCEPTS


def describe_page(layout: Layout, statement: Statement, records: Records) -> dict[str, float]:
    """Compute each trait of the page as a number."""
    return _kind_traits(layout, statement) | _record_traits(layout, records)


def _kind_traits(layout: Layout, statement: Statement) -> dict[str, float]:
    """Measure size, links, concepts and stated types of the page."""
    words = layout.blocks.words
    total = max(words.sum(), 1.0)
    found: dict[str, float] = {
        "page blocks": len(words),
        "page words": total,
        "page links": (words * layout.links).sum() / total,
        "page text": layout.long.sum() / total,
        "page longest": words.max(initial=0),
    }
    shares, counts = (layout.concept_words / total).tolist(), layout.concept_counts.tolist()
    for number, share, count in _PAGE_CONCEPTS:
        found[share], found[count] = shares[number], counts[number]
    text = layout.sums.long
    for concept in ("comment", "thread"):
        under = layout.concepts[CONCEPTS.index(concept)] < NOWHERE
        start = text[int(under.argmax())] / max(text[-1], 1) if under.any() else -1
        found[f"page text before {concept}"] = start
    for name, types in _STATED_KINDS.items():
        found[f"stated {name}"] = any(stated in types for stated in statement.types)
    return found


_PAGE_CONCEPTS = [
    (number, f"page share in {concept}", f"page {concept}s")
    for number, concept in enumerate(CONCEPTS)
    if concept in "article comment post thread blog product card user p table code".split()
]
_STATED_KINDS = {
    "article": "article newsarticle blogposting reportagenewsarticle og:article".split(),
    "product": "product productgroup og:product og:product.group".split(),
    "forum": "discussionforumposting qapage question".split(),
    "comment": "comment usercomments".split(),
    "listing": "collectionpage itemlist searchresultspage blog".split(),
}


def _record_traits(layout: Layout, records: Records) -> dict[str, float]:
    """Measure the records' share of the page, the text around them, and their names."""
    text = layout.sums.long
    total, held = max(text[-1], 1), records.text
    if not len(held):
        return dict.fromkeys((f"page {name}" for name in _RECORD_COLUMNS), -1)
    start, end = layout.first[records.elements[0]], layout.last[records.elements].max()
    values = (
        len(held),
        records.total / total,
        held[0] / held.mean(),
        held.max() / records.total,
        text[start] / total,
        (text[-1] - text[end]) / total,
        name_share(layout, records, "comment"),
        name_share(layout, records, "post"),
    )
    return {f"page {name}": value for name, value in zip(_RECORD_COLUMNS, values, strict=True)}


_RECORD_COLUMNS = (
    "records",
    "text in records",
    "first record",
    "longest record",
    "text before records",
    "text after records",
    "records called comment",
    "records called post",
)
