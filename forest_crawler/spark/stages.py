"""What Spark runs on its executors: the stages of a batch, as functions of plain values."""

from __future__ import annotations

import asyncio
import pickle
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from forest_crawler.batch.extraction import FileExtraction, FileResult
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.repeats import Hashes
from forest_crawler.batch.scan import FileScan, SamplePage, scan_file
from forest_crawler.batch.site_plans import SitePlan, induce_plan, read_sample
from forest_crawler.batch.tallies import Tally
from forest_crawler.batch.wrapper_files import WrapperFiles
from forest_crawler.crawl.warc_pages import NamedPages
from forest_crawler.spark.worker_pool import task_workers
from forest_crawler.store.records import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

File = tuple[int, str]
"""The number and the name of a file."""


class Shared(Protocol):
    """A value that Spark has sent to all executors."""

    @property
    def value(self) -> Any:
        """The value."""


class Figure(Protocol):
    """A sum that tasks add to."""

    def add(self, term: int) -> None:
        """Add a number."""


def scan(file: File, named: Shared | None) -> FileScan:
    """Scan a file."""
    return asyncio.run(scan_file(task_workers(), *file, named.value if named else None))


def read_pages(
    of_file: tuple[int, Iterable[SamplePage]],
    files: Shared,
    named: Shared,
    pages: Figure,
    size: Figure,
) -> Iterator[tuple[str, tuple[SamplePage, HeldPage]]]:
    """Read the pages of a file that are in samples; only these are shuffled."""
    file, wanted = of_file
    names: Sequence[str] = files.value
    known: NamedPages = named.value
    for site, found in read_sample(names[file], wanted, known):
        pages.add(1)
        size.add(len(found[1].body))
        yield site, found


def induce(of_site: tuple[str, Iterable[tuple[SamplePage, HeldPage]]], method: str) -> SitePlan:
    """Induce the wrappers of a site from its sample."""
    site, pages = of_site
    return asyncio.run(induce_plan(task_workers(), site, pages, method))


def read_wrappers(name: str, files: WrapperFiles) -> Iterator[tuple[str, list[Wrapper]]]:
    """Read a file of known wrappers, by site."""
    return iter(files.read(name).items())


def add_wrappers(of_file: tuple[str, Iterable[SitePlan]], files: WrapperFiles) -> int:
    """Add induced wrappers to their file; return the number of sites."""
    return files.add(of_file[0], sorted(of_file[1], key=lambda plan: plan.site))


def extract(
    file: File,
    dropped: Hashes | None,
    plans: Mapping[str, SitePlan],
    named: Shared,
    options: BatchOptions,
) -> FileResult:
    """Extract a file, and write its parts."""
    known: NamedPages = named.value
    work = FileExtraction(task_workers(), options, plans, known, dropped or b"")
    return asyncio.run(work.run(file[1]))


def plan_size(plan: SitePlan) -> int:
    """Return the bytes that a plan takes on its way to another machine."""
    return len(pickle.dumps(plan))


def join_hashes(some: Hashes, others: Hashes) -> Hashes:
    """Join two sets of hashes."""
    return array("Q", sorted({*array("Q", some), *array("Q", others)})).tobytes()


def add_tallies(some: Tally, others: Tally) -> Tally:
    """Add up the counts of a site."""
    return some + others
