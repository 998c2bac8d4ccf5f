"""Measure what each idea of `forest` gains, and the curve of each threshold.

`python -m benchmarks.ablation [SET…]` parses and scores a set's pages once. Then it induces and
applies wrappers with one option changed at a time, in-sample and unseen. The set `bundled` are the
bundled sites. The results are in `outputs/bench`; `python -m benchmarks.tables` writes them into
docs/explanation/evaluation.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.bench_data import find_set
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.captions import drop_captions, find_captions
from forest_crawler.evaluation.entries import entry_from_metadata
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.protocols import split_site
from forest_crawler.evaluation.results import Protocol
from forest_crawler.evaluation.sets import read_set, select_pages
from forest_crawler.evaluation.titles import join_title
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.extraction.methods.page import PageModelExtractor
from forest_crawler.extraction.methods.registry import register
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction import ForestMethod, SamplePage
from forest_crawler.induction.page_scores import score_sample
from forest_crawler.induction.sibling_evidence import BlockScores
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.wrapper.wrapper import Wrapper

BUNDLED = "bundled"
SETS = ("big9", "l3s-gn1", "dragnet", "chaos", "waddle", BUNDLED)
CURVE_SETS = ("big9", "chaos")  # old and new templates
PROTOCOLS: tuple[Protocol, ...] = ("in-sample", "unseen")
OUTPUTS = Path("outputs/bench")
BASE = ForestMethod()


def _templates(**changes: Any) -> ForestMethod:
    return replace(BASE, templates=replace(BASE.templates, **changes))


def _fitting(**changes: Any) -> ForestMethod:
    return _templates(fitting=replace(BASE.templates.fitting, **changes))


def _ranker(**changes: Any) -> ForestMethod:
    return _fitting(ranker=replace(BASE.templates.fitting.ranker, **changes))


def _siblings(**changes: Any) -> ForestMethod:
    return replace(BASE, siblings=replace(BASE.siblings, **changes))


IDEAS: dict[str, ForestMethod] = {
    "forest": BASE,
    "without: the ranker (all candidates)": _fitting(max_candidates=None),
    "the ranker alone chooses the body (N = 1)": _fitting(max_candidates=1),
    "N = 5": _fitting(max_candidates=5),
    "N = 10": _fitting(max_candidates=10),
    "N = 20": _fitting(max_candidates=20),
    "with keywords of feed entries, metadata and links": replace(
        BASE, keywords=("entry", "metadata", "anchors", "user")
    ),
    "without: repetition across siblings": _siblings(repetition=False),
    "without: same positions judged together": _siblings(positions=False),
    "without: repetition and positions": _siblings(repetition=False, positions=False),
    "without: further parts (title, lead, siblings)": _fitting(max_parts=0),
    "without: strip rules": _fitting(max_strips=0),
    "without: repeated lines left out": replace(BASE, repeated_lines=False),
    "without: several templates": _templates(max_templates=1),
    "without: a wrapper per layout": _templates(alike_from=0),
    "without: containers preferred to bare paragraphs": _fitting(
        bare_body_gain=0, bare_strip_gain=0
    ),
    "without: stable names preferred to short ones": _fitting(cost_weight=0),
}
WITH_ENTRIES = "with feed entries (of the bundled sites real ones, else made from metadata)"
WITHOUT_VETO = "without: the page model's veto for wrappers of few pages"
NO_VETO = "page, no veto"  # the same fallback; only the name `page` gives it a veto
register(NO_VETO, PageModelExtractor())
CURVES: dict[str, list[ForestMethod]] = {
    "sharpness": [_siblings(sharpness=value) for value in (2, 5, 8)],
    "unstripped_share": [_fitting(unstripped_share=value) for value in (0.4, 0.7, 1)],
    "bare_body_gain": [_fitting(bare_body_gain=value) for value in (0, 0.05, 0.1)],
    "loose_body_gain": [_fitting(loose_body_gain=value) for value in (0, 0.02, 0.1)],
    "part_gain": [_fitting(part_gain=value) for value in (0.0005, 0.002, 0.008)],
    "strip_gain": [_fitting(strip_gain=value) for value in (0.0001, 0.0005, 0.002)],
    "strip_purity": [_fitting(strip_purity=value) for value in (0.5, 0.6, 0.7, 0.8)],
    "kept_from": [_fitting(kept_from=value) for value in (0.3, 0.4, 0.5)],
    "fits_from": [_templates(fits_from=value) for value in (0.6, 0.75, 0.85)],
    "alike_from": [_templates(alike_from=value) for value in (0.2, 0.4, 0.6)],
    "split_cost": [_templates(split_cost=value) for value in (-0.01, 0.002, 0.01)],
    "min_support": [_templates(min_support=value) for value in (1, 2, 3)],
}


@dataclass(frozen=True, slots=True)
class Site:
    """A site's pages, parsed and scored once for all variants."""

    name: str
    trees: list[PageTree]
    golds: list[str]
    empty: int  # pages without a tree: each scores 0
    entries: list[FeedEntry] = field(default_factory=list)  # one per page, or none
    known: dict[tuple[int, ...], list[BlockScores]] = field(default_factory=dict)

    def scores(self, sample: tuple[int, ...]) -> list[BlockScores]:
        """Score the blocks of the sample's pages."""
        if sample not in self.known:
            self.known[sample] = score_sample([self.trees[i] for i in sample])
        return self.known[sample]


