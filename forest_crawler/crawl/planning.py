"""`Planning`: what to do next for a site whose pages are held.

A site without wrappers waits until its sample is complete; then wrappers are induced, and every
held page becomes an article. Pages that the site refuses are no sample: they come before it. With
wrappers, a few pages are enough: what a site serves during an outage shows by comparing siblings.
Neither waits for pages that are put off for long.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from forest_crawler.article.content.forms import DEFAULT_FORMS, FormOptions
from forest_crawler.crawl.jobs import NumberedWrapper, SiteJob
from forest_crawler.crawl.poll_status import PollStatus
from forest_crawler.crawl.sampling import MAX_SAMPLE, SAMPLE_SIZE, is_complete
from forest_crawler.crawl.scope import Scope
from forest_crawler.crawl.site_wrappers import SiteWrappers
from forest_crawler.extraction.extraction import FALLBACK
from forest_crawler.induction import DEFAULT_METHOD
from forest_crawler.store import HeldPage, Store
from forest_crawler.store.records import MIN_REFUSED

JOB_PAGES = 20
"""Pages per job, of as many sites as it takes."""

SIBLINGS = 4
"""Pages of a site with wrappers that make a job while more are about to be fetched."""

SOON = 60.0
"""Seconds within which a page must be due for its siblings to wait for it."""

SITE_JOB_PAGES = 10
"""Pages of one site per job: a redesign shows when they come back, not long after."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Pages to induce from; `old`: the wrappers that have drifted."""

    site: str
    held: tuple[HeldPage, ...]
    recent: tuple[HeldPage, ...] = ()  # archived or skipped already
    old: tuple[NumberedWrapper, ...] = ()
    is_more_due: bool = False
    method: str = DEFAULT_METHOD

    @property
    def pages(self) -> tuple[HeldPage, ...]:
        """All pages of the sample."""
        return (*self.held, *self.recent)


class Planning:
    """Plans by what is held, what is known of wrappers, and what may still arrive.

    `held` counts the pages of each site; once `is_ending`, no more arrive.
    """

    def __init__(
        self,
        wrappers: SiteWrappers,
        poll_status: PollStatus,
        *,
        method: str = DEFAULT_METHOD,
        fallback: str = FALLBACK,
        forms: FormOptions = DEFAULT_FORMS,
        scope: Scope | None = None,
    ) -> None:
        self._scope = scope or None
        self._method, self._fallback, self._forms = method, fallback, forms
        self._wrappers = wrappers
        self._poll_status = poll_status
        self.held: Counter[str] = Counter()
        self.is_ending = False

    def plan(self, store: Store, sites: list[str]) -> tuple[list[Sample], list[SiteJob]]:
        """Plan for the first sites until a job is full; the others stay in `sites`.

        Runs in the store's thread. Bodies that are files are not read yet (`BodyTransfers`).
        """
        samples: list[Sample] = []
        jobs: list[SiteJob] = []
        room = JOB_PAGES
        with store.view():
            while sites and room > 0 and not samples:
                step = self._plan_site(store, sites.pop(0), room)
                if isinstance(step, Sample):
                    samples.append(step)
                elif step is not None:
                    jobs.append(step)
                    room -= len(step.pages)
        return samples, jobs

    def _plan_site(self, store: Store, site: str, room: int) -> Sample | SiteJob | None:
        wrappers = self._wrappers.load(store, site)
        if site in self._wrappers.drifted:
            held = store.held_pages(site, MAX_SAMPLE, newest=True, load=False)
            recent = store.recent_pages(site, MAX_SAMPLE - len(held), load=False)
            return Sample(site, tuple(held), tuple(recent), wrappers, method=self._method)
        if wrappers or self._wrappers.has_failed(site):
            if self.held[site] < SIBLINGS and self._is_more_due(store, site):
                return None
            # No more than are all to be checked: which pages are doesn't depend on room then.
            is_new = self._wrappers.is_new(site)
            limit = min(SITE_JOB_PAGES, self._wrappers.unchecked(site) if is_new else room)
            limit = min(room, limit)
            pages = tuple(store.held_pages(site, max(limit, SIBLINGS), load=False))
            if not pages:
                self.held.pop(site, None)
                return None
            is_all = is_new and len(pages) <= limit
            checked = frozenset(page.key for page in pages[:limit]) if is_new else frozenset()
            return SiteJob(
                site, wrappers, pages, self._fallback, self._forms, is_all, self._scope, checked
            )
        return self._plan_sample(store, site)

    def _plan_sample(self, store: Store, site: str) -> Sample | SiteJob | None:
        if self._poll_status.is_sampling(site):
            return None
        is_more_due = self._is_more_due(store, site)
        if not is_complete(self.held[site], is_more_due=is_more_due):
            return None
        held = store.held_pages(site, SAMPLE_SIZE, load=False)
        if not held:
            self.held.pop(site, None)
            return None
        if refused := tuple(page for page in held if page.status >= MIN_REFUSED):
            return SiteJob(site, (), refused, self._fallback, self._forms, scope=self._scope)
        recent = store.recent_pages(site, SAMPLE_SIZE - len(held), load=False)
        return Sample(site, tuple(held), tuple(recent), (), is_more_due, self._method)

    def _is_more_due(self, store: Store, site: str) -> bool:
        """Report whether more pages of a site are about to arrive."""
        if self.is_ending:
            return False
        return self._poll_status.is_polling(site) or store.pending(site, within=SOON) > 0
