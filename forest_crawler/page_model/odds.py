"""Probabilities as log odds and back, for judging blocks together."""

from __future__ import annotations

import numpy as np

from forest_crawler.page_model.division import Floats


def log_odds(likely: Floats, least: float) -> Floats:
    """Return the log odds of probabilities, none of them nearer to 0 or 1 than `least`.

    >>> log_odds(np.array([0.5, 0.8, 1.0]), 0.2).round(3).tolist()
    [0.0, 1.386, 1.386]
    """
    bounded = np.clip(likely, least, 1 - least)
    odds: Floats = np.log(bounded / (1 - bounded))
    return odds


def probability(odds: Floats) -> Floats:
    """Return the probability of log odds: the inverse of `log_odds`."""
    likely: Floats = 1 / (1 + np.exp(-odds))
    return likely
