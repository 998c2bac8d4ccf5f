"""`Summary`: the scores of many pages in a few numbers.

Quartiles and percentiles interpolate between neighbours (the values span 0 to 100 %), as usual in a
box chart; the whiskers are the 9th and 91st percentile, as in the Forest paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from forest_crawler.errors import ForestError
from forest_crawler.evaluation.score import Score


@dataclass(frozen=True, slots=True)
class Summary:
    """Means of precision, recall and F1, and how F1 spreads."""

    count: int
    precision: float
    recall: float
    f1: float  # the mean of the pages' F1, not the F1 of the means
    deviation: float  # Gottron's estimated standard deviation of F1 (n - 1); 0 for one page
    percentile9: float
    quartile1: float
    median: float
    quartile3: float
    percentile91: float


def summarize(scores: Sequence[Score]) -> Summary:
    """Summarize the scores of one page or more.

    >>> summary = summarize([Score(1, 1, 1), Score(0, 0, 0)])
    >>> summary.f1, summary.quartile1, round(summary.deviation, 3)
    (0.5, 0.25, 0.707)
    """
    if not scores:
        raise ForestError("no scores to summarize: the set has no pages")
    ordered = sorted(score.f1 for score in scores)
    return Summary(
        count=len(scores),
        precision=fmean(score.precision for score in scores),
        recall=fmean(score.recall for score in scores),
        f1=fmean(ordered),
        deviation=stdev(ordered) if len(ordered) > 1 else 0.0,
        percentile9=percentile(ordered, 9),
        quartile1=percentile(ordered, 25),
        median=percentile(ordered, 50),
        quartile3=percentile(ordered, 75),
        percentile91=percentile(ordered, 91),
    )


def percentile(ordered: Sequence[float], percent: float) -> float:
    """Return the value below which that share of the values is, by interpolation.

    >>> percentile([1, 2, 3, 4], 50), percentile([10, 20], 25), percentile([7], 91)
    (2.5, 12.5, 7.0)
    """
    position = (len(ordered) - 1) * percent / 100
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)
