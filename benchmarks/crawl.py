"""Compare a crawl's speed and memory with a bare Scrapy spider's on loopback.

`python -m benchmarks.crawl` prints pages per second with known wrappers and with induction, on
small pages and on pages of real size, how long callbacks hold the event loop, peak memory
for few and many sites, and how long healthy sites take among faulty ones.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.fault_process import FaultServer, running_server

ROOT = Path(__file__).parent.parent
SITES, MANY_SITES, PAGES = 200, 1000, 20
FAULTY = 0.3
PARTS = ("speed", "real", "loop", "memory", "faults")
"""`real` is `speed` on pages of 60 to 300 kB, `loop` how long the event loop is held."""

FAULTS = tuple(
    f"/fault/{name}"
    for name in (
        *("status?code=500", "rst", "cut-chunk", "long-length", "junk", "drip", "stall"),
        *("chain", "bomb?megabytes=20", "status?code=429&retry-after=600"),
    )
)
_ELAPSED = re.compile(r"'elapsed_time_seconds': ([\d.]+)")
# Without `-s` a crawl sends no items, as nothing could receive them.
_QUICK = (
    *("--allow-network", "127.0.0.0/8", "--allow-port", "any", "--delay", "0", "-v"),
    *("-s", "AUTOTHROTTLE_ENABLED=0", "-s", "CONCURRENT_REQUESTS_PER_DOMAIN=8"),
    *("-s", "FOREST_ITEMS=0"),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One measured process."""

    seconds: float  # from the spider's opening to its end
    pages: int
    memory: int  # peak bytes of the main process
    cpu: float  # CPU seconds of the main process, start included

    @property
    def speed(self) -> float:
        """Pages per second."""
        return self.pages / self.seconds


def run_bare(server: FaultServer, sites: Sequence[str], numbers: Sequence[int]) -> Run:
    """Fetch all pages with a spider that does nothing else."""
    urls = [server.url(site, f"/article/{n}") for n in numbers for site in sites]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(urls))
        file.flush()
        output, memory, cpu = _run(["-m", "benchmarks.bare_spider", file.name])
    seconds, pages = output.split()[-2:]
    return Run(float(seconds), int(pages), memory, cpu)


def run_forest(server: FaultServer, sites: Sequence[str], directory: Path, *more: str) -> Run:
    """Crawl the sites' feeds with `forest crawl`."""
    output, memory, cpu = _crawl(server, sites, directory, *more)
    found = _ELAPSED.search(output)
    assert found, output[-3000:]
    archived = re.search(r"'forest/articles': (\d+)", output)
    return Run(float(found[1]), int(archived[1]) if archived else 0, memory, cpu)


def _crawl(
    server: FaultServer, sites: Sequence[str], directory: Path, *more: str
) -> tuple[str, int, float]:
    listed = directory / "list.txt"
    listed.write_text("\n".join(server.url(site, "/feed.xml") for site in sites))
    files = ("--store", f"sqlite:///{directory}/forest.db", "-o", f"{directory}/articles.jsonl")
    return _run(["-m", "forest_crawler", "crawl", str(listed), *files, *_QUICK, *more])


def _run(words: Sequence[str]) -> tuple[str, int, float]:
    with tempfile.TemporaryFile("w+") as log:
        command = [sys.executable, *words]
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)  # noqa: S603
        _, _, usage = os.wait4(process.pid, 0)
        log.seek(0)
        return log.read(), usage.ru_maxrss * 1024, usage.ru_utime + usage.ru_stime


def make_sites(network: int, number: int) -> list[str]:
    """Make sites, as loopback addresses, that no other measurement uses."""
    return [f"127.{network}.{n // 250}.{n % 250 + 1}" for n in range(number)]


def measure_speed(server: FaultServer, number: int, *, real_size: bool = False) -> None:
    """Measure pages per second, with induction and with known wrappers.

    Each run is compared with the bare spider before and after it, because a machine's speed rarely
    stays the same for so long.
    """
    sites = make_sites(72 if real_size else 70, number)
    size = {"real_size": real_size}
    before = _measure_bare(server, sites, size)
    with tempfile.TemporaryDirectory() as name:
        for label, pages in (("with induction", PAGES), ("with known wrappers", 2 * PAGES)):
            server.plan({"*": {"pages": pages} | size})
            run = run_forest(server, sites, Path(name), "--now")
            _report(label, run)
            after = _measure_bare(server, sites, size)
            share = 2 * run.speed / (before.speed + after.speed)
            print(f"{label}: {share:.2f} of the bare spider's pages per second", flush=True)
            before = after


