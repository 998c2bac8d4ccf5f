"""The charts of the report draw what the result has."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.evaluation.report.scale import scale_counts, scale_shares, scale_times
from forest_crawler.evaluation.results import PageResult, RunResult
from forest_crawler.evaluation.score import Score
from tests.support.report_builders import make_page, make_run, report_of, shape_positions


def test_a_box_is_drawn_at_its_percentiles(tmp_path: Path) -> None:
    # F1 0, 0.01, …, 1: the 9th percentile is 0.09, the quartiles 0.25, 0.5, 0.75, the 91st 0.91.
    # The axis goes from 0 to 1.
    page = report_of(tmp_path, make_run("m", [i / 100 for i in range(101)]))
    section = page.get_element_by_id("set-news")
    assert shape_positions(section, "whisker", "x1") == ["9%", "9%", "91%"]
    assert shape_positions(section, "whisker", "x2") == ["91%", "9%", "91%"]
    assert shape_positions(section, "median", "x1") == ["50%"]
    # The first box is in the legend.
    assert shape_positions(section, "box", "x")[1:] == ["25%"]
    assert shape_positions(section, "box", "width")[1:] == ["50%"]
    assert shape_positions(section, "mean", "cx") == ["50%"]


def test_times_are_drawn_on_a_logarithmic_axis(tmp_path: Path) -> None:
    # 2 kB pages: 2 ms make 1 ms/kB, 200 ms make 100.
    runs = [make_run(f"m{ms}", [], pages=(make_page(1, seconds=ms / 1000),)) for ms in (200, 2, 20)]
    section = report_of(tmp_path, *runs).get_element_by_id("time")
    assert [cell.text for cell in section.find_class("label")] == ["m2", "m20", "m200"]
    assert [cell.text for cell in section.find_class("value")] == ["1.0", "10", "100"]
    assert shape_positions(section, "point", "cx") == ["0%", "50%", "100%"]


def test_the_time_of_a_method_is_over_all_sets(tmp_path: Path) -> None:
    # 10 ms for 2 kB and 30 ms for 6 kB + 10 ms for 2 kB: 50 ms for 10 kB.
    large = (make_page(1, seconds=0.03, size=6000), make_page(1))
    runs = [make_run("m", [1]), make_run("m", [], set="blogs", pages=large)]
    section = report_of(tmp_path, *runs).get_element_by_id("time")
    assert [cell.text for cell in section.find_class("value")] == ["5.0"]


def test_a_study_of_counts_is_a_curve_with_horizontal_lines_for_comparison(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        *(
            make_run("forest", [f1], "in-sample", setting={"pages": count})
            for count, f1 in ((1, 0.5), (5, 0.8), (10, 0.9))
        ),
        make_run("plain", [0.7]),
    )
    (plot,) = page.find_class("curves")
    # Axes: 0 to 10 pages; F1 0.5 to 0.9, so 0.8 is a quarter from the top, 0.7 a half.
    assert shape_positions(plot, "point", "cx") == ["10%", "50%", "100%"]
    assert shape_positions(plot, "point", "cy") == ["100%", "25%", "0%"]
    assert shape_positions(plot, "curve", "points") == ["100.0,1000.0 500.0,250.0 1000.0,0.0"]
    assert shape_positions(plot, "level", "y1") == ["50%"]


def test_a_study_of_choices_shows_precision_recall_and_f1_of_each(tmp_path: Path) -> None:
    def choice(measure: str, precision: float, recall: float, f1: float) -> RunResult:
        page = PageResult("p", "s", 1, 0.1, {"bigrams": Score(precision, recall, f1)})
        return make_run("forest", [], "unseen", pages=(page,), setting={"measure": measure})

    page = report_of(
        tmp_path,
        choice("J", 0.9, 0.5, 0.6),
        choice("U", 0.6, 0.8, 0.7),
        choice("JU", 0.8, 0.9, 0.85),
    )
    described = {
        title.text.partition(": ")[0]: title.text.partition(": ")[2]
        for title in page.iterfind(".//figure//title")
    }
    assert described == {
        "P · forest, unseen": "J 90.0, U 60.0, J × U 80.0",
        "R · forest, unseen": "J 50.0, U 80.0, J × U 90.0",
        "F1 · forest, unseen": "J 60.0, U 70.0, J × U 85.0",
    }


def test_a_studied_method_is_in_the_box_chart_once_with_its_best_setting(tmp_path: Path) -> None:
    runs = [make_run("f", [f1], "unseen", setting={"pages": n}) for n, f1 in ((2, 0.9), (3, 0.4))]
    section = report_of(tmp_path, *runs).get_element_by_id("set-news")
    assert [cell.text for cell in section.find_class("label")] == ["f, unseen, sample pages 2"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0, 1.0], (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ([0.48, 1.0], (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ([0.93, 0.95], (0.93, 0.94, 0.95)),
        ([0.5, 0.5], (0.5, 0.51)),
        ([1.0], (1.0, 1.01)),
    ],
    ids=str,
)
def test_an_axis_of_scores_is_as_narrow_as_the_scores_allow(
    values: list[float], ticks: tuple[float, ...]
) -> None:
    assert scale_shares(values).ticks == ticks


def test_axes_can_be_made_from_equal_values_or_zeros() -> None:
    assert scale_counts([0]).position(0) == 0
    assert scale_times([0.0]).position(0.0) == 0
    assert scale_times([1.0]).ticks == (1.0, 10.0)
