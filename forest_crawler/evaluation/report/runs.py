"""The runs of a result as the report's sections take them: by set, by name, one a method."""

from __future__ import annotations

from collections.abc import Sequence

from forest_crawler.evaluation.results import EvaluationResult, RunResult
from forest_crawler.evaluation.tables import ENTRY_MARK, SETTING_TITLES


def group_by_set(result: EvaluationResult) -> dict[str, list[RunResult]]:
    """The runs of each set, in their order."""
    sets: dict[str, list[RunResult]] = {}
    for run in result.runs:
        sets.setdefault(run.set, []).append(run)
    return sets


def group_by_method(runs: Sequence[RunResult]) -> dict[str, list[RunResult]]:
    """The runs of each method and protocol, by `name_method`, in their order."""
    methods: dict[str, list[RunResult]] = {}
    for run in runs:
        methods.setdefault(name_method(run), []).append(run)
    return methods


def pick_main_runs(runs: Sequence[RunResult], measure: str) -> list[RunResult]:
    """One run for every method and protocol of a set, best first.

    A study runs a method many times over; the setting in which it does best stands for it.
    """
    ranked = sorted(runs, key=lambda run: -run.summarize(measure).f1)
    return [group[0] for group in group_by_method(ranked).values()]


def name_method(run: RunResult) -> str:
    """Method and protocol; that of page-level methods goes without saying.

    >>> name_method(RunResult("news", "forest", "unseen", ()))
    'forest, unseen'
    """
    method = run.method + (ENTRY_MARK if run.entry_from_metadata else "")
    return method if run.protocol == "page" else f"{method}, {run.protocol}"


def name_run(run: RunResult) -> str:
    """Method, protocol, and what a study fixed.

    >>> name_run(RunResult("news", "forest", "unseen", (), setting={"pages": 3}))
    'forest, unseen, sample pages 3'
    """
    return ", ".join([name_method(run), *name_setting(run)])


def name_setting(run: RunResult) -> list[str]:
    """What a study fixed, in words."""
    return [
        f"{SETTING_TITLES.get(name, name)} {name_value(value)}"
        for name, value in run.setting.items()
    ]


def name_value(value: str | int) -> str:
    """A value of a setting as the paper writes it.

    >>> name_value(3), name_value("JU")
    ('3', 'J × U')
    """
    return "J × U" if value == "JU" else str(value)