def measure_loop(server: FaultServer, number: int) -> None:
    """Measure how long callbacks hold the event loop, on pages of real size."""
    server.plan({"*": {"pages": PAGES, "real_size": True}})
    watch = ("-s", 'EXTENSIONS={"benchmarks.loop_watch.LoopWatch": 0}')
    with tempfile.TemporaryDirectory() as name:
        output = _crawl(server, make_sites(74, number), Path(name), *watch)[0]
    print("\n".join(line for line in output.splitlines() if line.startswith("event loop")))


def _measure_bare(server: FaultServer, sites: Sequence[str], size: dict[str, bool]) -> Run:
    server.plan({"*": {"pages": PAGES} | size})
    bare = run_bare(server, sites, range(1, PAGES + 1))
    _report("bare spider", bare)
    return bare


def measure_memory(server: FaultServer, pages: int, many: int = MANY_SITES) -> None:
    """Measure peak memory for few and for many sites."""
    server.plan({"*": {"pages": pages}})
    peaks = []
    for network, number in ((80, SITES), (90, many)):
        with tempfile.TemporaryDirectory() as name:
            run = run_forest(server, make_sites(network, number), Path(name))
        _report(f"{number} sites", run)
        peaks.append(run.memory)
    print(f"memory for {many} sites: {peaks[1] / peaks[0]:.2f} of that for {SITES}")


def measure_faults(server: FaultServer, number: int) -> None:
    """Measure how long healthy sites take among faulty ones, and alone."""
    from tests.support.fault_sites import SitePlan, is_faulty

    faults = {"fault_share": FAULTY, "fault_kinds": FAULTS}
    plan = SitePlan(fault_share=FAULTY)
    sites = make_sites(100, number)
    healthy = [site for site in sites if not is_faulty(site, plan)]
    alone: dict[str, object] = {"fault_share": 0.0}
    before, among, after = (
        _measure_healthy(server, chosen, set(healthy), change)
        for chosen, change in ((healthy, alone), (sites, faults), (healthy, alone))
    )
    share = 2 * among / (before + after)
    print(
        f"{len(healthy)} healthy sites: {before:.1f} and {after:.1f} s alone, {among:.1f} s among "
        f"{len(sites) - len(healthy)} faulty ones ({share:.2f} times)"
    )


def _measure_healthy(
    server: FaultServer, sites: Sequence[str], healthy: set[str], change: dict[str, object]
) -> float:
    server.clear()
    server.plan({"*": {"pages": PAGES} | change})
    with tempfile.TemporaryDirectory() as name:
        run_forest(server, sites, Path(name), "-s", "CONCURRENT_REQUESTS=128")
    times = [hit.time for hit in server.log() if hit.site in healthy]
    return max(times) - min(times)


def _report(label: str, run: Run) -> None:
    print(
        f"{label}: {run.pages} pages in {run.seconds:.1f} s, {run.speed:.0f} per second; "
        f"{run.memory / 2**20:.0f} MiB, {1000 * run.cpu / max(run.pages, 1):.1f} ms of the "
        "main process per page",
        flush=True,
    )


def main(words: Sequence[str]) -> None:
    """Measure the given parts, or all."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.crawl", description=__doc__)
    parser.add_argument("part", nargs="*", choices=[*PARTS, []])
    parser.add_argument("--sites", type=int, default=SITES)
    parser.add_argument("--pages", type=int, default=PAGES, help="pages per site, for memory")
    parser.add_argument("--many", type=int, default=MANY_SITES, help="sites, for memory")
    arguments = parser.parse_args(words)
    parts = arguments.part or PARTS
    with running_server() as server:
        if "speed" in parts:
            measure_speed(server, arguments.sites)
        if "real" in parts:
            measure_speed(server, arguments.sites, real_size=True)
        if "loop" in parts:
            measure_loop(server, arguments.sites)
        if "memory" in parts:
            measure_memory(server, arguments.pages, arguments.many)
        if "faults" in parts:
            measure_faults(server, arguments.sites)


if __name__ == "__main__":
    main(sys.argv[1:])