def main(names: Sequence[str]) -> None:
    """Measure what the outputs lack: every idea on every set, then the curves."""
    OUTPUTS.mkdir(parents=True, exist_ok=True)
    for group, sets in (("ideas", names), ("curves", [n for n in names if n in CURVE_SETS])):
        for name in sets:
            file, path = OUTPUTS / f"ablation.{group}.{name}.json", find_pages(name)
            if path is None or file.is_file():
                continue
            sites = list(read_sites(path))
            rows: list[dict[str, Any]] = []
            known: dict[ForestMethod, dict[str, float]] = {}  # every curve has the present value
            for label, options in IDEAS.items() if group == "ideas" else curve_points():
                if options not in known:
                    known[options] = measure(sites, options)
                rows.append({"group": group, "label": label, "set": name} | known[options])
                print(rows[-1], flush=True)
            if group == "ideas":
                rows.append({"group": group, "label": WITHOUT_VETO, "set": name})
                rows[-1] |= measure(sites, BASE, NO_VETO)
                rows.append({"group": group, "label": WITH_ENTRIES, "set": name})
                rows[-1] |= measure(list(read_sites(path, with_entries=True)), BASE)
            file.write_text(json.dumps(rows), encoding="utf-8")


def curve_points() -> Iterator[tuple[str, ForestMethod]]:
    """Yield every value of every threshold, with its label."""
    for name, curve in CURVES.items():
        for options in curve:
            part = next(
                part
                for part in (options.templates, options.templates.fitting, options.siblings)
                if hasattr(part, name)
            )
            yield f"{name} {getattr(part, name):g}", options


def find_pages(name: str) -> Path | None:
    """Find the pages of a set, or of the bundled sites."""
    return bundled_sites()[0].parent if name == BUNDLED else find_set(name)


def read_sites(path: Path, *, with_entries: bool = False) -> Iterator[Site]:
    """Read a set's sites with two pages or more, perhaps with feed entries."""
    groups: dict[str, list[LabelledPage]] = {}
    for page in select_pages(read_set(str(path)), min_pages=2).pages:
        groups.setdefault(page.site, []).append(page)
    for name, pages in groups.items():
        parsed = [(page, tree) for page in pages if (tree := _parse(page)) is not None]
        yield Site(
            name,
            [tree for _, tree in parsed],
            [page.gold or "" for page, _ in parsed],
            len(pages) - len(parsed),
            [page.entry or entry_from_metadata(tree) for page, tree in parsed if with_entries],
        )


def _parse(page: LabelledPage) -> PageTree | None:
    try:
        return parse_page(page.source, url=page.url)
    except EmptyPageError:
        return None


def measure(
    sites: Sequence[Site], options: ForestMethod, fallback: str = FALLBACK
) -> dict[str, float]:
    """Compute the mean F1 of a variant, in-sample and unseen."""
    found = {
        protocol: [f1 for site in sites for f1 in _site_f1s(site, options, protocol, fallback)]
        for protocol in PROTOCOLS
    }
    return {protocol: fmean(f1s) for protocol, f1s in found.items()}


def _site_f1s(
    site: Site, options: ForestMethod, protocol: Protocol, fallback: str
) -> Iterator[float]:
    yield from [0.0] * site.empty
    for split in split_site(len(site.trees), protocol):
        wrappers = induce_known(site, split.sample, options)
        for i in split.targets:
            text = extract(site.trees[i], wrappers, fallback).selection.text
            yield bigram_score(site.golds[i], as_gold(text, site.golds[i], site.trees[i])).f1


def induce_known(site: Site, sample: tuple[int, ...], options: ForestMethod) -> tuple[Wrapper, ...]:
    """Induce wrappers from some of a site's pages, whose blocks are scored once."""
    if len(sample) < 2:
        return ()
    pages = [SamplePage(site.trees[i], site.entries[i] if site.entries else None) for i in sample]
    known = replace(options, score=_known(site.scores(sample)))
    return known.run(pages, site.name, "forest").wrappers


def as_gold(text: str, gold: str, tree: PageTree) -> str:
    """Treat title and captions as the gold does, as `forest evaluate` compares."""
    text = join_title(text, gold, read_metadata(tree).titles)
    return drop_captions(text, gold, find_captions(tree))


def _known(scores: list[BlockScores]) -> Callable[[Sequence[PageTree]], list[BlockScores]]:
    return lambda trees: scores


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
