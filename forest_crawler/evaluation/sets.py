"""`PageSet`: labelled pages under one name, the input of an evaluation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import InputError


@dataclass(frozen=True, slots=True)
class PageSet:
    """Pages that all have a gold text."""

    name: str
    pages: tuple[LabelledPage, ...]


def read_set(path: str) -> PageSet:
    """Read a set; its name is that of the file or directory, without suffixes.

    Pages without gold are left out if the nodes of another page are labelled: TECO comes with
    unlabelled pages of the same site.
    """
    pages = tuple(read_pages(path))
    if any(page.gold_nodes is not None for page in pages):
        pages = tuple(page for page in pages if page.gold is not None)
    for page in pages:
        if page.gold is None:
            raise InputError(f"page {page.id!r} has no gold text", path)
    return PageSet(_set_name(path), pages)


def select_pages(
    pages: PageSet,
    *,
    min_pages: int = 1,
    kinds: Container[str | None] = (),
    only: Iterable[str] = (),
    without: Iterable[str] = (),
) -> PageSet:
    """Keep the pages of the given kinds and flags, and the sites with enough of them.

    Every flag of `only` must be true; none of `without` may be. A page that doesn't say counts as
    one without the flag.
    """
    wanted, unwanted = tuple(only), tuple(without)
    kept = [
        page
        for page in pages.pages
        if (not kinds or page.kind in kinds)
        and all(getattr(page, flag) for flag in wanted)
        and not any(getattr(page, flag) for flag in unwanted)
    ]
    counts = Counter(page.site for page in kept)
    kept = [page for page in kept if counts[page.site] >= min_pages]
    if not kept:
        raise InputError(
            "no page is left: none has that kind and those flags, on a site with enough pages",
            pages.name,
        )
    return replace(pages, pages=tuple(kept))


def make_names_unique(sets: Iterable[PageSet]) -> list[PageSet]:
    """Number sets of the same name: `news`, `news-2`."""
    seen: Counter[str] = Counter()
    named = []
    for pages in sets:
        seen[pages.name] += 1
        number = seen[pages.name]
        named.append(replace(pages, name=f"{pages.name}-{number}") if number > 1 else pages)
    return named


def _set_name(path: str) -> str:
    if path == "-":
        return "stdin"
    resolved = Path(path).resolve()
    return resolved.name if resolved.is_dir() else resolved.name.split(".")[0]
