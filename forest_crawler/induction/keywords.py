"""Keywords from outside a page's text: what others, and its own head, say it is about.

The paper's sections 1 and 5 take keywords from anywhere: the feed entry that led to the page, its
metadata, the texts of links to it, and the user.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Literal
from urllib.parse import urldefrag, urljoin

from forest_crawler.induction.sample import SamplePage
from forest_crawler.metadata.page_metadata import PageMetadata
from forest_crawler.text.terms import Analyzer

KeywordSource = Literal["entry", "metadata", "anchors", "user"]

MAX_ANCHOR_LENGTH = 200
"""Characters of a link's text that are read: longer ones are teasers, or the whole page."""


def known_terms(
    sample: Sequence[SamplePage],
    metadata: Sequence[PageMetadata],
    analyzer: Analyzer,
    sources: Sequence[KeywordSource],
) -> list[set[str]]:
    """Return, per page, the terms that the given sources say it is about."""
    anchors = _anchor_texts(sample) if "anchors" in sources else {}
    found = []
    for number, (page, said) in enumerate(zip(sample, metadata, strict=True)):
        texts: list[str] = []
        if "entry" in sources and page.entry is not None:
            texts += [page.entry.title, page.entry.description]
        if "metadata" in sources:
            texts += [*said.titles[:1], said.description or "", *said.tags]
        if "user" in sources:
            texts += page.keywords
        texts += anchors.get(number, [])
        found.append({term for text in texts for term in analyzer.terms(text)})
    return found


def _anchor_texts(sample: Sequence[SamplePage]) -> dict[int, list[str]]:
    """Return the texts of links on the sample's pages that lead to one of the others."""
    numbers = {page.tree.url: number for number, page in enumerate(sample) if page.tree.url}
    found: dict[int, list[str]] = defaultdict(list)
    for number, page in enumerate(sample):
        base = page.tree.url
        if base is None:
            continue
        for element in page.tree.body.iter("a"):
            target = numbers.get(_absolute(base, element.get("href")) or "")
            if target is not None and target != number:
                found[target].append("".join(map(str, element.itertext()))[:MAX_ANCHOR_LENGTH])
    return found


def _absolute(base: str, href: str | None) -> str | None:
    try:
        return urldefrag(urljoin(base, href))[0] if href else None
    except ValueError:
        return None
