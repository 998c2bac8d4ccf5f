"""The calibration error, on predictions made by hand."""

from __future__ import annotations

import pytest

from benchmarks.quality import Prediction, calibration_error


def test_the_error_is_the_mean_gap_of_each_tenth() -> None:
    # 0.9 and 1.0 share a tenth: 0.95 predicted, 0.85 real. 0.25: 0.35 real. (2 · 0.1 + 0.1) / 3.
    rows = [Prediction(0.9, 0.9), Prediction(1.0, 0.8), Prediction(0.25, 0.35)]
    assert calibration_error(rows) == pytest.approx(0.1)


def test_gaps_within_a_tenth_cancel_out() -> None:
    assert calibration_error([Prediction(0.9, 1.0), Prediction(0.9, 0.8)]) == pytest.approx(0.0)


def test_no_predictions_have_no_error() -> None:
    assert calibration_error([]) == 0
