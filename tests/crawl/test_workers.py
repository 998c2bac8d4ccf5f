"""Jobs run in other processes; one that exceeds its limits costs no other."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from pebble import CONSTS

from forest_crawler.crawl import workers as workers_module
from forest_crawler.crawl.workers import (
    MAX_LOSSES,
    JobWatch,
    WorkerError,
    WorkerLimits,
    Workers,
    WorkersLostError,
)
from forest_crawler.errors import InputError
from tests.support.store_builders import FakeClock
from tests.support.waiting import HANG, wait_until


def spin() -> None:
    while True:
        pass


def take(megabytes: int) -> int:
    return len(bytearray(megabytes << 20))


def refuse() -> None:
    raise InputError("no such file", "list.txt")


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def workers() -> Iterator[Workers]:
    made = Workers(1, WorkerLimits(memory=256 << 20, jobs=3), preloaded=())
    yield made
    made.stop()


def test_jobs_run_in_another_process(workers: Workers) -> None:
    assert asyncio.run(workers.run(HANG, os.getpid)) != os.getpid()


def test_error_of_a_job_is_raised_with_its_attributes(workers: Workers) -> None:
    with pytest.raises(InputError, match=r"^list\.txt: no such file$"):
        asyncio.run(workers.run(HANG, refuse))


@pytest.mark.parametrize(
    ("job", "seconds", "reason"),
    [
        (spin, 1.0, "time-limit"),
        (time.sleep, 0.1, "time-limit"),
        (take, HANG, "memory-limit"),
        (die, HANG, "worker-died"),
    ],
    ids=["busy", "asleep", "memory", "killed"],
)
def test_job_that_exceeds_its_limits_ends_with_the_reason_and_the_next_one_runs(
    workers: Workers, job: object, seconds: float, reason: str
) -> None:
    async def run() -> int:
        arguments = (300,) if job in (time.sleep, take) else ()
        with pytest.raises(WorkerError) as caught:
            await workers.run(seconds, job, *arguments)  # type: ignore[arg-type]
        assert caught.value.reason == reason
        return await workers.run(HANG, len, "abc")

    assert asyncio.run(run()) == 3


def test_job_that_waits_for_the_processor_is_not_ended(workers: Workers) -> None:
    asyncio.run(workers.run(HANG, os.getpid))  # it has started
    asyncio.run(workers.run(0.3, time.sleep, 0.4))  # within three times its limit


def test_worker_that_is_out_of_memory_runs_no_other_job() -> None:
    async def run() -> tuple[int, int]:
        before = await made.run(HANG, os.getpid)
        with pytest.raises(WorkerError, match="memory-limit"):
            await made.run(HANG, take, 300)
        return before, await made.run(HANG, os.getpid)

    made = Workers(1, WorkerLimits(memory=256 << 20), preloaded=())
    before, after = asyncio.run(run())
    made.stop()
    assert before != after


def test_workers_are_replaced_after_their_jobs(workers: Workers) -> None:
    async def run() -> set[int]:
        return {await workers.run(HANG, os.getpid) for _ in range(8)}

    assert len(asyncio.run(run())) >= 2  # three jobs each


def test_job_may_take_memory_up_to_the_limit(workers: Workers) -> None:
    assert asyncio.run(workers.run(HANG, take, 100)) == 100 << 20


def test_stopped_workers_run_no_job_and_report_no_loss() -> None:
    losses: list[WorkersLostError] = []
    made = Workers(1, preloaded=(), on_loss=losses.append)
    assert asyncio.run(made.run(HANG, os.getpid)) != os.getpid()
    made.stop()
    with pytest.raises(WorkersLostError):
        asyncio.run(made.run(HANG, os.getpid))
    assert losses == []


def test_worker_that_dies_with_nothing_to_do_is_replaced() -> None:
    losses: list[WorkersLostError] = []
    made = Workers(1, preloaded=(), on_loss=losses.append)
    first = asyncio.run(made.run(HANG, os.getpid))
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: not made._pool.active, "the pool notices")
    assert asyncio.run(made.run(HANG, os.getpid)) not in (first, os.getpid())
    assert losses == []
    made.stop()


def is_alive(process: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except OSError:
        return False


def test_workers_that_a_signal_stopped_are_noticed_and_replaced(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(workers_module, "STUCK_SECONDS", 2.0)  # a worker starts in less
    monkeypatch.setattr(workers_module, "POOL_CHECK", 0.05)
    monkeypatch.setattr(CONSTS, "term_timeout", 0.1)
    losses: list[WorkersLostError] = []
    made = Workers(2, preloaded=(), on_loss=losses.append)
    asyncio.run(made.run(HANG, os.getpid))
    manager = made._pool._pool_manager.worker_manager
    wait_until(lambda: len(manager.workers) == 2, "all workers")
    stopped = list(manager.workers)
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    assert asyncio.run(made.run(HANG, os.getpid)) not in stopped
    assert losses == []
    wait_until(lambda: not any(map(is_alive, stopped)), "the stopped ones are killed")
    made.stop()


def test_job_that_a_pool_does_not_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = FakeClock(0.0)
    monkeypatch.setattr(time, "monotonic", clock)
    waiting, running = Future[int](), Future[int]()
    running.set_running_or_notify_cancel()
    watches = JobWatch(waiting, 5.0), JobWatch(running, 5.0)
    found = []
    for second in (0.0, 12.0, 16.0):
        clock.time = second
        found.append([watch.is_stuck({waiting, running}) for watch in watches])
    # The one that waits is not to blame while another runs.
    assert found == [[False, False], [False, False], [False, True]]
    assert [JobWatch(waiting, 5.0).is_stuck({waiting}), watches[0].is_stuck({waiting})] == [
        False,
        False,
    ]
    clock.time += 10.1
    assert watches[0].is_stuck({waiting})


LOST = """
import asyncio, os
from forest_crawler.crawl.workers import WorkerError, Workers, WorkersLostError
if __name__ == "__main__":
    losses = []
    made = Workers(1, preloaded=("dying",), on_loss=losses.append)
    for attempt in range(10):
        try:
            asyncio.run(made.run(30, os.getpid))
        except WorkersLostError as err:
            break
        except WorkerError:
            pass
    print(attempt, *losses)
    made.stop()
