"""`SparkBatch`: the stages of a batch as Spark's transformations.

What is shuffled: for each site ten positions per file, then the pages of its sample; for each page
its hash, eight bytes; the counts of sites. Wrappers are broadcast up to `max_broadcast` bytes;
beyond, each file gets those of its own sites by a join. The bodies of other pages are never moved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from forest_crawler.batch.extraction import FileResult
from forest_crawler.batch.options import BatchOptions
from forest_crawler.batch.repeats import Hashes, find_repeats, split_hashes
from forest_crawler.batch.report import BatchSummary, refuse_other_writers, write_report
from forest_crawler.batch.scan import FileScan, SamplePage, merge_samples
from forest_crawler.batch.site_plans import SitePlan, plan_known
from forest_crawler.batch.tallies import Tally, report_site
from forest_crawler.batch.wrapper_files import WrapperFiles
from forest_crawler.crawl.warc_pages import gather_named
from forest_crawler.spark import stages
from forest_crawler.store.records import Candidate
from forest_crawler.text.counts import count
from forest_crawler.wrapper.wrapper import Wrapper

if TYPE_CHECKING:
    from pyspark import SparkContext

MAX_BROADCAST = 256 << 20
"""Bytes of wrappers that are sent to every executor: those of some 80,000 sites. Each of an
executor's Python processes has a copy."""

Extract = Callable[[stages.File, Hashes | None, Mapping[str, SitePlan]], FileResult]

Rdd = Any
"""pyspark's RDD; the package need not be installed to check types."""


