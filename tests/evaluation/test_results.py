"""Results summarize their pages, and are the same after JSON."""

from __future__ import annotations

import json
from statistics import quantiles

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import ForestError, InputError
from forest_crawler.evaluation.results import (
    EvaluationResult,
    Failure,
    PageResult,
    RunResult,
    load_result,
)
from forest_crawler.evaluation.score import ZERO, Score
from forest_crawler.evaluation.summary import percentile, summarize


def page(name: str, f1: float = 1.0, failure: Failure | None = None) -> PageResult:
    scores = {"bigrams": Score(f1, f1, f1)}
    return PageResult(name, "site", 2500, seconds=0.5, scores=scores, failure=failure)


def evaluation(*pages: PageResult) -> EvaluationResult:
    run = RunResult("set", "plain", "page", pages, setting={"pages": 3})
    return EvaluationResult("0.1", ("bigrams",), (run,))


def test_a_summary_has_the_numbers_computed_by_hand() -> None:
    scores = [Score(1, 0.5, 0.2), Score(0, 0.5, 0.4), Score(0.5, 0.5, 0.6), Score(0.5, 0.5, 0.8)]
    summary = summarize(scores)
    assert (summary.count, summary.precision, summary.recall) == (4, 0.5, 0.5)
    assert summary.f1 == pytest.approx(0.5)
    # squared distances 0.09 + 0.01 + 0.01 + 0.09 = 0.2; over n - 1 = 3
    assert summary.deviation == pytest.approx((0.2 / 3) ** 0.5)
    # positions 0.75, 1.5, 2.25 of 0..3; 0.27 and 2.73 for the whiskers
    quartiles = (summary.quartile1, summary.median, summary.quartile3)
    assert quartiles == pytest.approx((0.35, 0.5, 0.65))
    assert (summary.percentile9, summary.percentile91) == pytest.approx((0.254, 0.746))


def test_one_page_has_no_deviation() -> None:
    assert summarize([Score(1, 1, 1)]).deviation == 0


def test_no_pages_cannot_be_summarized() -> None:
    with pytest.raises(ForestError, match="no scores"):
        summarize([])


@given(st.lists(st.floats(0, 1), min_size=2))
def test_percentiles_agree_with_the_inclusive_quantiles_of_python(values: list[float]) -> None:
    ordered = sorted(values)
    ours = [percentile(ordered, percent) for percent in range(1, 100)]
    assert ours == pytest.approx(quantiles(ordered, n=100, method="inclusive"))


def test_seconds_per_kilobyte_are_all_seconds_over_all_kilobytes() -> None:
    # 0.5 s + 0.5 s over 2.5 kB + 2.5 kB
    run = evaluation(page("a"), page("b")).runs[0]
    assert run.seconds_per_kilobyte == pytest.approx(0.2)


def test_failures_are_counted_by_reason() -> None:
    pages = (page("a", 0, "crash"), page("b", 0, "crash"), page("c", 0, "no-wrapper"), page("d"))
    assert evaluation(*pages).runs[0].failures == {"crash": 2, "no-wrapper": 1}


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        pytest.param(("crash", "timeout"), True, id="every-page"),
        pytest.param(("crash", None), False, id="one-is-fine"),
        pytest.param(("crash", "no-wrapper"), False, id="one-has-no-wrapper"),
    ],
)
def test_a_method_broke_down_if_it_crashed_or_timed_out_on_every_page(
    failures: tuple[Failure | None, ...], expected: bool
) -> None:
    pages = [page(str(i), 0, failure) for i, failure in enumerate(failures)]
    assert evaluation(*pages).runs[0].broke_down is expected


def test_a_result_is_the_same_after_json() -> None:
    full = PageResult(
        id="ü",
        site="s",
        size=1,
        seconds=0.1,
        scores={"bigrams": ZERO},
        url="http://h.example/",
        kind="article",
        failure="timeout",
        detail="more than 1 s",
        entry="metadata",
        text="t",
        gold="g",
    )
    result = evaluation(full, page("b"))
    assert load_result(result.to_json()) == result


def test_the_json_includes_the_summary() -> None:
    (run,) = json.loads(evaluation(page("a", 0.5), page("b")).to_json())["runs"]
    assert run["summary"]["scores"]["bigrams"]["f1"] == 0.75
    assert run["summary"]["pages"] == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("{", "isn't a result of", id="no-json"),
        pytest.param("[]", "isn't a result of", id="no-object"),
        pytest.param('{"format": 99}', "has format 99, not 1", id="other-format"),
        pytest.param('{"format": 1}', "isn't a result of", id="missing-fields"),
    ],
)
def test_other_files_are_refused_with_their_path(text: str, message: str) -> None:
    with pytest.raises(InputError, match=rf"r\.json: {message}"):
        load_result(text, "r.json")
