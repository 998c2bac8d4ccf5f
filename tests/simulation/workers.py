"""Simulated workers: the jobs' results, without parsing, after a while."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from forest_crawler.crawl.doubts import OTHER_TITLE, REPEATED
from forest_crawler.crawl.extraction_job import extract_sites
from forest_crawler.crawl.held_pages import body_of
from forest_crawler.crawl.induction_job import induce_site
from forest_crawler.crawl.jobs import (
    NO_ARTICLE,
    InductionResult,
    NumberedWrapper,
    PageResult,
    SiteJob,
    SiteResult,
)
from forest_crawler.crawl.source_jobs import NOT_A_FEED, Document, SourceReading, read_source
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.extraction.extraction import BY_WRAPPER
from forest_crawler.store import Candidate, HeldPage, NewArticle
from forest_crawler.store.doubt_pauses import is_settled
from forest_crawler.store.records import MAX_DOUBTS
from forest_crawler.urls.canonical import url_key
from forest_crawler.urls.hosts import site_of
from forest_crawler.wrapper.wrapper import Wrapper


class SimulatedWorkers(Workers):
    """Does jobs in the simulation's own process; some exceed their limits."""

    def __init__(self, random: Random) -> None:
        self.count = 2
        self._random = random
        self._failure_share = random.choice([0.0, 0.0, 0.02])

    async def run(
        self, seconds: float, function: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> Any:
        await asyncio.sleep(self._random.uniform(0.01, 0.5))
        if self._random.random() < self._failure_share:
            await asyncio.sleep(seconds)
            raise WorkerError("time-limit")
        return _JOBS[function](*args)

    def stop(self) -> None:
        pass


def _read_source(document: Document) -> SourceReading:
    if not document.body.startswith(b"{"):
        return SourceReading("feed", NOT_A_FEED)
    feed = json.loads(document.body)
    urls = [f"https://{feed['host']}/{number}" for number in feed["articles"]]
    return SourceReading("feed", candidates=tuple(_candidate(url, document) for url in urls))


def _candidate(url: str, document: Document) -> Candidate:
    return Candidate(url_key(url) or "", url, site_of(url) or "", document.source_id)


def _induce(
    site: str, pages: Sequence[HeldPage], old: Sequence[Wrapper] = (), method: str = ""
) -> InductionResult:
    bodies = {page.key: json.loads(body_of(page)) for page in pages}
    doubts = {
        page.key: REPEATED
        for page in pages
        if "notice" in bodies[page.key]
        and not is_settled(page.doubts, REPEATED)
        and not _passes(bodies[page.key])
    }
    designs = {body["design"] for body in bodies.values() if "article" in body}
    wrappers = tuple(Wrapper(site, "m", "portable", (f"//div[@id='d{n}']",)) for n in designs)
    reason = None if wrappers else "the same text on every page"
    articles = sum("article" in body for body in bodies.values())
    return InductionResult(site, wrappers, articles, reason=reason, doubts=doubts)


def _extract(jobs: Sequence[SiteJob]) -> list[SiteResult]:
    return [
        SiteResult(job.site, tuple(_extract_page(page, job.wrappers) for page in job.pages))
        for job in jobs
    ]


def _extract_page(page: HeldPage, wrappers: Sequence[NumberedWrapper]) -> PageResult:
    body = json.loads(body_of(page))
    if "notice" in body:
        return _doubt(page, body)
    fitting = [n for n, wrapper in wrappers if f"'d{body['design']}'" in wrapper.body[0]]
    further = [part for part in page.parts if "article" in json.loads(body_of(part))]
    article = NewArticle(
        id=page.key,
        key=page.key,
        site=page.site,
        url=page.url,
        extractor=BY_WRAPPER if fitting else "page:page",
        wrapper_id=fitting[0] if fitting else None,
        content_hash=page.key,
        line=json.dumps({"key": page.key, "article": body["article"]}),
    )
    next_page = body["next"] if not page.parts else None
    return PageResult(page.key, article, parts=len(further), next_page=next_page)


def _doubt(page: HeldPage, body: dict[str, Any]) -> PageResult:
    """Doubt a notice; half of them pass for articles as long as they may still be put off."""
    passes = _passes(body)
    article = NewArticle(
        page.key, page.key, page.site, page.url, "page:page", None, "", '{"key": "garbage"}'
    )
    reason = OTHER_TITLE if passes else REPEATED
    return PageResult(page.key, article if passes else None, f"{NO_ARTICLE}-{reason}", doubt=reason)


def _passes(body: dict[str, Any]) -> bool:
    """Return whether a notice passes for an article, the same in every process.

    None does after the notices that a page may be put off for, as the host has counted them.
    """
    return sum(body["notice"].encode()) % 2 == 0 and int(body["served"]) < MAX_DOUBTS


_JOBS: dict[Callable[..., Any], Callable[..., Any]] = {
    read_source: _read_source,
    induce_site: _induce,
    extract_sites: _extract,
}
