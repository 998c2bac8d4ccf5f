"""Keep the fork server quiet about workers that it forks after their pool is gone.

Imported in the fork server only. A crawl that ends may have requested a worker a moment before; the
worker finds neither the pool's semaphores nor its pipes, and there is nobody to tell.
"""

from __future__ import annotations

import sys
from multiprocessing import spawn
from types import TracebackType


def report(kind: type[BaseException], err: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback as usual, unless a worker could not even read what it is to do."""
    if not (isinstance(err, FileNotFoundError | EOFError | BrokenPipeError) and _is_start(trace)):
        sys.__excepthook__(kind, err, trace)


def _is_start(trace: TracebackType | None) -> bool:
    codes = []
    while trace is not None:
        codes.append(trace.tb_frame.f_code)
        trace = trace.tb_next
    start = getattr(spawn._main, "__code__", None)
    return start in codes


sys.excepthook = report
