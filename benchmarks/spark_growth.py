"""How the Spark job grows: with pages of a site, with sites, and with files.

Time and shuffled bytes of batches that double in one respect. Shuffled bytes come from Spark's own
event log. Run it with `python -m benchmarks.spark_growth`; it needs the extra `spark` and Java.
"""

from __future__ import annotations

import gzip
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyspark import SparkConf, SparkContext

from forest_crawler.batch.inputs import list_files
from forest_crawler.batch.options import BatchOptions
from forest_crawler.spark.job import SparkBatch
from tests.support.warc_builders import http_response, warc_record

CORES = 2
WORDS = [a + b + c for a in ("ba", "to", "ri", "mel") for b in "nksv" for c in ("a", "or", "ent")]


@dataclass(frozen=True, slots=True)
class Size:
    """A batch: `sites` of `pages` pages each, spread over `files`."""

    sites: int
    pages: int
    files: int

    @property
    def total(self) -> int:
        """All pages."""
        return self.sites * self.pages


SERIES = {
    "pages of a site": [Size(10, 12, 2), Size(10, 24, 2), Size(10, 48, 2)],
    "sites": [Size(10, 12, 2), Size(20, 12, 2), Size(40, 12, 2)],
    "files, with their sites": [Size(10, 12, 1), Size(20, 12, 2), Size(40, 12, 4)],
}


def page(site: int, number: int) -> bytes:
    """Write a page of a site: a menu, an article of ten paragraphs, a list of links."""
    words = random.Random(f"{site}/{number}")
    links = random.Random(site)

    def text(source: random.Random, length: int) -> str:
        return " ".join(source.choices(WORDS, k=length)).capitalize() + "."

    menu = "".join(f"<li><a href=/m{n}>{text(links, 2)}</a>" for n in range(12))
    paragraphs = "".join(f"<p>{text(words, 60)}</p>" for _ in range(10))
    more = "".join(f"<li><a href=/x{n}>{text(links, 8)}</a>" for n in range(20))
    return (
        f"<html lang=en><title>{text(words, 6)}</title><ul class=menu{site}>{menu}</ul>"
        f"<article class=story{site}><h1>{text(words, 6)}</h1>{paragraphs}</article>"
        f"<ul class=more{site}>{more}</ul>"
    ).encode()


def records(size: Size, file: int) -> Iterator[bytes]:
    """Yield the records of a file: every site's pages are in all files."""
    for site in range(size.sites):
        for number in range(file, size.pages, size.files):
            url = f"http://site{site}.example/story/{number}"
            yield warc_record(url, http_response(page(site, number)))


def write_files(size: Size, directory: Path) -> list[str]:
    """Write the WARC files of a batch."""
    for file in range(size.files):
        data = b"".join(gzip.compress(record, 6, mtime=0) for record in records(size, file))
        (directory / f"file-{file:03}.warc.gz").write_bytes(data)
    return list_files([str(directory)])


def measure(size: Size, directory: Path) -> dict[str, float]:
    """Run a batch in its own Spark application; return its figures."""
    for name in ("in", "out", "log"):
        (directory / name).mkdir(parents=True)
    files = write_files(size, directory / "in")
    settings = {
        "spark.master": f"local[{CORES}]",
        "spark.app.name": "growth",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": f"file://{directory / 'log'}",
    }
    context = SparkContext(conf=SparkConf().setAll(list(settings.items())))
    context.setLogLevel("ERROR")
    started = context.parallelize(range(CORES), CORES)
    started.foreach(_warm_up)
    began = time.perf_counter()
    summary = SparkBatch(context, files, BatchOptions(str(directory / "out"))).run()
    seconds = time.perf_counter() - began
    context.stop()
    assert summary.articles == size.total, summary
    sizes = [path.stat().st_size for path in (directory / "in").iterdir()]
    return {
        "seconds": seconds,
        "read": sum(sizes),
        "shuffled": shuffled_bytes(directory / "log"),
        **summary.figures,
    }


def _warm_up(_: int) -> None:
    """Start the worker process of a task, which takes seconds once."""
    import asyncio

    from forest_crawler.spark.worker_pool import task_workers

    asyncio.run(task_workers().run(60, os.getpid))


def shuffled_bytes(log: Path) -> int:
    """Add up what all tasks wrote for shuffles."""
    total = 0
    for path in log.rglob("*"):
        for line in path.read_text().splitlines() if path.is_file() else ():
            event = json.loads(line)
            if event.get("Event") == "SparkListenerTaskEnd":
                metrics = event.get("Task Metrics") or {}
                total += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    return total


def main() -> None:
    """Measure all series, and print them as tables."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    known: dict[Size, dict[str, float]] = {}
    began = time.perf_counter()
    for name, sizes in SERIES.items():
        print(f"\nGrowth with {name}\n")
        print("| sites | pages | files | seconds | WARC kB | shuffled kB | pages shuffled |")
        print("|---|---|---|---|---|---|---|")
        for size in sizes:
            with tempfile.TemporaryDirectory() as directory:
                known[size] = known.get(size) or measure(size, Path(directory))
            found = known[size]
            print(
                f"| {size.sites} | {size.total} | {size.files} | {found['seconds']:.1f} "
                f"| {found['read'] / 1000:.0f} | {found['shuffled'] / 1000:.0f} "
                f"| {found['sample_pages']:.0f} |",
                flush=True,
            )
    print(f"\nTook {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
