"""Scores of all methods on the labelled pages, by `forest evaluate` in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import dataclass
from pathlib import Path

from forest_crawler.errors import ForestError, InputError
from forest_crawler.evaluation.methods import method_names, resolve_method
from forest_crawler.evaluation.results import EvaluationResult, load_result
from forest_crawler.evaluation.scoring import DEFAULT_MEASURE

MAX_SECONDS = 900.0
MAX_WORST = 3
"""Pages per method that are named as its worst."""


@dataclass(frozen=True, slots=True)
class MethodScore:
    """The mean of a method over all labelled pages."""

    method: str
    protocol: str
    f1: float
    precision: float
    recall: float
    worst: tuple[tuple[str, float], ...]  # pages with their F1


class Scores:
    """The last results, and the process that makes the next ones."""

    def __init__(self) -> None:
        self.results: list[MethodScore] = []
        self.error: str | None = None
        self.task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether an evaluation is under way."""
        return self.task is not None and not self.task.done()

    def start(self, directory: Path) -> None:
        """Begin an evaluation unless one runs."""
        if not self.is_running:
            self.error = None
            self.task = asyncio.get_running_loop().create_task(self._run(directory))

    def stop(self) -> None:
        """End an evaluation."""
        if self.task is not None:
            self.task.cancel()

    async def _run(self, directory: Path) -> None:
        try:
            self.results = read_scores(await _evaluate(directory))
        except ForestError as err:
            self.error = str(err)


async def _evaluate(directory: Path) -> EvaluationResult:
    words = [sys.executable, "-m", "forest_crawler", "evaluate", "--data", str(directory)]
    words += [word for name in installed_methods() for word in ("--method", name)]
    words += ["--format", "json", "--jobs", "1"]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*words, stdout=pipe, stderr=pipe)
    try:
        output, errors = await asyncio.wait_for(process.communicate(), MAX_SECONDS)
    except TimeoutError as err:
        raise InputError(f"took more than {MAX_SECONDS:.0f} s", str(directory)) from err
    finally:
        if process.returncode is None:
            process.kill()
    if not output:
        lines = errors.decode("utf-8", "replace").strip().splitlines()
        raise InputError(lines[-1] if lines else "cannot be evaluated", str(directory))
    return load_result(output.decode())


def installed_methods() -> list[str]:
    """List the methods that can run here: peers need their packages."""
    return [name for name in method_names() if _is_installed(name)]


def _is_installed(name: str) -> bool:
    try:
        resolve_method(name)
    except (ForestError, ImportError):
        return False
    return True


def read_scores(result: EvaluationResult) -> list[MethodScore]:
    """Return the mean of each method, the best one first."""
    found = []
    for run in result.runs:
        scores = [(page.url or page.id, page.scores[DEFAULT_MEASURE]) for page in run.pages]
        size = len(scores)
        worst = sorted((score.f1, name) for name, score in scores)[:MAX_WORST]
        found.append(
            MethodScore(
                run.method,
                run.protocol,
                sum(score.f1 for _, score in scores) / size,
                sum(score.precision for _, score in scores) / size,
                sum(score.recall for _, score in scores) / size,
                tuple((name, f1) for f1, name in worst),
            )
        )
    return sorted(found, key=lambda it: (-it.f1, it.method))
