"""Many runs of `forest crawl`, each a forked child that has all modules loaded already.

`python -m tests.crawl_zygote` reads a JSON object a line: `argv` for the command, `env`, `log` for
its stderr, `kill_after` in seconds (null: let it end). It answers with the exit status.
The children run what a person would run; only the second that Python takes to import is saved.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Zygote:
    """The parent of many crawls."""

    process: subprocess.Popen[str]

    def run(
        self,
        argv: Sequence[str],
        log: Path,
        *,
        kill_after: float | None = None,
        env: dict[str, str] | None = None,
    ) -> int:
        """Run a command; the exit status, negative for a signal."""
        order = {"argv": list(argv), "log": str(log), "kill_after": kill_after, "env": env or {}}
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(order) + "\n")
        stdin.flush()
        return int(stdout.readline())


@contextmanager
def running_zygote() -> Iterator[Zygote]:
    command = [sys.executable, "-m", "tests.crawl_zygote"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) as process:
        yield Zygote(process)
        assert process.stdin is not None
        process.stdin.close()


def obey(orders: TextIO, answers: TextIO) -> None:
    import forest_crawler.cli._crawl_run
    import forest_crawler.pipelines.forest
    import forest_crawler.spiders.feeds  # noqa: F401

    for line in orders:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            _crawl(order)
        answers.write(f"{_status(child, order['kill_after'])}\n")
        answers.flush()


def _crawl(order: dict[str, Any]) -> None:
    from forest_crawler.cli import main

    os.environ.update(order["env"])
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream in (1, 2):
        os.dup2(log, stream)
    status = 70
    try:
        main(order["argv"], prog_name="forest")
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        os._exit(status)


def _status(child: int, kill_after: float | None) -> int:
    end = time.monotonic() + (kill_after or 0)
    while kill_after is not None and time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    if kill_after is not None:
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    obey(sys.stdin, sys.stdout)
