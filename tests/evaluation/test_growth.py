"""The growth benchmark distinguishes linear from quadratic time."""

from __future__ import annotations

import gc
import importlib
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def growth(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import the module, which runs from the checkout and is never installed."""
    monkeypatch.syspath_prepend(Path(__file__).parents[2])
    return importlib.import_module("benchmarks.growth")


@pytest.mark.parametrize(
    ("times", "exponent"),
    [
        pytest.param([3, 6, 12, 24, 48], 1, id="linear"),
        pytest.param([0.5, 2, 8, 32, 128], 2, id="quadratic"),
        pytest.param([7, 7, 7, 7, 7], 0, id="constant"),
        # Slopes between neighbours: 2, 0, 2, 0; least squares weighs them 4, 6, 6, 4 of 20: 1.
        pytest.param([1, 4, 4, 16, 16], 1, id="steps"),
    ],
)
def test_the_exponent_is_the_slope_of_the_logarithms(
    growth: Any, times: list[float], exponent: float
) -> None:
    assert growth.growth_exponent(growth.SIZES, times) == pytest.approx(exponent)


def test_each_method_has_a_line(
    growth: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(growth, "PART", "<p>Few words</p>")
    monkeypatch.setattr(growth, "ROUNDS", 1)
    gc.freeze()  # each measurement collects garbage, and the tests have loaded many objects
    try:
        growth.main(["bte", "dsc", "description"])  # the last needs a feed entry: it is skipped
    finally:
        gc.unfreeze()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[1:6] == ["101", "201", "401", "801", "1601"]  # body included
    assert [line.split()[0] for line in lines[1:]] == ["parse_page", "bte", "dsc"]