"""


def test_workers_that_die_as_they_start_are_given_up(tmp_path: Path) -> None:
    # Every process that the fork server forks ends at once.
    (tmp_path / "dying.py").write_text(
        "import os\nos.register_at_fork(after_in_child=lambda: os._exit(1))\n"
    )
    done = run_script(tmp_path, LOST)
    assert done.stdout.count("worker processes cannot be started") == 1, done.stderr
    assert int(done.stdout.split()[0]) <= MAX_LOSSES


HANGING = """
import asyncio, os
from forest_crawler.crawl import workers
class CountedPool(workers.ProcessPool):
    def __init__(self, *arguments, **more):
        print("pool")
        super().__init__(*arguments, **more)
if __name__ == "__main__":
    workers.MAX_START, workers.ProcessPool = 1.0, CountedPool
    made = workers.Workers(1, preloaded=("sleeping",))
    try:
        asyncio.run(made.run(30, os.getpid))
    except workers.WorkersLostError:
        print("lost")
    made.stop()
"""


def test_hanging_start_is_waited_for_once(tmp_path: Path) -> None:
    (tmp_path / "sleeping.py").write_text("import time\ntime.sleep(30)\n")
    (tmp_path / "hanging.py").write_text(HANGING)
    printed = tmp_path / "printed"
    with printed.open("w") as file:  # not a pipe, which the sleeping process would keep open
        subprocess.run([sys.executable, "hanging.py"], cwd=tmp_path, stdout=file, timeout=HANG)
    assert printed.read_text().split() == ["pool", "lost"]


@pytest.fixture
def slow_server(tmp_path: Path) -> Path:
    """A directory of scripts whose fork server imports for longer than they run."""
    (tmp_path / "sleeping.py").write_text("import time\ntime.sleep(5)\n")
    return tmp_path


def run_script(directory: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run a script until its last process, the fork server too, has ended."""
    (directory / "script.py").write_text(code)
    return subprocess.run(
        [sys.executable, "script.py"], cwd=directory, capture_output=True, text=True, timeout=HANG
    )


IDLE = """
from forest_crawler.crawl.workers import Workers
if __name__ == "__main__":
    Workers(2, preloaded=("sleeping",)).stop()
"""

STOPPED_AT_ONCE = """
import asyncio, os
from forest_crawler.crawl.workers import Workers, WorkersLostError
async def run():
    made = Workers(2, preloaded=("sleeping",))
    job = asyncio.ensure_future(made.run(30, os.getpid))
    await asyncio.sleep(0.3)
    made.stop()
    job.cancel()
if __name__ == "__main__":
    asyncio.run(run())
"""


@pytest.mark.parametrize("code", [IDLE, STOPPED_AT_ONCE], ids=["no job", "its first job"])
def test_workers_stopped_before_their_start_print_nothing(slow_server: Path, code: str) -> None:
    done = run_script(slow_server, code)
    assert (done.returncode, done.stderr) == (0, "")
