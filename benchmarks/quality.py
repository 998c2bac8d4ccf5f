"""Measure how well `quality` and a wrapper's `confidence` predict the real F1.

`python -m benchmarks.quality [SET…]` induces wrappers on two thirds of each site and extracts the
rest, as the protocol `unseen` does. It prints, for articles and for wrappers, the mean prediction
and the mean F1 in each tenth, and the expected calibration error: the mean difference of the two,
weighted by the number of articles. Nothing in a prediction is fitted to these sets.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from benchmarks.ablation import BASE, Site, as_gold, induce_known, read_sites
from benchmarks.bench_data import find_set
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.protocols import split_site
from forest_crawler.extraction.extraction import FALLBACK, extract

SETS = ("dragnet", "chaos", "waddle")
BINS = 10


class Prediction(NamedTuple):
    """A predicted F1, and the real one."""

    predicted: float
    f1: float


def main(names: Sequence[str]) -> None:
    """Print the curves of each set."""
    for name in names or SETS:
        path = find_set(name)
        if path is None:
            continue
        articles: list[Prediction] = []
        wrappers: list[Prediction] = []
        for site in read_sites(path):
            for found in _predict_site(site):
                articles += [row for row, _ in found]
                if confident := [(row.f1, known) for row, known in found if known]:
                    f1s, confidences = zip(*confident, strict=True)
                    wrappers.append(Prediction(fmean(confidences), fmean(f1s)))
        for what, rows in (("articles", articles), ("wrappers", wrappers)):
            print(f"{name}, {len(rows)} {what}: error {calibration_error(rows):.3f}")
            for line in _curve(rows):
                print(f"  {line}")


def calibration_error(rows: Sequence[Prediction]) -> float:
    """Compute the expected calibration error over tenths."""
    bins = [bin_rows for bin_rows in _bins(rows) if bin_rows]
    return sum(abs(_gap(bin_rows)) * len(bin_rows) for bin_rows in bins) / max(len(rows), 1)


def _predict_site(site: Site) -> Iterator[list[tuple[Prediction, float]]]:
    """Yield, per fold, each page's prediction and its wrapper's confidence (0 if none)."""
    for split in split_site(len(site.trees), "unseen"):
        wrappers = induce_known(site, split.sample, BASE)
        found = []
        for i in split.targets:
            tree = site.trees[i]
            extracted = extract(tree, wrappers, FALLBACK, always_check=True)
            text = as_gold(extracted.selection.text, site.golds[i], tree)
            row = Prediction(extracted.quality or 0.0, bigram_score(site.golds[i], text).f1)
            found.append((row, extracted.used.confidence if extracted.used else 0.0))
        yield found


def _bins(rows: Sequence[Prediction]) -> list[list[Prediction]]:
    bins: list[list[Prediction]] = [[] for _ in range(BINS)]
    for row in rows:
        bins[min(int(row.predicted * BINS), BINS - 1)].append(row)
    return bins


def _gap(rows: Sequence[Prediction]) -> float:
    return fmean(row.predicted - row.f1 for row in rows)


def _curve(rows: Sequence[Prediction]) -> Iterator[str]:
    for number, bin_rows in enumerate(_bins(rows)):
        if bin_rows:
            predicted, f1 = (fmean(column) for column in zip(*bin_rows, strict=True))
            start, size = f"{number / BINS:.1f}", f"n={len(bin_rows):4}"
            yield f"{start}  {size}  {predicted:.2f} predicted  {f1:.2f} F1"


if __name__ == "__main__":
    main(sys.argv[1:])
