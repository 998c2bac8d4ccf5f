"""The first pass over a file: which pages it has, which of them may be in samples, its feeds.

Bodies are left where they are. A page is known by the hash of its key, and found again by its
position in the file.
"""

from __future__ import annotations

import asyncio
import logging
from array import array
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from heapq import nsmallest
from itertools import islice

from forest_crawler.batch.inputs import local_copy
from forest_crawler.crawl.sampling import SAMPLE_SIZE
from forest_crawler.crawl.source_jobs import Document, SourceReading, read_source
from forest_crawler.crawl.warc_pages import NamedPages, is_feed, make_page, page_hash
from forest_crawler.crawl.warc_records import Damage, Position, Response, read_responses
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.store.records import Candidate

READ_SECONDS = 10.0
"""Time limit of a worker for one feed."""

READ_AHEAD = 20
"""Records that are read in one go, in a thread."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, order=True)
class SamplePage:
    """A page that may be in its site's sample; the smallest hashes are."""

    hash: int
    file: int  # the number of its file
    position: Position


@dataclass(frozen=True, slots=True)
class FileScan:
    """What a file has."""

    file: int
    samples: Mapping[str, tuple[SamplePage, ...]]  # of each site, those with the smallest hashes
    hashes: bytes  # of all pages, sorted, each once, as 64-bit numbers
    candidates: tuple[Candidate, ...] = ()  # that its feeds name
    damage: Damage = field(default_factory=Damage)


def merge_samples(
    some: Iterable[SamplePage], others: Iterable[SamplePage]
) -> tuple[SamplePage, ...]:
    """Return the sample of two samples: ten pages, each once, from its first file."""
    first: dict[int, SamplePage] = {}
    for page in sorted([*some, *others]):
        first.setdefault(page.hash, page)
    return tuple(islice(first.values(), SAMPLE_SIZE))


def join_samples(scans: Iterable[FileScan]) -> dict[str, tuple[SamplePage, ...]]:
    """Join the samples of files by site."""
    samples: dict[str, tuple[SamplePage, ...]] = {}
    for scan in scans:
        for site, pages in scan.samples.items():
            samples[site] = merge_samples(samples.get(site, ()), pages)
    return samples


async def scan_file(
    workers: Workers, file: int, name: str, named: NamedPages | None = None
) -> FileScan:
    """Scan a file; without `named`, its feeds are read, and the pages that they don't name count.

    A second scan, with what all feeds name, leaves those pages out.
    """
    samples: dict[str, list[SamplePage]] = {}
    hashes: set[int] = set()
    candidates: list[Candidate] = []
    damage = Damage()
    with local_copy(name) as path:
        async for response in read_ahead(read_responses(path, damage)):
            if is_feed(response.document):
                if named is None:
                    candidates += await _read_feed(workers, response.document)
            elif page := make_page(response.document, response.status, named or NamedPages()):
                number = page_hash(page.key)
                if number not in hashes:
                    hashes.add(number)
                    sample = samples.setdefault(page.site, [])
                    sample.append(SamplePage(number, file, response.position))
                    if len(sample) > 4 * SAMPLE_SIZE:
                        sample[:] = nsmallest(SAMPLE_SIZE, sample)
    best = {site: tuple(nsmallest(SAMPLE_SIZE, found)) for site, found in samples.items()}
    return FileScan(file, best, array("Q", sorted(hashes)).tobytes(), tuple(candidates), damage)


async def read_ahead(responses: Iterable[Response]) -> AsyncIterator[Response]:
    """Read responses in a thread, some at a time, so that other files go on meanwhile."""
    iterator, loop = iter(responses), asyncio.get_running_loop()
    while batch := await loop.run_in_executor(None, partial(_take, iterator)):
        for response in batch:
            yield response


def _take(iterator: Iterable[Response]) -> list[Response]:
    return list(islice(iterator, READ_AHEAD))


async def _read_feed(workers: Workers, document: Document) -> tuple[Candidate, ...]:
    try:
        reading: SourceReading = await workers.run(READ_SECONDS, read_source, document)
    except WorkerError as err:
        _log.info("%s: %s", document.url, err)
        return ()
    return reading.candidates if reading.kind == "feed" else ()