@dataclass
class SparkBatch:
    """A batch on Spark; `say` gets a line per stage."""

    context: SparkContext
    files: Sequence[str]
    options: BatchOptions
    max_broadcast: int = MAX_BROADCAST
    say: Callable[[str], None] = lambda _: None
    _kept: list[Rdd] = field(default_factory=list)

    def run(self) -> BatchSummary:
        """Make articles of all files."""
        refuse_other_writers(self.options.output)
        self._figures = {
            name: self.context.accumulator(0) for name in ("sample_pages", "sample_bytes")
        }
        try:
            return self._run()
        finally:
            for rdd in self._kept:
                rdd.unpersist()

    def _run(self) -> BatchSummary:
        numbered = list(enumerate(self.files))
        files = self.context.parallelize(numbered, len(numbered))
        scans = self._scan(files)
        samples = self._keep(
            scans.flatMap(lambda scan: scan.samples.items()).reduceByKey(merge_samples, self._width)
        )
        self.say(f"{count(samples.count(), 'site')} in {count(len(numbered), 'file')}")
        plans = self._plan(samples)
        results = self._keep(self._extract(files, scans, plans))
        return self._report(plans, results)

    @property
    def _width(self) -> int:
        """The number of partitions of what is shuffled by site."""
        return max(int(self.context.defaultParallelism), len(self.files))

    def _keep(self, rdd: Rdd) -> Rdd:
        """Keep what several stages read, so that it isn't computed again."""
        from pyspark import StorageLevel  # without the extra, this module can be imported

        self._kept.append(rdd)
        return rdd.persist(StorageLevel.MEMORY_AND_DISK)

    def _scan(self, files: Rdd) -> Rdd:
        """Scan all files, again if they have feeds: unnamed pages are left out then."""
        scans = self._keep(files.map(partial(stages.scan, named=None)))
        named = gather_named(
            found for of_file in scans.map(_candidates).filter(bool).collect() for found in of_file
        )
        self._named = self.context.broadcast(named)
        if named:
            scans = self._keep(files.map(partial(stages.scan, named=self._named)))
        return scans

    def _plan(self, samples: Rdd) -> Rdd:
        """Plan for all sites: by wrappers that are known, or by induction."""
        files = WrapperFiles(self.options.wrappers_address)
        names = files.names_there()
        if not names:
            return self._induce(samples, files)
        known = self._keep(
            self.context.parallelize(names, len(names)).flatMap(
                partial(stages.read_wrappers, files=files)
            )
        )
        plans = samples.join(known, self._width).map(_plan_known)
        return self._keep(plans.union(self._induce(samples.subtractByKey(known), files)))

    def _induce(self, samples: Rdd, files: WrapperFiles) -> Rdd:
        read = partial(
            stages.read_pages,
            files=self.context.broadcast(list(self.files)),
            named=self._named,
            pages=self._figures["sample_pages"],
            size=self._figures["sample_bytes"],
        )
        by_file = samples.flatMap(_by_file).groupByKey(self._width)
        pages = by_file.flatMap(read).groupByKey(self._width)
        plans = self._keep(pages.map(partial(stages.induce, method=self.options.method)))
        by_name = plans.keyBy(partial(_wrapper_file, files=files)).groupByKey(self._width)
        induced = by_name.map(partial(stages.add_wrappers, files=files)).sum()
        self.say(f"wrappers of {induced} sites induced: {self.options.wrappers_address}")
        return plans

    def _extract(self, files: Rdd, scans: Rdd, plans: Rdd) -> Rdd:
        numbered = files.leftOuterJoin(self._find_repeats(scans), len(self.files))
        work = partial(stages.extract, named=self._named, options=self.options)
        size = plans.map(stages.plan_size).sum()
        if size <= self.max_broadcast:
            shared = self.context.broadcast({plan.site: plan for plan in plans.collect()})
            return numbered.map(partial(_extract_shared, plans=shared, work=work))
        self.say(f"{size >> 20} MB of wrappers are too large to broadcast: joined by file")
        sites = scans.flatMap(lambda scan: [(site, scan.file) for site in scan.samples])
        by_file = sites.join(plans.keyBy(_site), self._width).values().groupByKey(len(self.files))
        joined = numbered.leftOuterJoin(by_file, len(self.files))
        return joined.map(partial(_extract_joined, work=work))

    def _find_repeats(self, scans: Rdd) -> Rdd:
        """Return the hashes that each file drops, by the number of the file."""
        width = self._width
        split = scans.flatMap(
            lambda scan: [
                (group, (scan.file, hashes)) for group, hashes in split_hashes(scan.hashes, width)
            ]
        )
        found = split.groupByKey(width).flatMap(lambda of_group: find_repeats(of_group[1]).items())
        return found.reduceByKey(stages.join_hashes, len(self.files))

    def _report(self, plans: Rdd, results: Rdd) -> BatchSummary:
        tallies = results.flatMap(lambda result: result.tallies.items())
        tallies = tallies.reduceByKey(stages.add_tallies, self._width)
        rows = plans.keyBy(_site).join(tallies, self._width).values().map(_report_row).collect()
        files = results.map(lambda result: replace(result, tallies={})).collect()
        figures = {name: figure.value for name, figure in self._figures.items()}
        return write_report(self.options.output, files, rows, figures)


def _candidates(scan: FileScan) -> tuple[Candidate, ...]:
    return scan.candidates


def _by_file(of_site: tuple[str, Sequence[SamplePage]]) -> list[tuple[int, SamplePage]]:
    return [(page.file, page) for page in of_site[1]]


def _plan_known(joined: tuple[str, tuple[Sequence[SamplePage], Sequence[Wrapper]]]) -> SitePlan:
    site, (sample, wrappers) = joined
    return plan_known(site, sample, wrappers)


def _site(plan: SitePlan) -> str:
    return plan.site


def _wrapper_file(plan: SitePlan, files: WrapperFiles) -> str:
    return files.name_for(plan.site)


def _report_row(joined: tuple[SitePlan, Tally]) -> dict[str, Any]:
    return report_site(*joined)


def _extract_shared(
    numbered: tuple[int, tuple[str, Hashes | None]], plans: Any, work: Extract
) -> FileResult:
    number, (name, dropped) = numbered
    return work((number, name), dropped, plans.value)


def _extract_joined(
    joined: tuple[int, tuple[tuple[str, Hashes | None], Iterable[SitePlan] | None]], work: Extract
) -> FileResult:
    number, ((name, dropped), plans) = joined
    return work((number, name), dropped, {plan.site: plan for plan in plans or ()})
