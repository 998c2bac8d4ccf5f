"""The worker of a Spark task: a process beside it that parses pages within limits.

A page that takes too much time or memory, or crashes its parser, costs that process, which is
replaced, and not Spark's own Python worker: Spark would repeat the task, and fail with it.
"""

from __future__ import annotations

from functools import cache

from forest_crawler.crawl.workers import PRELOADED_TO_INDUCE, Workers


@cache
def task_workers() -> Workers:
    """Return the worker of this process; it serves all tasks that Spark runs here."""
    # Spark's own main module isn't wanted in it.
    return Workers(1, preloaded=[name for name in PRELOADED_TO_INDUCE if name != "__main__"])
