"""Count the pages on which wrappers lose text, and the strip rules that may do it.

`python -m benchmarks.lost_text [--list] [SET…]` induces wrappers from two thirds of each site's
pages, applies them to the rest (the protocol `unseen`, sites with four pages or more), and prints a
row per set:

- `lost`: pages whose recall is more than 0.15 below that of the method `page` on the same page;
- `holes`: kept lines from whose inside text was removed, and how many of them lack words that the
  gold has;
- `inline`, `bare`: wrappers that strip a bare inline tag, or any bare tag.

`alone` is the wrapper's XPaths without any check by the page model: what other programs run.
With `--list` the pages and the rules follow.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.bench_data import find_set
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.lost_text import Hole, apply_rules, bare_tag, find_holes
from forest_crawler.evaluation.measures import bigram_score, split_words
from forest_crawler.evaluation.protocols import split_site
from forest_crawler.evaluation.sets import read_set, select_pages
from forest_crawler.evaluation.site_methods import WrappedSite, get_site_method
from forest_crawler.extraction.extraction import BY_WRAPPER, FALLBACK, extract
from forest_crawler.induction import DEFAULT_METHOD, SamplePage
from forest_crawler.page.selection import Selection
from forest_crawler.page.tree import INLINE_TAGS, parse_page
from forest_crawler.wrapper.wrapper import Wrapper

SETS = ("big9", "chaos", "dragnet", "l3s-gn1", "waddle")
MIN_PAGES = 4  # fewer leave a sample of one page in a fold
MAX_LOSS = 0.15
HEADER = (
    f"{'set':10} {'sites':>5} {'pages':>5} {'lost':>5} {'alone':>5} "
    f"{'holes':>5} {'gold':>5} {'alone':>5} {'gold':>5} {'wrappers':>8} {'inline':>6} {'bare':>5}"
)


@dataclass(frozen=True, slots=True)
class JudgedPage:
    """What a site's wrappers lose on a page: checked by the page model, and alone."""

    site: str
    id: str
    extractor: str | None
    recall: float
    recall_alone: float | None  # None if no wrapper matches
    page_recall: float
    holes: tuple[Hole, ...]
    holes_alone: tuple[Hole, ...]
    gold: str

    @property
    def is_lost(self) -> bool:
        """Whether the article lacks much that `page` finds."""
        return self.page_recall - self.recall > MAX_LOSS

    @property
    def is_lost_alone(self) -> bool:
        """Whether the wrapper alone lacks much that `page` finds."""
        return self.recall_alone is not None and self.page_recall - self.recall_alone > MAX_LOSS


def main(arguments: Sequence[str]) -> None:
    """Print the table, and with `--list` what it counts."""
    names = [name for name in arguments if name != "--list"] or SETS
    print(HEADER)
    for name in names:
        path = find_set(name)
        if path is None:
            continue
        pages: list[JudgedPage] = []
        wrappers: list[Wrapper] = []
        for site in _read_sites(str(path)):
            found = list(judge_site(site))
            pages += [page for fold, _ in found for page in fold]
            wrappers += [wrapper for _, induced in found for wrapper in induced]
        print(format_row(name, pages, wrappers), flush=True)
        if "--list" in arguments:
            print("\n".join(list_findings(pages, wrappers)), flush=True)


def judge_site(
    pages: Sequence[LabelledPage],
) -> Iterator[tuple[list[JudgedPage], tuple[Wrapper, ...]]]:
    """Induce wrappers from two thirds of the pages and judge the rest, three times."""
    method = get_site_method(DEFAULT_METHOD)
    opened = [(page, tree) for page in pages if (tree := _open(page)) is not None]
    for split in split_site(len(opened), "unseen"):
        fitted = method.fit([opened[i][1] for i in split.sample], pages[0].site)
        if not isinstance(fitted, WrappedSite):
            raise TypeError(f"{DEFAULT_METHOD} learns {type(fitted).__name__}, not wrappers")
        judged = [judge_page(*opened[i], fitted.wrappers) for i in split.targets]
        yield judged, fitted.wrappers


