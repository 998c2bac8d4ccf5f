"""Compare the wall time of `forest page` and of trafilatura's command on a saved page.

`python -m benchmarks.page_command` starts both in turn, on pages of the bundled sites, and prints
the shortest and the median time of each. Compiled modules are kept in a directory of their own, as
an installation keeps them, and the first run of each, which compiles, does not count.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from forest_crawler.datasets.bundled_sites import bundled_sites

ROUNDS = 7
TRAFILATURA = Path(sys.executable).with_name("trafilatura")
COMMANDS = {
    "forest page": [sys.executable, "-m", "forest_crawler", "page", "-"],
    "forest page --format json": [
        *(sys.executable, "-m", "forest_crawler", "page", "--format", "json", "-")
    ],
    "trafilatura": [str(TRAFILATURA)],
    "trafilatura --json": [str(TRAFILATURA), "--json", "--with-metadata"],
}


def main() -> None:
    """Print a line per command."""
    if not TRAFILATURA.exists():
        raise SystemExit("trafilatura is missing; install it with: pip install '.[bench]'")
    pages = [next(site.glob("*.html")) for site in bundled_sites()][:3]
    with TemporaryDirectory() as compiled:
        env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        env["PYTHONPYCACHEPREFIX"] = compiled
        times: dict[str, list[float]] = {name: [] for name in COMMANDS}
        for number in range(ROUNDS + 1):
            for page in pages:
                for name, command in COMMANDS.items():
                    took = run(command, page.read_bytes(), env)
                    if number:
                        times[name].append(took)
    for name, found in times.items():
        print(f"{name:26} {min(found):.2f} s, median {statistics.median(found):.2f} s")


def run(command: list[str], page: bytes, env: dict[str, str]) -> float:
    start = time.perf_counter()
    done = subprocess.run(command, input=page, env=env, capture_output=True, check=False)  # noqa: S603
    took = time.perf_counter() - start
    if done.returncode or not done.stdout:
        raise SystemExit(f"{command[0]} failed: {done.stderr.decode()[-500:]}")
    return took


if __name__ == "__main__":
    main()
