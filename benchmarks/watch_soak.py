"""Let `forest crawl --watch` follow 1,000 feeds for 8 simulated hours, and check what it leaves.

`make soak`, or `python -m benchmarks.watch_soak --hours 1 --feeds 200`. Sockets, Scrapy, store and
workers are real, only the crawl's clock is faster (`benchmarks.fast_clock`). Sites publish, fail
for a while and are redesigned (`benchmarks.soak_day`). It fails if memory or descriptors grow
without bound, if an article is missing, twice or garbage, or if the account does not add up.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.fast_clock import FastClock
from benchmarks.soak_day import HOUR, Day, make_day, site_names
from benchmarks.soak_growth import (
    HEADER,
    Sample,
    count_descriptors,
    descendants,
    file_size,
    find_growth,
    growth_per_hour,
    process_memory,
)
from forest_crawler.store import read_store
from tests.support.crawl_process import ROOT, Crawl
from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import article_of

START = 1.8e9
"""Seconds since the epoch when every soak starts."""

OPTIONS = (
    *("-q", "--allow-network", "127.0.0.0/8", "--allow-port", "any"),
    *("-s", "ASYNCIO_EVENT_LOOP=benchmarks.fast_clock.FastLoop"),
    # At thirty times the speed, the default of 30 s would be one second on a busy machine.
    *("-s", "DOWNLOAD_TIMEOUT=120"),
)

STEP, ROW = 60.0, 900.0
"""Simulated seconds between two looks at the day's changes, and between two rows of the table."""

CLOSING_RUNS, CLOSING_PAUSE = 8, 2 * HOUR
"""Runs after the watch, and the time between them: they fetch what was due after its end."""

MAX_END = 120.0
"""Seconds in which a crawl ends after SIGTERM."""

Key = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Soak:
    """The crawl, its sites, and the clock that both follow."""

    crawl: Crawl
    server: FaultServer
    clock: FastClock

    @property
    def log(self) -> Path:
        return self.crawl.directory / "crawl.log"

    def start(self, *options: str, jump: float = 0.0) -> subprocess.Popen[bytes]:
        """Start a crawl whose clock is `jump` seconds ahead of the soak's."""
        clock = replace(self.clock, start=self.clock.start + jump)
        prelude = f"from benchmarks.fast_clock import FastClock, install\ninstall({clock!r})"
        main = "from forest_crawler.cli import main\nmain()"
        arguments = self.crawl.arguments(*options)
        with self.log.open("ab") as log:
            command = [sys.executable, "-c", f"{prelude}\n{main}", *arguments]
            return subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)  # noqa: S603

    def sample(self, pid: int) -> Sample:
        """Measure a running crawl and its store."""
        account = self.account()
        store = self.crawl.directory / "forest.db"
        return Sample(
            hours=(self.clock.time() - START) / HOUR,
            articles=account["archived"],
            pending=account["pending"],
            memory=process_memory(pid),
            worker_memory=sum(map(process_memory, descendants(pid))),
            descriptors=count_descriptors(pid),
            store=file_size(store),
            wal=file_size(store.with_name("forest.db-wal")),
        )

    def account(self) -> dict[str, Any]:
        """Read the store's account, beside a crawl that may be running."""
        if not (self.crawl.directory / "forest.db").exists():
            return {"archived": 0, "pending": 0}
        with read_store(self.crawl.store) as store:
            return dict(store.account())

    def found(self) -> Counter[Key]:
        """Count the articles in the file, by site and number."""
        articles = self.crawl.articles()
        return Counter((it["site"], int(it["url"].rpartition("/")[2])) for it in articles)


def watch(soak: Soak, day: Day, hours: float) -> list[Sample]:
    """Watch the feeds for so many simulated hours, while the day goes on; return the samples."""
    process = soak.start("--watch")
    waiting, samples, next_row = list(day.changes), [], 0.0
    print(HEADER, flush=True)
    try:
        while (now := soak.clock.time() - START) < hours * HOUR:
            waiting = publish(soak.server, waiting, now)
            if now >= next_row:
                samples.append(soak.sample(process.pid))
                print(samples[-1].line(), flush=True)
                next_row = now + ROW * hours / 8
            if process.poll() is not None:
                raise SystemExit(f"the crawl ended by itself: {soak.log.read_text()[-2000:]}")
            time.sleep(STEP / soak.clock.speed)
        publish(soak.server, waiting, hours * HOUR)
        samples.append(soak.sample(process.pid))
        print(samples[-1].line(), flush=True)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(MAX_END)
    return samples


