"""Workers of a crawl that are killed before their first job, from a moment on.

Whoever kills them from outside may be late on a busy machine: a worker that has done a job shows
that workers live, and the job of the next one that dies is to blame.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

from forest_crawler.crawl import workers

_VARIABLE = "DOOMED_WORKERS"


def doom_workers(sign: Path) -> str:
    """Return the prelude of a crawl whose new workers are killed while the file `sign` exists."""
    return f"""
import os
from forest_crawler.crawl import workers
from tests.support import doomed_workers
os.environ[{_VARIABLE!r}] = {str(sign)!r}
workers._start_worker = doomed_workers.start_worker
"""


def start_worker(limits: workers.WorkerLimits) -> None:
    """Start a worker as the crawl does; its process has not the crawl's patch."""
    if Path(os.environ[_VARIABLE]).exists():
        os.kill(os.getpid(), signal.SIGKILL)
    workers._start_worker(limits)
