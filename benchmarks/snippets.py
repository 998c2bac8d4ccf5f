"""Count the labelled snippets of wcxb that a text has, and those that it must not have.

`python -m benchmarks.snippets [METHOD…]` prints a row per method and kind of page: the share of
required snippets that are in the extracted text, and of forbidden ones that are absent. A second
measure beside F1: it doesn't depend on how much of a page the gold takes for content.

Snippets are compared as words. A forbidden one of less than `MIN_PHRASE` words, such as "Home",
counts only as a whole line: an article may use the word. Pages of the set are what the page model
was trained on, so its row is not comparable.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.bench_data import find_set
from forest_crawler.errors import EmptyPageError, InputError
from forest_crawler.evaluation.measures import split_words
from forest_crawler.evaluation.peers.registry import get_peer, is_peer_name
from forest_crawler.extraction.extraction import get_fallback
from forest_crawler.page.tree import parse_page

SET = "wcxb"
GOLD = "gold"  # the labelled text itself: the most that a method can reach
METHODS = (GOLD, "page", "trafilatura")
ALL = "all"

MIN_PHRASE = 4
"""Words from which a forbidden snippet counts wherever the text has it."""


@dataclass(frozen=True, slots=True)
class SnippetPage:
    """A page with the snippets that its text must have, and those that it must not."""

    kind: str
    url: str | None
    html: str
    gold: str
    required: tuple[str, ...]
    forbidden: tuple[str, ...]


@dataclass(slots=True)
class Count:
    """Snippets of some pages, and those that a method treats as it should."""

    required: int = 0
    kept: int = 0
    forbidden: int = 0
    absent: int = 0

    def add(self, page: SnippetPage, text: str) -> None:
        """Count the snippets of a page, given what was extracted."""
        lines = [_words(line) for line in text.splitlines()]
        words = _words(text)
        self.required += len(page.required)
        self.kept += sum(_words(snippet) in words for snippet in page.required)
        self.forbidden += len(page.forbidden)
        self.absent += sum(not _is_shown(_words(it), words, lines) for it in page.forbidden)


def main(methods: Sequence[str]) -> None:
    """Print a table."""
    path = find_set(SET)
    if path is None:
        return
    pages = list(read_snippets(path))
    print("| | pages | required, kept | forbidden, absent |\n|---|---|---|---|")
    for name in methods or METHODS:
        for kind, (size, count) in count_snippets(pages, _get_method(name)).items():
            kept, absent = count.kept / count.required, count.absent / count.forbidden
            print(f"| {name}, {kind} | {size} | {kept:.1%} | {absent:.1%} |", flush=True)


def read_snippets(path: Path) -> Iterator[SnippetPage]:
    """Read the pages of a set that has snippets (`must`, `mustnot`)."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            required, forbidden = (
                tuple(it for it in row.get(name) or () if _words(it).strip())
                for name in ("must", "mustnot")
            )
            yield SnippetPage(
                row["kind"], row.get("url"), row["html"], row["gold"] or "", required, forbidden
            )


def count_snippets(
    pages: Sequence[SnippetPage], extract: Callable[[SnippetPage], str]
) -> dict[str, tuple[int, Count]]:
    """Count the snippets by kind of page: how many pages, and what became of theirs."""
    counts: dict[str, Count] = defaultdict(Count)
    sizes: dict[str, int] = defaultdict(int)
    for page in pages:
        text = extract(page)
        for kind in (ALL, page.kind):
            counts[kind].add(page, text)
            sizes[kind] += 1
    return {kind: (sizes[kind], count) for kind, count in counts.items()}


def _get_method(name: str) -> Callable[[SnippetPage], str]:
    if name == GOLD:
        return lambda page: page.gold
    if is_peer_name(name):
        peer = get_peer(name)
        return lambda page: _guarded(lambda: peer.extract_text(page.html, page.url))
    method = get_fallback(name)
    return lambda page: _guarded(lambda: method.extract(parse_page(page.html, url=page.url)).text)


def _guarded(extract: Callable[[], str]) -> str:
    """Return no text for a page that has none."""
    try:
        return extract()
    except (EmptyPageError, InputError):
        return ""


def _words(text: str) -> str:
    return f" {' '.join(split_words(text))} "


def _is_shown(snippet: str, words: str, lines: Sequence[str]) -> bool:
    if len(snippet.split()) >= MIN_PHRASE:
        return snippet in words
    return snippet in lines


if __name__ == "__main__":
    main(sys.argv[1:])