def publish(server: FaultServer, changes: Sequence[Any], now: float) -> list[Any]:
    """Apply the changes that are due; return the others."""
    due: dict[str, dict[str, Any]] = {}
    for change in changes:
        if change.at <= now:
            due[change.site] = due.get(change.site, {}) | change.fields
    if due:
        server.plan(due)
    return [change for change in changes if change.at > now]


def close(soak: Soak, wanted: Collection[Key]) -> int:
    """Run crawls until nothing is missing or pending; return how many were needed."""
    for number in range(1, CLOSING_RUNS + 1):
        process = soak.start("--now", jump=number * CLOSING_PAUSE)
        process.wait(timeout=1800)
        if not set(wanted) - set(soak.found()) and not soak.account()["pending"]:
            return number
    return CLOSING_RUNS


def find_faults(
    found: Counter[Key], wanted: Collection[Key], garbage: int, account: Mapping[str, Any]
) -> list[str]:
    """Compare the archive and the account with the day's articles; return what is wrong."""
    missing, twice = set(wanted) - set(found), [key for key, n in found.items() if n > 1]
    foreign = set(found) - set(wanted)
    ends = (account["archived"], account["pending"])
    closed = [sum(account[name].values()) for name in ("skipped", "failed")]
    wrong = {
        f"{len(missing)} articles are missing: {sorted(missing)[:5]}": missing,
        f"{len(twice)} articles are there twice: {sorted(twice)[:5]}": twice,
        f"{len(foreign)} articles were never published: {sorted(foreign)[:5]}": foreign,
        f"{garbage} articles have none of their paragraphs": garbage,
        f"the account does not add up: {account}": account["scheduled"] != sum((*ends, *closed)),
        f"{account['archived']} articles in the store, {found.total()} in the file": (
            account["archived"] != found.total()
        ),
    }
    return [words for words, is_wrong in wrong.items() if is_wrong]


def count_texts(articles: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Count the articles that have none of their paragraphs, and those that lack some."""
    none = some = 0
    for article in articles:
        number = int(article["url"].rpartition("/")[2])
        paragraphs = article_of(article["site"], number).paragraphs
        shown = sum(text in article["text"] for text in paragraphs)
        none += not shown
        some += 0 < shown < len(paragraphs)
    return none, some


def report(soak: Soak, day: Day, samples: Sequence[Sample], closing: int, early: int) -> list[str]:
    """Print the account; return what is wrong."""
    account, articles = soak.account(), soak.crawl.articles()
    garbage, partial = count_texts(articles)
    paths = Counter(hit.path.partition("?")[0].split("/")[1] for hit in soak.server.log())
    warm = samples[len(samples) * 3 // 8 :]
    hours = [it.hours for it in warm]
    slopes = (growth_per_hour(hours, [getattr(it, name) for it in warm]) for name in _GROWING)
    print(
        "growth per simulated hour after the warm-up: memory {:+.2f} MB, workers {:+.2f} MB, "
        "descriptors {:+.2f}, store {:+.2f} MB".format(*slopes)
    )
    print(
        f"requests: {paths['feed.xml']} polls, {paths['article']} pages, "
        f"{paths['robots.txt']} robots.txt"
    )
    print(
        f"archived by the watch: {early} of {len(day.wanted)}, "
        f"by {closing} more run(s): {len(articles)}, {partial} of them lack a paragraph"
    )
    print(f"account: {account}")
    wrong = find_growth(samples)
    wrong += find_faults(soak.found(), day.wanted, garbage, account)
    if "Traceback" in soak.log.read_text():
        wrong.append(f"a traceback in the crawl's log: {soak.log.read_text()[-3000:]}")
    return wrong


_GROWING = ("memory", "worker_memory", "descriptors", "store")


def main() -> int:
    """Run the soak; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--feeds", type=int, default=1000)
    parser.add_argument("--hours", type=float, default=8.0, help="simulated hours")
    parser.add_argument("--speed", type=float, default=30.0, help="simulated seconds per second")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    sites = site_names(options.feeds)
    day = make_day(sites, options.hours, options.seed)
    with tempfile.TemporaryDirectory() as name, running_server() as server:
        feeds = Path(name, "feeds.txt")
        feeds.write_text("\n".join(server.url(site, "/feed.xml") for site in sites))
        publish(server, day.changes, 0.0)
        clock = FastClock(options.speed, START, time.monotonic())
        soak = Soak(Crawl(Path(name), (str(feeds),), OPTIONS), server, clock)
        samples = watch(soak, day, options.hours)
        early = len(soak.found())
        wrong = report(soak, day, samples, close(soak, day.wanted), early)
    print("\n".join(wrong) or "every article is there once, the account adds up, nothing grows")
    print(
        f"{options.hours:g} simulated hours of {options.feeds} feeds in "
        f"{(time.monotonic() - began) / 60:.0f} minutes"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