def judge_page(page: LabelledPage, sample: SamplePage, wrappers: Sequence[Wrapper]) -> JudgedPage:
    """Compare what the wrappers find on a page with the gold and with `page`."""
    gold = page.gold or ""
    found = extract(sample.tree, wrappers, FALLBACK)
    alone = apply_rules(found.wrapper, sample.tree) if found.wrapper else Selection(sample.tree)
    by_page = extract(sample.tree, [], FALLBACK)
    return JudgedPage(
        site=page.site,
        id=page.id,
        extractor=found.extractor,
        recall=_recall(gold, found.selection),
        recall_alone=_recall(gold, alone) if alone else None,
        page_recall=_recall(gold, by_page.selection),
        holes=tuple(find_holes(found.selection)) if found.extractor == BY_WRAPPER else (),
        holes_alone=tuple(find_holes(alone)),
        gold=" ".join(split_words(gold)),
    )


def format_row(name: str, pages: Sequence[JudgedPage], wrappers: Sequence[Wrapper]) -> str:
    """Format the row of a set."""
    holes = [(page.gold, hole) for page in pages for hole in page.holes]
    alone = [(page.gold, hole) for page in pages for hole in page.holes_alone]
    tags = [set(bare_tags(wrapper)) for wrapper in wrappers]
    return (
        f"{name:10} {len({page.site for page in pages}):5} {len(pages):5} "
        f"{sum(page.is_lost for page in pages):5} {sum(page.is_lost_alone for page in pages):5} "
        f"{len(holes):5} {sum(is_wanted(*it) for it in holes):5} "
        f"{len(alone):5} {sum(is_wanted(*it) for it in alone):5} "
        f"{len(wrappers):8} {sum(bool(it & INLINE_TAGS) for it in tags):6} "
        f"{sum(bool(it) for it in tags):5}"
    )


def list_findings(pages: Sequence[JudgedPage], wrappers: Sequence[Wrapper]) -> Iterator[str]:
    """Yield a line per page that loses text, per hole, and per bare strip rule."""
    for page in pages:
        if page.is_lost or page.is_lost_alone:
            alone = "none" if page.recall_alone is None else f"{page.recall_alone:.2f}"
            yield (
                f"  lost  {page.site} {page.id}: recall {page.recall:.2f} ({page.extractor}), "
                f"wrapper alone {alone}, page {page.page_recall:.2f}"
            )
        for kind, holes in (("hole ", page.holes), ("alone", page.holes_alone)):
            for hole in holes:
                mark = "gold" if is_wanted(page.gold, hole) else "    "
                before, removed, after = (
                    " ".join(text.split()) for text in (hole.before, hole.removed, hole.after)
                )
                line = f"…{before[-40:]} [{removed[:60]}] {after[:40]}…"
                yield f"  {kind} {mark} {page.site} {page.id}: {line}"
    for wrapper in wrappers:
        for rule in filter(bare_tag, wrapper.strip):
            kind = "inline" if bare_tag(rule) in INLINE_TAGS else "bare"
            yield f"  {kind:6} {wrapper.site}: {rule}"


def bare_tags(wrapper: Wrapper) -> list[str]:
    """Return the bare tags that a wrapper strips."""
    return [tag for rule in wrapper.strip if (tag := bare_tag(rule))]


def is_wanted(gold: str, hole: Hole) -> bool:
    """Return whether the gold, as words, has the words of a hole between those around it."""
    before, after = split_words(hole.before)[-1], split_words(hole.after)[0]
    return f" {before} {' '.join(split_words(hole.removed))} {after} " in f" {gold} "


def _recall(gold: str, found: Selection) -> float:
    return bigram_score(gold, found.text).recall


def _open(page: LabelledPage) -> SamplePage | None:
    try:
        return SamplePage(parse_page(page.source, url=page.url), page.entry)
    except EmptyPageError:
        return None


def _read_sites(path: str) -> Iterator[list[LabelledPage]]:
    groups: dict[str, list[LabelledPage]] = {}
    for page in select_pages(read_set(path), min_pages=MIN_PAGES).pages:
        groups.setdefault(page.site, []).append(page)
    yield from groups.values()


if __name__ == "__main__":
    main(sys.argv[1:])
