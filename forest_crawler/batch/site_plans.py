"""`SitePlan`: what the second pass must know about a site: its wrappers, and its sample.

A plan comes from wrappers that are known, or from an induction on the site's sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from forest_crawler.batch.inputs import open_slices
from forest_crawler.batch.scan import SamplePage
from forest_crawler.crawl.limited_jobs import induce_within_limits
from forest_crawler.crawl.planning import Sample
from forest_crawler.crawl.warc_pages import NamedPages, make_page
from forest_crawler.crawl.warc_records import read_response_at
from forest_crawler.crawl.workers import Workers
from forest_crawler.store.records import HeldPage
from forest_crawler.wrapper.wrapper import Wrapper

Origin = Literal["known", "induced", "none"]


@dataclass(frozen=True, slots=True)
class SitePlan:
    """How the pages of a site are extracted."""

    site: str
    wrappers: tuple[Wrapper, ...]
    last_hash: int  # the largest of its sample: pages up to it are checked by the page model
    origin: Origin
    reason: str | None = None  # why there is no wrapper


def plan_known(site: str, sample: Sequence[SamplePage], wrappers: Sequence[Wrapper]) -> SitePlan:
    """Plan for a site whose wrappers are known."""
    return SitePlan(site, tuple(wrappers), sample[-1].hash, "known")


def read_sample(
    name: str, pages: Iterable[SamplePage], named: NamedPages
) -> Iterator[tuple[str, tuple[SamplePage, HeldPage]]]:
    """Read the pages of a file that are in samples, with their sites."""
    with open_slices(name) as data:
        for page in sorted(pages):
            response = read_response_at(data, page.position)
            held = make_page(response.document, response.status, named) if response else None
            if held is not None:
                yield held.site, (page, held)


async def induce_plan(
    workers: Workers, site: str, pages: Iterable[tuple[SamplePage, HeldPage]], method: str
) -> SitePlan:
    """Induce a site's wrappers from its sample, within the limits of workers."""
    ordered = sorted(pages, key=lambda it: it[0])
    held = tuple(page for _, page in ordered)
    found = await induce_within_limits(workers, Sample(site, held, method=method))
    last = ordered[-1][0].hash
    if found.wrappers:
        return SitePlan(site, found.wrappers, last, "induced")
    return SitePlan(site, (), last, "none", found.reason)


def read_samples(
    files: Sequence[str], samples: Mapping[str, Sequence[SamplePage]], named: NamedPages
) -> dict[str, list[tuple[SamplePage, HeldPage]]]:
    """Read the samples of sites from all files, each in the order of hashes."""
    by_file: dict[int, list[SamplePage]] = {}
    for pages in samples.values():
        for page in pages:
            by_file.setdefault(page.file, []).append(page)
    held: dict[str, list[tuple[SamplePage, HeldPage]]] = {site: [] for site in samples}
    for file, pages in sorted(by_file.items()):
        for site, found in read_sample(files[file], pages, named):
            held[site].append(found)
    return {site: sorted(found, key=lambda it: it[0]) for site, found in held.items() if found}
