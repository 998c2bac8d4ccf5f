"""Run a batch in the worker pool of this machine.

The stages are those of the Spark job, with the same functions: scan, samples, plans, extraction,
report.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from forest_crawler.batch.extraction import FileExtraction, FileResult
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.repeats import Hashes, find_repeats
from forest_crawler.batch.report import BatchSummary, refuse_other_writers, write_report
from forest_crawler.batch.scan import FileScan, SamplePage, join_samples, scan_file
from forest_crawler.batch.site_plans import SitePlan, induce_plan, plan_known, read_samples
from forest_crawler.batch.tallies import Tally, report_site
from forest_crawler.batch.wrapper_files import WrapperFiles
from forest_crawler.crawl.warc_pages import NamedPages, gather_named
from forest_crawler.crawl.workers import Workers
from forest_crawler.text.counts import count

FILES_AT_ONCE = 2
"""Files that are read at a time: while one waits for workers, the other is read."""

SITES_AT_ONCE = 100
"""Sites whose samples are in memory at a time: some 50 MB of pages."""

Samples = Mapping[str, Sequence[SamplePage]]
_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass
class BatchRun:
    """A batch; `say` gets a line per stage."""

    files: Sequence[str]
    options: BatchOptions
    workers: Workers
    say: Callable[[str], None] = lambda _: None

    async def run(self) -> BatchSummary:
        """Make articles of all files."""
        refuse_other_writers(self.options.output)
        scans, named = await self._scan()
        samples = join_samples(scans)
        self.say(f"{count(len(samples), 'site')} in {count(len(self.files), 'file')}")
        plans = await self._plan(samples, named)
        dropped = find_repeats((scan.file, scan.hashes) for scan in scans)
        results = await self._extract(plans, named, dropped)
        return self._report(plans, results)

    async def _scan(self) -> tuple[list[FileScan], NamedPages]:
        scans = await self._scan_files(None)
        named = gather_named(found for scan in scans for found in scan.candidates)
        # Pages that the feeds don't name are left out, which changes the samples.
        return (await self._scan_files(named) if named else scans), named

    async def _scan_files(self, named: NamedPages | None) -> list[FileScan]:
        async def scan(file: tuple[int, str]) -> FileScan:
            return await scan_file(self.workers, *file, named)

        return await _run_some(list(enumerate(self.files)), scan, FILES_AT_ONCE)

    async def _plan(self, samples: Samples, named: NamedPages) -> dict[str, SitePlan]:
        """Plan for all sites; wrappers that are induced are written at once."""
        files = WrapperFiles(self.options.wrappers_address)
        known = files.read_all()
        plans = {
            site: plan_known(site, sample, known[site])
            for site, sample in samples.items()
            if site in known
        }
        for sites in _chunks(sorted(samples.keys() - known.keys()), SITES_AT_ONCE):
            induced = await self._induce({site: samples[site] for site in sites}, named)
            plans |= {plan.site: plan for plan in induced}
        by_name: dict[str, list[SitePlan]] = {}
        for plan in plans.values():
            by_name.setdefault(files.name_for(plan.site), []).append(plan)
        for name, found in sorted(by_name.items()):
            files.add(name, found)
        if plans:
            self.say(", ".join(f"{n} {it}" for it, n in sorted(_count_origins(plans).items())))
        return plans

    async def _induce(self, samples: Samples, named: NamedPages) -> list[SitePlan]:
        held = read_samples(self.files, samples, named)

        async def induce(site: str) -> SitePlan:
            return await induce_plan(self.workers, site, held[site], self.options.method)

        return await _run_some(list(held), induce, 2 * self.workers.count)

    async def _extract(
        self, plans: Mapping[str, SitePlan], named: NamedPages, dropped: Mapping[int, Hashes]
    ) -> list[FileResult]:
        async def extract(file: tuple[int, str]) -> FileResult:
            number, name = file
            drops = dropped.get(number, b"")
            work = FileExtraction(self.workers, self.options, plans, named, drops)
            return await work.run(name)

        return await _run_some(list(enumerate(self.files)), extract, FILES_AT_ONCE)

    def _report(self, plans: Mapping[str, SitePlan], results: Sequence[FileResult]) -> BatchSummary:
        tallies: dict[str, Tally] = {}
        for result in results:
            for site, tally in result.tallies.items():
                tallies.setdefault(site, Counter()).update(tally)
        rows = [report_site(plans[site], tally) for site, tally in tallies.items() if site in plans]
        return write_report(self.options.output, results, rows)


def _count_origins(plans: Mapping[str, SitePlan]) -> Counter[str]:
    return Counter(plan.origin for plan in plans.values())


def _chunks(items: Sequence[_Item], size: int) -> Iterable[Sequence[_Item]]:
    return (items[start : start + size] for start in range(0, len(items), size))


async def _run_some(
    items: Sequence[_Item], run: Callable[[_Item], Awaitable[_Result]], limit: int
) -> list[_Result]:
    """Run something for all items, so many at a time; return the results in order."""
    slots = asyncio.Semaphore(limit)

    async def run_one(item: _Item) -> _Result:
        async with slots:
            return await run(item)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run_one(item)) for item in items]
    except BaseExceptionGroup as failed:  # the first one ends the others; they say nothing new
        raise failed.exceptions[0] from failed
    return [task.result() for task in tasks]
