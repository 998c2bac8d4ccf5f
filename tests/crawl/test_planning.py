"""Pages of a site are looked at together, but none waits for what is put off for long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.crawl.jobs import SiteJob
from forest_crawler.crawl.planning import SIBLINGS, Planning, Sample
from forest_crawler.crawl.poll_status import PollStatus
from forest_crawler.crawl.site_wrappers import SiteWrappers
from forest_crawler.store import Store, open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import fetch, schedule

SITE = "gazette.example"
HOUR = 3600.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(f"sqlite:///{tmp_path}/s.db") as opened:
        yield opened


def plan(store: Store, *, is_ending: bool = False) -> Sample | SiteJob | None:
    """Plan for the site as a run does that has held what is in the store."""
    planning = Planning(SiteWrappers(), PollStatus())
    planning.held.update({site: held for site, held, _ in store.held_sites()})
    planning.is_ending = is_ending
    samples, jobs = planning.plan(store, [SITE])
    found: list[Sample | SiteJob] = [*samples, *jobs]
    return found[0] if found else None


def put_off(store: Store, seconds: float) -> None:
    """Put off the page that is leased next."""
    (lease,) = store.lease(1)
    store.retry(lease.key, "http-503", time.time() + seconds)


def wrap(store: Store) -> None:
    store.replace_wrappers(SITE, [Wrapper(SITE, "forest", "portable", ("//p",))], "first sample")


def test_page_of_a_site_with_wrappers_waits_for_its_siblings(store: Store) -> None:
    wrap(store)
    schedule(store, "abcdefgh")
    fetch(store, 1)
    assert plan(store) is None
    fetch(store, SIBLINGS - 1)
    found = plan(store)
    assert isinstance(found, SiteJob)
    assert len(found.pages) == SIBLINGS


def test_last_page_of_a_run_waits_for_none(store: Store) -> None:
    wrap(store)
    schedule(store, "ab")
    fetch(store, 1)
    assert plan(store) is None
    assert isinstance(plan(store, is_ending=True), SiteJob)


@pytest.mark.parametrize("has_wrappers", [True, False])
def test_no_page_waits_for_one_that_is_put_off_for_long(store: Store, has_wrappers: bool) -> None:
    if has_wrappers:
        wrap(store)
    schedule(store, "ab")
    put_off(store, HOUR)
    fetch(store, 1)
    assert plan(store) is not None


@pytest.mark.parametrize("has_wrappers", [True, False])
def test_page_waits_for_one_that_is_put_off_for_a_moment(store: Store, has_wrappers: bool) -> None:
    if has_wrappers:
        wrap(store)
    schedule(store, "ab")
    put_off(store, 5.0)
    fetch(store, 1)
    assert plan(store) is None


def test_job_has_siblings_though_few_of_its_pages_are_all_checked(store: Store) -> None:
    wrap(store)
    store.record_fits({SITE: [True] * 8})  # of ten that are all checked
    schedule(store, "abcdefgh")
    fetch(store, 8)
    found = plan(store)
    assert isinstance(found, SiteJob)
    keys = [page.key for page in found.pages]
    assert (len(keys), found.always_check) == (SIBLINGS, False)
    assert found.checked == {*keys[:2]}
