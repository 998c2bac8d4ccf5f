"""Run methods on sets of pages, in worker processes.

The unit of work is one site's pages with one method. If a worker dies, or is killed because a page
blocks it in C code, its unit is lost. If the pages are independent, they are then run one by one,
so that only the faulty page fails.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Final, TypeAlias

from pebble import ProcessFuture, ProcessPool

from forest_crawler.evaluation.limits import Attempt, describe_error
from forest_crawler.evaluation.methods import Method, PageMethod, resolve_method
from forest_crawler.evaluation.results import EvaluationResult, PageResult, Protocol, RunResult
from forest_crawler.evaluation.scoring import DEFAULT_MEASURE, check_measures
from forest_crawler.evaluation.sets import PageSet
from forest_crawler.evaluation.studies import Setting, get_study
from forest_crawler.evaluation.unit import Unit, broken_result, run_unit
from forest_crawler.evaluation.warmup import load_site_method

DEFAULT_PROTOCOL: Final[Protocol] = "in-sample"
"""That of the Forest paper."""

DEFAULT_TIMEOUT: Final = 30.0
"""Seconds per page: a hundred times what the slowest method takes on an ordinary one."""

GRACE: Final = 20.0
"""Seconds per unit on top of its pages' limits, for the start of the worker and for scoring."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """How to evaluate; the defaults are those of `forest evaluate`."""

    measures: tuple[str, ...] = (DEFAULT_MEASURE,)
    protocols: tuple[Protocol, ...] = (DEFAULT_PROTOCOL,)  # for site-level methods
    study: str | None = None
    jobs: int = os.cpu_count() or 1
    timeout: float = DEFAULT_TIMEOUT
    grace: float = GRACE


@dataclass(frozen=True, slots=True)
class _Plan:
    pages: PageSet
    method: str
    protocol: Protocol
    setting: Setting
    version: str | None


@dataclass(frozen=True, slots=True)
class _Share:
    """A unit, and the positions of its pages in their set."""

    positions: tuple[int, ...]
    unit: Unit


_Future: TypeAlias = "ProcessFuture[list[PageResult]]"
_Task: TypeAlias = tuple[_Share, _Future]


def evaluate(
    sets: Sequence[PageSet],
    methods: Sequence[str],
    options: EvaluationOptions,
    on_progress: Callable[[int, int], object] = lambda done, total: None,
) -> EvaluationResult:
    """Run every method on every set; results are in the order of sets, then methods.

    The results include the texts. `on_progress` gets the number of finished pages and of all pages.
    Raises `UnknownNameError` before anything runs.
    """
    check_measures(options.measures)
    plans = list(_plan_runs(sets, methods, options))
    with _start_pool(options.jobs) as pool:
        workers = _Workers(pool, options.grace)
        started = [[workers.start(share) for share in _shares(plan, options)] for plan in plans]
        finished = _finish_all(workers, started, on_progress)
        runs = tuple(_run_result(*pair) for pair in zip(plans, finished, strict=True))
    return EvaluationResult(version("forest-crawler"), options.measures, runs, options.study)


def _plan_runs(
    sets: Sequence[PageSet], methods: Sequence[str], options: EvaluationOptions
) -> Iterator[_Plan]:
    resolved = {name: resolve_method(name) for name in methods}
    for method in resolved.values():
        load_site_method(method)
    for pages in sets:
        for name, method in resolved.items():
            for protocol, setting in _settings(method, options):
                yield _Plan(pages, name, protocol, setting, _version(method))


def _settings(method: Method, options: EvaluationOptions) -> list[tuple[Protocol, Setting]]:
    """List the protocols and settings of a method; most page-level methods have only one."""
    settings = get_study(options.study) if options.study else (Setting(),)
    if isinstance(method, PageMethod):
        varied = options.study in method.studies
        return [("page", setting) for setting in (settings if varied else (Setting(),))]
    return [(protocol, setting) for protocol in options.protocols for setting in settings]


def _version(method: Method) -> str | None:
    return method.version if isinstance(method, PageMethod) else None


def _shares(plan: _Plan, options: EvaluationOptions) -> Iterator[_Share]:
    pages = plan.pages.pages
    sites: dict[str, list[int]] = {}
    for position, page in enumerate(pages):
        sites.setdefault(page.site, []).append(position)
    for positions in sites.values():
        # Sorted by id, so that folds do not depend on the order of the file.
        positions.sort(key=lambda position: pages[position].id)
        yield _Share(
            tuple(positions),
            Unit(
                method=plan.method,
                protocol=plan.protocol,
                pages=tuple(pages[position] for position in positions),
                measures=options.measures,
                timeout=options.timeout,
                setting=plan.setting,
            ),
        )


@contextmanager
def _start_pool(jobs: int) -> Iterator[ProcessPool]:
    """Start worker processes; stop them at the end, even in the middle of a unit."""
    with ExitStack() as stack:
        # Forked workers have the methods that the caller has registered.
        pool = ProcessPool(max_workers=jobs, context=multiprocessing.get_context("fork"))
        stack.callback(pool.join)
        stack.callback(pool.stop)
        yield pool


class _Workers:
    """Runs units; a unit that kills its process becomes a failed result."""

    def __init__(self, pool: ProcessPool, grace: float) -> None:
        self._pool = pool
        self._grace = grace

    def start(self, share: _Share) -> _Task:
        """Queue a unit."""
        return share, self._schedule(share.unit)

    def finish(self, task: _Task) -> dict[int, PageResult]:
        """Wait for a unit; return its results by the pages' positions in the set."""
        share, future = task
        return dict(zip(share.positions, self._results(share.unit, future), strict=True))

    def _schedule(self, unit: Unit) -> _Future:
        # Every page may use its limit three times: for parsing, induction and extraction.
        limit = 3 * unit.timeout * len(unit.pages) + self._grace
        return self._pool.schedule(run_unit, args=(unit,), timeout=limit)

    def _results(self, unit: Unit, future: _Future) -> list[PageResult]:
        try:
            return future.result()
        except Exception as err:
            if unit.protocol == "page" and len(unit.pages) > 1:
                return self._one_by_one(unit)
            tried = _broken(err, unit)
            return [broken_result(page, tried, unit.measures) for page in unit.pages]

    def _one_by_one(self, unit: Unit) -> list[PageResult]:
        singles = [replace(unit, pages=(page,)) for page in unit.pages]
        futures = [self._schedule(single) for single in singles]
        pairs = zip(singles, futures, strict=True)
        return [result for pair in pairs for result in self._results(*pair)]


def _broken(err: Exception, unit: Unit) -> Attempt[None]:
    if isinstance(err, TimeoutError):
        return Attempt(None, unit.timeout, "timeout", "killed: it could not be interrupted")
    return Attempt(None, 0.0, "crash", describe_error(err))


def _finish_all(
    workers: _Workers,
    started: Sequence[Sequence[_Task]],
    on_progress: Callable[[int, int], object],
) -> Iterator[dict[int, PageResult]]:
    """Wait for the units of each plan in turn; yield its results by position."""
    total = sum(len(share.positions) for tasks in started for share, _ in tasks)
    done = 0
    for tasks in started:
        found: dict[int, PageResult] = {}
        for task in tasks:
            found |= workers.finish(task)
            done += len(task[0].positions)
            on_progress(done, total)
        yield found


def _run_result(plan: _Plan, found: dict[int, PageResult]) -> RunResult:
    return RunResult(
        set=plan.pages.name,
        method=plan.method,
        protocol=plan.protocol,
        pages=tuple(found[position] for position in sorted(found)),
        version=plan.version,
        setting=plan.setting.as_dict(),
    )
