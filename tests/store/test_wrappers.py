"""Stored wrappers: order, history, pins, uses, recent fit, hostile rows."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import create_engine, text

from forest_crawler.errors import WrapperError
from forest_crawler.induction.paper.dfs_form import dfs_form
from forest_crawler.page.xpath_syntax import contains
from forest_crawler.store import Store, open_store
from forest_crawler.store.wrapper_rows import read_document
from forest_crawler.store.wrappers import FIT_WINDOW
from forest_crawler.wrapper.wrapper import FORMAT, VERSION, Wrapper
from tests.support.store_builders import FakeClock

SITE = "gazette.example"


def wrapper(path: str) -> Wrapper:
    return Wrapper(SITE, "forest", "portable", (path,))


STORY, POST, MAIN = (wrapper(f"//{tag}") for tag in ("article", "section", "main"))


def in_use(store: Store) -> list[Wrapper]:
    return [stored.wrapper for stored in store.wrappers(SITE)]


def test_wrappers_come_back_in_order(store: Store) -> None:
    store.replace_wrappers(SITE, [POST, STORY], "induced")
    assert in_use(store) == [POST, STORY]
    assert store.wrappers("other.example") == []
    assert store.sites() == [SITE]


def test_replaced_wrappers_are_in_the_history_the_latest_first(
    store: Store, clock: FakeClock
) -> None:
    store.replace_wrappers(SITE, [STORY], "induced")
    clock.time += 1
    store.replace_wrappers(SITE, [POST], "drift")
    clock.time += 1
    store.replace_wrappers(SITE, [MAIN], "drift again")
    history = store.wrapper_history(SITE)
    assert in_use(store) == [MAIN]
    assert [(old.wrapper, old.reason) for old in history] == [
        (POST, "drift again"),
        (STORY, "drift"),
    ]
    assert history[0].retired == clock.time


def test_pinned_wrappers_stay_first_whatever_is_induced(store: Store) -> None:
    store.replace_wrappers(SITE, [STORY], "induced")
    store.pin(SITE, MAIN)
    store.pin(SITE, POST)
    store.replace_wrappers(SITE, [STORY], "drift")
    assert in_use(store) == [MAIN, POST, STORY]
    assert [stored.pinned for stored in store.wrappers(SITE)] == [True, True, False]


def test_pinning_a_wrapper_twice_pins_it_once(store: Store) -> None:
    store.replace_wrappers(SITE, [STORY, MAIN], "induced")
    store.pin(SITE, MAIN)
    store.pin(SITE, MAIN)
    assert in_use(store) == [MAIN, STORY]


def test_removed_wrappers_are_in_the_history_pinned_ones_too(store: Store) -> None:
    store.replace_wrappers(SITE, [STORY], "induced")
    store.pin(SITE, MAIN)
    store.remove_wrappers(SITE)
    assert (in_use(store), store.sites()) == ([], [])
    assert {old.wrapper for old in store.wrapper_history(SITE)} == {STORY, MAIN}


def test_uses_are_counted(store: Store, clock: FakeClock) -> None:
    store.replace_wrappers(SITE, [STORY, POST], "induced")
    first, second = (stored.id for stored in store.wrappers(SITE))
    store.count_uses({first: 3}, {SITE: 1})
    clock.time += 5
    store.count_uses({first: 1, second: 2}, {})
    counts = [(stored.hits, stored.misses) for stored in store.wrappers(SITE)]
    assert counts == [(4, 1), (2, 1)]
    assert store.wrappers(SITE)[0].last_hit == clock.time


def test_recent_fit_covers_a_window_of_pages(store: Store) -> None:
    assert store.recent_fit(SITE) == (0, 0)
    store.record_fits({SITE: [True]})
    store.record_fits({SITE: [False]})
    assert store.recent_fit(SITE) == (1, 2)
    for _ in range(FIT_WINDOW):
        store.record_fits({SITE: [False]})
    assert store.recent_fit(SITE) == (0, FIT_WINDOW)


def test_new_wrappers_begin_a_new_window(store: Store) -> None:
    store.record_fits({SITE: [False]})
    store.replace_wrappers(SITE, [STORY], "drift")
    assert store.recent_fit(SITE) == (0, 0)


HOSTILE = {
    "count": "//p[count(//p)>0]",
    "document": "document('/etc/hostname')//p",
    "regex": "//p[re:test(., 'a')]",
    "union": "//p | //*",
    "position": "//p[1]",
    "axis": "//p/preceding::p",
    "nul": "//p[@id='a\x00']",
    "surrogate": "//p[@id='\ud800']",
    "injected": "//div[@class='x' or '1'='1']",
}


def document(path: str, field: str, form: str) -> str:
    row = {"site": SITE, "method": "forest", "form": form, "body": []}
    row[field] = path if field == "title" else [path]
    return json.dumps({"format": FORMAT, "version": VERSION, "wrappers": [row]})


@pytest.mark.parametrize("form", ["portable", "dfs"])
@pytest.mark.parametrize("field", ["body", "strip", "title"])
@pytest.mark.parametrize("path", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_path_is_refused_in_every_field(path: str, field: str, form: str) -> None:
    with pytest.raises(WrapperError, match=SITE):
        read_document(document(path, field, form), SITE)


@pytest.mark.parametrize(
    "row",
    [document("//p[count(//p)>0]", "body", "portable"), "", "{", "[]", '{"format": "x"}'],
    ids=["hostile", "empty", "cut", "list", "other"],
)
def test_a_row_that_is_not_one_of_our_wrappers_is_refused(store_url: str, row: str) -> None:
    with open_store(store_url) as store:
        store.replace_wrappers(SITE, [STORY], "induced")
    engine = create_engine(store_url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE wrappers SET document = :row"), {"row": row})
    engine.dispose()
    with open_store(store_url) as store, pytest.raises(WrapperError, match=SITE):
        store.wrappers(SITE)


@pytest.mark.parametrize("path", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_wrapper_is_not_stored(store: Store, path: str) -> None:
    store.replace_wrappers(SITE, [STORY], "induced")
    with pytest.raises(WrapperError):
        store.replace_wrappers(SITE, [MAIN, wrapper(path)], "drift")
    assert in_use(store) == [STORY]


@pytest.mark.parametrize(
    "path",
    [
        dfs_form("p", [], [24]),
        dfs_form("o:p", [contains("class", 'it\'s "so"')], [1, 2, 3]),
        dfs_form("div", [contains("on:click", "x", without_digits=True), contains("id", "")], [7]),
    ],
)
def test_wrappers_with_dfs_positions_are_stored_too(store: Store, path: str) -> None:
    paper = Wrapper(SITE, "forest-paper", "dfs", (path,))
    store.replace_wrappers(SITE, [paper], "induced")
    assert in_use(store) == [paper]
