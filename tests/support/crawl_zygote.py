"""Run `forest crawl` many times, each in a forked child that has all modules loaded already.

`python -m tests.support.crawl_zygote` reads one JSON object per line: `argv` for the command,
`env`, `log` for its stderr, `out` for its stdout, `kill_after` in seconds (null: let it end). It
answers with the exit status. The children run what a person would run; the fork saves only the
seconds for imports, one in the crawl itself and one in the server that its workers are forked from.
"""

from __future__ import annotations

import atexit
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from multiprocessing.forkserver import ForkServer, ensure_running
from pathlib import Path
from typing import Any, TextIO
from unittest.mock import patch

from tests.support.waiting import HANG

ROOT = Path(__file__).parents[2]

IMPORTED = (
    *("forest_crawler.cli._crawl_run", "forest_crawler.pipelines.forest", "tldextract"),
    *("forest_crawler.spiders.feeds", "forest_crawler.spiders.warc"),
)

HUNG = 124
"""The status of a run that is killed because it hangs; a kill that a test wants has another."""


@dataclass(frozen=True, slots=True)
class Zygote:
    """The parent process of many crawls."""

    process: subprocess.Popen[str]

    def run(
        self,
        argv: Sequence[str],
        log: Path,
        *,
        kill_after: float | None = None,
        env: Mapping[str, str] | None = None,
        out: Path | None = None,
    ) -> int:
        """Run a command; return the exit status, negative for a signal."""
        order = {
            "argv": list(argv),
            "log": str(log),
            "out": str(out or log),
            "kill_after": kill_after,
            "env": dict(env or {}),
        }
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()
        return int(stdout.readline())


@contextmanager
def running_zygote() -> Iterator[Zygote]:
    """Start a zygote; it ends with the block."""
    # Python warns of what a killed crawl leaves to be cleaned up.
    quiet = "-Wignore::UserWarning:multiprocessing.resource_tracker"
    command = [sys.executable, quiet, "-m", "tests.support.crawl_zygote"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Zygote(process)
        assert process.stdin is not None
        process.stdin.close()


@cache
def the_zygote() -> Zygote:
    """Return the zygote that all tests of a process share; it ends with the process."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(running_zygote())


def obey(orders: TextIO, answers: TextIO) -> None:
    """Fork a crawl per order; answer each with the exit status."""
    _start_fork_server()
    _import_all()
    for line in orders:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _crawl(order)
        answers.write(f"{_wait_for(child, order['kill_after'])}\n")
        answers.flush()


def _start_fork_server() -> None:
    from forest_crawler.crawl.workers import PRELOADED_TO_INDUCE

    preloaded = [*PRELOADED_TO_INDUCE, "tests.support.crawl_fork_server"]
    multiprocessing.get_context("forkserver").set_forkserver_preload(preloaded)
    ensure_running()


def _import_all() -> None:
    """Import what a crawl imports, also through its settings; not the reactor, which has state."""
    for name in IMPORTED:
        import_module(name)
    from scrapy.settings import Settings
    from scrapy.utils.misc import load_object

    settings = Settings()
    settings.setmodule("forest_crawler.settings")
    named = [settings[name] for name in ("SCHEDULER", "DOWNLOADER", "STATS_CLASS", "LOG_FORMATTER")]
    for group in ("EXTENSIONS", "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES"):
        named += settings.getwithbase(group)
    named += filter(None, settings.getwithbase("DOWNLOAD_HANDLERS").values())
    for name in named:
        load_object(name)
    assert "twisted.internet.reactor" not in sys.modules


def _crawl(order: dict[str, Any]) -> None:
    from forest_crawler.cli import main

    # The fork server runs already; a crawl would look for it among its own children.
    patch.object(ForkServer, "ensure_running").start()
    patch("multiprocessing.forkserver.ensure_running").start()
    os.environ.update(order["env"])
    for stream, name in ((1, "out"), (2, "log")):
        os.dup2(os.open(order[name], os.O_WRONLY | os.O_CREAT | os.O_APPEND), stream)
    status = 70
    try:
        main(order["argv"], prog_name="forest")
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        os._exit(status)


def _wait_for(child: int, kill_after: float | None) -> int:
    """Wait until a child ends, or kill it; return its exit status."""
    end = time.monotonic() + (HANG if kill_after is None else kill_after)
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, signal.SIGKILL)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return HUNG if kill_after is None else status


if __name__ == "__main__":
    obey(sys.stdin, sys.stdout)
