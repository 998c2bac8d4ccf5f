"""The frontier: each page once, fair leases, and the account adds up."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from forest_crawler.store import Candidate, FetchedPage, Store, open_store
from forest_crawler.store.leases import LEASE_TIME, MAX_WAIT
from tests.support.store_builders import (
    FakeClock,
    archive_held,
    article,
    candidate,
    fetch,
    schedule,
)


@pytest.fixture
def store(store: Store) -> Store:
    """Return the empty store, in a run."""
    store.begin_run()
    return store


def lease_keys(store: Store, limit: int, per_site: int | None = None, **slots: int) -> list[str]:
    by_site = {f"{site}.example": number for site, number in slots.items()}
    leases = store.lease(limit, per_site=per_site, slots=by_site)
    return [lease.key for lease in leases]


def test_the_same_article_in_fifty_feeds_is_fetched_once_and_has_fifty_mentions(
    store: Store,
) -> None:
    feeds = [store.add_source(f"https://feeds.example/{i}").id for i in range(50)]
    counts = [store.schedule([candidate("a", source=feed)]) for feed in feeds]
    assert counts == [1] + 49 * [0]
    assert store.mentions("gazette.example/a") == feeds
    assert fetch(store) == ["gazette.example/a"]
    assert fetch(store) == []


def test_rolling_guids_do_not_fetch_a_page_again(store: Store) -> None:
    feed = store.add_source("https://gazette.example/feed").id
    for poll in range(5):
        page = Candidate("k", "https://gazette.example/a", "gazette.example", feed, f"guid-{poll}")
        store.schedule([page])
        fetch(store)
    assert store.account()["scheduled"] == 1
    assert store.mentions("k") == [feed]


@pytest.mark.parametrize(
    ("pages", "scheduled"),
    [
        ([("a", "1"), ("b", "1")], 2),  # a guid used twice must not hide the second page
        ([("a", "1"), ("a", "2")], 1),  # one page under two guids is one article
        ([("a", None), ("b", None)], 2),
    ],
    ids=["guid-reused", "page-repeated", "no-guids"],
)
def test_pages_are_distinguished_by_their_key(
    store: Store, pages: list[tuple[str, str | None]], scheduled: int
) -> None:
    feed = store.add_source("https://gazette.example/feed").id
    found = [Candidate(key, f"https://g.example/{key}", "g", feed, guid) for key, guid in pages]
    assert store.schedule(found) == scheduled


def test_leases_take_sites_in_turn_and_the_oldest_page_first(store: Store) -> None:
    schedule(store, ["1", "2", "3", "4"], "a.example")
    schedule(store, ["1", "2"], "b.example")
    schedule(store, ["1"], "c.example")
    assert lease_keys(store, 5) == [
        "a.example/1",
        "b.example/1",
        "c.example/1",
        "a.example/2",
        "b.example/2",
    ]
    assert lease_keys(store, 5) == ["a.example/3", "a.example/4"]


def test_a_large_site_fills_what_small_ones_leave(store: Store) -> None:
    schedule(store, [str(i) for i in range(9)], "a.example")
    schedule(store, ["1"], "b.example")
    assert len(lease_keys(store, 8)) == 8


def test_per_site_counts_earlier_leases(store: Store) -> None:
    schedule(store, ["1", "2", "3", "4"], "a.example")
    assert lease_keys(store, 10, per_site=2) == ["a.example/1", "a.example/2"]
    assert lease_keys(store, 10, per_site=2) == []
    store.fail("a.example/1", "dns")
    assert lease_keys(store, 10, per_site=2) == ["a.example/3"]


def test_single_sites_may_have_more_slots_or_none(store: Store) -> None:
    for site in ("a.example", "b.example", "c.example"):
        schedule(store, ["1", "2", "3"], site)
    assert lease_keys(store, 10, per_site=1, a=0, b=2) == [
        "b.example/1",
        "c.example/1",
        "b.example/2",
    ]
    assert lease_keys(store, 10, per_site=1, b=3) == ["a.example/1", "b.example/3"]
    assert lease_keys(store, 10, a=2) == ["a.example/2", "c.example/2", "c.example/3"]


def test_a_lease_carries_the_feed_entry(store: Store) -> None:
    feed = store.add_source("https://gazette.example/feed").id
    entry = {"title": "Rain \ud800 \x00", "tags": ["weather"], "published": None}
    store.schedule([Candidate("k", "https://g.example/k", "g.example", feed, "guid-1", entry)])
    (lease,) = store.lease(1)
    assert (lease.entry, lease.guid, lease.source_id, lease.attempts) == (entry, "guid-1", feed, 0)


def test_a_retry_waits_until_its_time(store: Store, clock: FakeClock) -> None:
    schedule(store, ["a"])
    store.lease(1)
    store.retry("gazette.example/a", "http 503", clock.time + 60)
    assert (store.next_due(), store.lease(1)) == (clock.time + 60, [])
    clock.time += 60
    (lease,) = store.lease(1)
    assert lease.attempts == 1


def test_attempts_count_answers_and_neither_kills_nor_put_offs(store_url: str) -> None:
    for _ in range(3):
        with open_store(store_url) as store:  # each is killed while it fetches the page
            store.begin_run()
            schedule(store, ["a"])
            assert [lease.attempts for lease in store.lease(1)] == [0]
    with open_store(store_url) as store:
        store.begin_run()
        store.lease(1)
        store.retry("gazette.example/a", "retry-after", 0.0, is_answer=False)
        assert [lease.attempts for lease in store.lease(1)] == [0]
        store.retry("gazette.example/a", "http-503", 0.0)
        assert [lease.attempts for lease in store.lease(1)] == [1]


def test_pages_that_a_run_leaves_are_leased_by_the_next_run_only(store_url: str) -> None:
    with open_store(store_url) as store:
        store.begin_run()
        store.schedule([candidate(name, "a.example") for name in "123"])
        store.schedule([Candidate("b/1", "https://b.a.example/1", "a.example")])
        assert lease_keys(store, 1) == ["a.example/1"]
        store.retry("a.example/1", "retry-after", 0.0, is_answer=False, is_left=True)
        assert store.leave("a.example", "a.example") == 2  # beside the one just left
        assert lease_keys(store, 9) == ["b/1"]  # another host of the site
        assert store.next_due() is None
    with open_store(store_url) as store:
        store.begin_run()
        assert store.next_due() == 0.0
        assert len(store.lease(9)) == 4


def test_no_retry_waits_longer_than_a_day(store: Store, clock: FakeClock) -> None:
    schedule(store, ["a"])
    store.lease(1)
    store.retry("gazette.example/a", "http 503", clock.time + 10 * 365 * 86400)
    assert store.next_due() == clock.time + MAX_WAIT


def test_pages_leased_by_a_dead_run_are_new_again(store_url: str) -> None:
    with open_store(store_url) as store:
        store.begin_run()
        schedule(store, ["a", "b"])
        assert len(store.lease(1)) == 1
    with open_store(store_url) as store:
        store.begin_run()
        assert [(lease.key, lease.attempts) for lease in store.lease(9)] == [
            ("gazette.example/a", 0),
            ("gazette.example/b", 0),
        ]


def test_leases_are_revoked_when_a_run_ends(store: Store) -> None:
    schedule(store, ["a"])
    store.lease(1)
    store.end_run()
    assert store.state("gazette.example/a") == ("new", None)


def test_a_page_may_be_leased_again_when_its_lease_expires(store: Store, clock: FakeClock) -> None:
    schedule(store, ["a"])
    store.lease(1)
    clock.time += LEASE_TIME - 1
    assert store.lease(1) == []
    clock.time += 2
    assert len(store.lease(1)) == 1


@pytest.mark.parametrize("year", [-365 * 86400.0, 365 * 86400.0], ids=["back", "forward"])
def test_a_clock_that_jumps_a_year_hides_no_page_for_longer_than_a_day(
    store: Store, clock: FakeClock, year: float
) -> None:
    schedule(store, ["a", "b"])
    store.lease(1)
    store.retry("gazette.example/a", "http 503", clock.time + 60)
    clock.time += year
    store.begin_run()
    assert "gazette.example/b" in lease_keys(store, 9)
    clock.time += MAX_WAIT
    assert "gazette.example/a" in lease_keys(store, 9)


@pytest.mark.parametrize("close", ["skip", "fail"])
def test_a_closed_page_stays_closed(store: Store, close: str) -> None:
    schedule(store, ["a"])
    fetch(store)
    key = "gazette.example/a"
    getattr(store, close)(key, "not html")
    before = store.state(key)
    store.skip(key, "other")
    store.fail(key, "other")
    store.retry(key, "other", 0.0)
    assert store.hold([FetchedPage(key, b"x")]) == 0
    assert store.archive([article(key)]) == 0
    assert store.state(key) == before
    assert store.held_pages("gazette.example", 10) == []


def test_the_account_counts_every_reason(store: Store) -> None:
    schedule(store, "abcdefg")
    held = fetch(store, 5)
    store.skip(held[0], "not html")
    store.skip(held[1], "not html")
    store.fail(held[2], "dns")
    store.archive([article(held[3])])
    assert store.account() == {
        "scheduled": 7,
        "archived": 1,
        "skipped": {"not html": 2},
        "failed": {"dns": 1},
        "pending": 3,  # the held one, and two that were not leased
        "postponed": {},
        "held": 1,
    }


def test_the_account_names_why_pages_are_fetched_again(store: Store, clock: FakeClock) -> None:
    schedule(store, "abcd")
    first, second, third = store.lease(3)
    store.retry(first.key, "timeout", clock.time + 900)
    store.retry(second.key, "timeout", clock.time + 60)
    store.retry(third.key, "teaser", clock.time + 300, is_answer=False)
    assert store.account()["postponed"] == {"timeout": 2, "teaser": 1}
    assert store.next_retry() == clock.time + 60
    clock.time += 60
    (again,) = [lease for lease in store.lease(9) if lease.key == second.key]
    assert store.account()["postponed"] == {"timeout": 1, "teaser": 1}
    store.skip(again.key, "not html")
    assert store.next_retry() == clock.time + 240


def test_pages_that_were_never_fetched_have_no_next_retry(store: Store) -> None:
    schedule(store, "ab")
    assert (store.account()["postponed"], store.next_retry()) == ({}, None)


def test_pending_counts_new_and_leased_pages_of_a_site(store: Store) -> None:
    schedule(store, "abc")
    schedule(store, "x", "b.example")
    store.lease(1)
    assert (store.pending("gazette.example"), store.pending("none.example")) == (3, 0)
    fetch(store, 1)
    assert store.held_sites() in ([("b.example", 1, 0)], [("gazette.example", 1, 2)])


@pytest.mark.parametrize(
    "key",
    ["k\x00", "k\ud800", "k" * 10_000, "ü" * 5_000, ""],
    ids=["nul", "surrogate", "long", "long-utf8", "empty"],
)
def test_any_key_leads_back_to_its_page(store: Store, key: str) -> None:
    store.schedule([Candidate(key, f"https://g.example/{key}", "g.example")])
    assert store.schedule([Candidate(key, "https://g.example/", "g.example")]) == 0
    (lease,) = store.lease(1)
    for name in (key, lease.key):
        assert store.state(name) == ("claimed", None)
    assert store.hold([FetchedPage(key, b"x")]) == 1
    assert archive_held(store) == 1


def test_long_keys_with_the_same_beginning_are_two_pages(store: Store) -> None:
    ends = [Candidate("k" * 5000 + end, "https://g.example/", "g.example") for end in "ab"]
    assert store.schedule(ends) == 2


KEYS = st.sampled_from([f"{site}.example/{i}" for site in "ab" for i in range(4)])


class FrontierAccount(RuleBasedStateMachine):
    """Any calls in any order leave every page in one state, and the account adds up."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.store = open_store("sqlite://", now=self.clock)
        self.store.begin_run()
        self.seen: set[str] = set()
        self.closed: dict[str, str] = {}

    @rule(names=st.lists(KEYS, max_size=6))
    def schedule(self, names: list[str]) -> None:
        fresh = set(names) - self.seen
        pages = [Candidate(n, f"https://{n}", n.partition("/")[0]) for n in names]
        assert self.store.schedule(pages) == len(fresh)
        self.seen |= fresh

    @rule(limit=st.integers(0, 5), per_site=st.sampled_from([None, 1, 2]))
    def lease(self, limit: int, per_site: int | None) -> None:
        leases = self.store.lease(limit, per_site=per_site)
        assert len({lease.key for lease in leases}) == len(leases) <= limit
        assert not {lease.key for lease in leases} & set(self.closed)
        if per_site is not None and leases:
            assert max(Counter(lease.site for lease in leases).values()) <= per_site

    @rule(names=st.lists(KEYS, max_size=4))
    def hold(self, names: list[str]) -> None:
        waiting = {n for n in names if self.state(n) in ("new", "claimed")}
        assert self.store.hold([FetchedPage(n, b"<p>") for n in names]) == len(waiting)

    @rule(name=KEYS, how=st.sampled_from(["skip", "fail"]))
    def close(self, name: str, how: str) -> None:
        getattr(self.store, how)(name, "reason")
        if name in self.seen:
            self.closed.setdefault(name, {"skip": "skipped", "fail": "failed"}[how])

    @rule(name=KEYS, wait=st.sampled_from([0.0, 30.0]))
    def retry(self, name: str, wait: float) -> None:
        self.store.retry(name, "http 503", self.clock.time + wait)

    @rule(names=st.lists(KEYS, max_size=4))
    def archive(self, names: list[str]) -> None:
        ready = {n for n in names if n in self.seen and n not in self.closed}
        assert self.store.archive([article(n) for n in names]) == len(ready)
        self.closed |= dict.fromkeys(ready, "done")

    @rule(seconds=st.sampled_from([10.0, 4000.0, -4000.0]))
    def pass_time(self, seconds: float) -> None:
        self.clock.time += seconds

    @rule()
    def begin_run(self) -> None:
        self.store.begin_run()
        assert not any(self.state(name) == "claimed" for name in self.seen)

    def state(self, name: str) -> str | None:
        found = self.store.state(name)
        return None if found is None else found[0]

    @invariant()
    def the_account_adds_up(self) -> None:
        account = self.store.account()
        skipped, failed = (sum(account[name].values()) for name in ("skipped", "failed"))
        by_state = Counter(self.closed.values())
        assert account["scheduled"] == len(self.seen)
        assert (account["archived"], skipped, failed) == (
            by_state["done"],
            by_state["skipped"],
            by_state["failed"],
        )
        assert account["scheduled"] == account["archived"] + skipped + failed + account["pending"]

    @invariant()
    def every_held_page_has_its_body(self) -> None:
        held = {name for name in self.seen if self.state(name) == "held"}
        found = {p.key for site in "ab" for p in self.store.held_pages(f"{site}.example", 99)}
        assert found == held

    def teardown(self) -> None:
        self.store.close()


FrontierAccount.TestCase.settings = settings(max_examples=20, stateful_step_count=20)
TestFrontierAccount = FrontierAccount.TestCase
