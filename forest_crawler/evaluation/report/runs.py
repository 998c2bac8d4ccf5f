"""Group, pick and name the runs of a result for the report's sections."""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler.evaluation.results import EvaluationResult, RunResult
from forest_crawler.evaluation.tables import ENTRY_MARK, SETTING_TITLES


def group_by_set(result: EvaluationResult) -> dict[str, list[RunResult]]:
    """Group runs by set, in order."""
    sets: dict[str, list[RunResult]] = {}
    for run in result.runs:
        sets.setdefault(run.set, []).append(run)
    return sets


def group_by_method(runs: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """Group runs by method and protocol (`name_method`), in order."""
    methods: dict[str, list[RunResult]] = {}
    for run in runs:
        methods.setdefault(name_method(run), []).append(run)
    return methods


def pick_main_runs(runs: Sequence[RunResult], measure: str) -> list[RunResult]:
    """Pick one run per method and protocol of a set, best first.

    A study runs a method with many settings; the best one is picked.
    """
    ranked = sorted(runs, key=lambda run: -run.summarize(measure).f1)
    return [group[0] for group in group_by_method(ranked).values()]


def name_method(run: RunResult) -> str:
    """Name method and protocol; page-level methods have only one protocol.

    >>> name_method(RunResult("news", "forest", "unseen", ()))
    'forest, unseen'
    """
    method = run.method + (ENTRY_MARK if run.entry_from_metadata else "")
    return method if run.protocol == "page" else f"{method}, {run.protocol}"


def name_run(run: RunResult) -> str:
    """Name method, protocol, and a study's setting.

    >>> name_run(RunResult("news", "forest", "unseen", (), setting={"pages": 3}))
    'forest, unseen, sample pages 3'
    """
    return ", ".join([name_method(run), *name_setting(run)])


def name_setting(run: RunResult) -> list[str]:
    """Name what a study fixes."""
    return [
        f"{SETTING_TITLES.get(name, name)} {name_value(value)}"
        for name, value in run.setting.items()
    ]


def name_value(value: str | int) -> str:
    """Write a value of a setting as the paper does.

    >>> name_value(3), name_value("JU")
    ('3', 'J × U')
    """
    return "J × U" if value == "JU" else str(value)
