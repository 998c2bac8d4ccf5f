"""What a draft of a wrapper changes on the held pages: lines gained and lost, agreement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from typing import Any

from forest_crawler.errors import EmptyPageError, WrapperError
from forest_crawler.export.by_hand import BY_HAND, wrapper_by_hand
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.studio.overlay_marks import mark_wrapper
from forest_crawler.studio.pointing import (
    FIELD_ACTIONS,
    apply_clicks,
    read_click,
    read_rules,
    write_rules,
)
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.locators import read_xpath, write_css
from forest_crawler.wrapper.wrapper import Wrapper

MAX_SHOWN_LINES = 40
MAX_LINE_LENGTH = 300


@dataclass(frozen=True, slots=True)
class PageSource:
    """A held page as a job gets it."""

    key: str
    url: str
    source: bytes


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What the editor sends: rules to begin with, clicks on them, and the page that is shown.

    `typed` are XPaths by hand instead of `base`; they are the rules that clicks are added to.
    """

    site: str
    base: Wrapper | None
    typed: Wrapper | None
    clicks: tuple[Any, ...]  # as the script sends them: page, dfs, action
    shown: str  # the key of the page that is shown


@dataclass(frozen=True, slots=True)
class PageEffect:
    """What a draft changes on one page."""

    key: str
    url: str
    words: int  # that the draft selects
    agreement: float  # F1 of the words with those of the present wrapper
    gained: tuple[str, ...]
    lost: tuple[str, ...]


def preview_draft(pages: Sequence[PageSource], request: DraftRequest) -> dict[str, Any]:
    """Induce a draft from clicks; return its rules, marks and effects, ready for JSON."""
    pages, trees = parse_sources(pages)
    numbers = {page.key: number for number, page in enumerate(pages)}
    clicks = [read_click(row, numbers) for row in request.clicks]
    rules = apply_clicks(trees, read_rules(request.typed or request.base), clicks)
    fields = {name: _xpath(rules.fields.get(name)) for name in FIELD_ACTIONS}
    draft = Wrapper(
        request.site,
        BY_HAND,
        "portable",
        write_rules(rules.body),
        write_rules(rules.strip),
        **fields,  # type: ignore[arg-type]
    )
    effects = [
        compare_page(page, tree, request.base, draft)
        for page, tree in zip(pages, trees, strict=True)
    ]
    return {
        "rules": describe_rules(draft, trees),
        "notes": rules.notes,
        "marks": list_marks(trees[numbers[request.shown]], draft)
        if request.shown in numbers
        else {},
        "pages": [asdict(effect) for effect in effects],
        "agreement": _mean([effect.agreement for effect in effects]),
        "empty": sum(not effect.words for effect in effects),
    }


def describe_rules(wrapper: Wrapper, trees: Sequence[PageTree]) -> list[dict[str, Any]]:
    """Return a wrapper's rules as XPath and CSS, each with the pages that have it."""
    rows = [("body", it) for it in wrapper.body] + [("strip", it) for it in wrapper.strip]
    rows += [(it, path) for it in FIELD_ACTIONS if (path := getattr(wrapper, it))]
    return [
        {
            "role": role,
            "xpath": path,
            "css": write_css(read_xpath(path)),
            "pages": sum(_run(wrapper, path, tree) for tree in trees),
        }
        for role, path in rows
    ]


def count_rule_hits(
    pages: Sequence[PageSource], rules: Sequence[tuple[Wrapper, str]]
) -> tuple[list[int], int]:
    """Count for each rule the held pages that have it; return also how many pages there are."""
    _, trees = parse_sources(pages)
    return [sum(_run(it, path, tree) for tree in trees) for it, path in rules], len(trees)


def list_marks(tree: PageTree, wrapper: Wrapper) -> dict[str, list[int]]:
    """Return the dfs numbers of marked elements, by mark."""
    positions = tree.outline.positions
    found: dict[str, list[int]] = {}
    for element, marks in mark_wrapper(tree, wrapper).elements.items():
        for mark in marks:
            found.setdefault(mark, []).append(positions[element] + 1)
    return found


def compare_page(
    page: PageSource, tree: PageTree, present: Wrapper | None, draft: Wrapper
) -> PageEffect:
    """Compare what a draft selects with the present wrapper, or else with the page model."""
    old = present.select(tree) if present else extract(tree, [], FALLBACK).selection
    new = draft.select(tree) if draft.body else Selection(tree)
    before, after = [*old.lines()], [*new.lines()]
    return PageEffect(
        page.key,
        page.url,
        len(tokenize(new.text)),
        words_f1(old.text, new.text),
        _cut(Counter(after) - Counter(before), after),
        _cut(Counter(before) - Counter(after), before),
    )


def words_f1(text: str, other: str) -> float:
    """Return the F1 of two texts' words, counted as often as they occur.

    >>> words_f1("a b c d", "a b"), words_f1("", "")
    (0.6666666666666666, 1.0)
    """
    words, others = Counter(tokenize(text)), Counter(tokenize(other))
    size = words.total() + others.total()
    return 2 * (words & others).total() / size if size else 1.0


def check_draft(site: str, body: Sequence[str], strip: Sequence[str], **fields: str) -> Wrapper:
    """Make a wrapper of XPaths that a form has; raises `WrapperError` with the reason."""
    named = {name: text or None for name, text in fields.items()}
    draft = wrapper_by_hand(site, [*filter(None, body)], [*filter(None, strip)], named)
    if not draft.body:
        raise WrapperError("a wrapper needs a body; point at it, or write an XPath")
    return draft


def size_draft(pages: Sequence[PageSource], draft: Wrapper) -> Wrapper:
    """Add to a draft on how many held pages it was tried and on how many it selects text."""
    _, trees = parse_sources(pages)
    words = [len(tokenize(draft.select(tree).text)) for tree in trees]
    found = [number for number in words if number]
    if pages and not found:
        raise WrapperError("the body selects nothing on any held page; point at it")
    return replace(draft, support=len(found), pages=len(pages))


def parse_sources(pages: Sequence[PageSource]) -> tuple[list[PageSource], list[PageTree]]:
    """Parse pages; those without any element are left out."""
    found = [(page, tree) for page in pages if (tree := parse_source(page)) is not None]
    return [page for page, _ in found], [tree for _, tree in found]


def parse_source(page: PageSource) -> PageTree | None:
    """Parse a page, once for all the requests of an editing person; `None` if it is empty."""
    return _parse(page.source, page.url)


@lru_cache(maxsize=40)
def _parse(source: bytes, url: str) -> PageTree | None:
    try:
        return parse_page(source, url=url)
    except EmptyPageError:
        return None


def _run(wrapper: Wrapper, path: str, tree: PageTree) -> bool:
    return bool(replace(wrapper, body=(path,), strip=()).select(tree))


def _xpath(locator: Any) -> str | None:
    return write_rules([locator])[0] if locator else None


def _cut(lines: Counter[str], order: Sequence[str]) -> tuple[str, ...]:
    left, found = Counter(lines), []
    for line in order:
        if left[line] > 0:
            left[line] -= 1
            found.append(line if len(line) <= MAX_LINE_LENGTH else line[:MAX_LINE_LENGTH] + "…")
    return tuple(found[:MAX_SHOWN_LINES])


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
