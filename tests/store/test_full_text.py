"""Full-text search over the archived articles, by FTS5 and by tsvector."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from forest_crawler.store import FetchedPage, NewArticle, open_store, store_file
from forest_crawler.store.full_text import INDEX_SUFFIX, FullText
from forest_crawler.store.studio_store import StudioStore, read_studio_store
from forest_crawler.studio.site_list import SiteList, read_details
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import candidate

SITE = "gazette.example"
TEXTS = {
    "ferry": ("The ferry returns", "It left the new harbour at noon."),
    "harbour": ("Harbour budget", "The new ferry is dear, and the harbour old."),
    "kettle": ("Kettles", "海辺の町にフェリーが戻った。"),
    "copy": ("The ferry returns", "It left the new harbour at noon."),
}


@pytest.fixture
def store(store_url: str) -> Iterator[StudioStore]:
    with open_store(store_url) as opened:
        opened.begin_run()
        opened.schedule([candidate(name) for name in TEXTS])
        opened.replace_wrappers(SITE, [Wrapper(SITE, "forest", "portable", ("//p",))], "induced")
        for lease in opened.lease(10):
            name = lease.key.rpartition("/")[2]
            title, text = TEXTS[name]
            row = {"id": name, "title": title, "text": text, "agreement": 0.5}
            row["near_duplicate_of"] = "ferry" if name == "copy" else None
            opened.hold([FetchedPage(lease.key, b"<p>Rain</p>")])
            line = json.dumps(row)
            opened.archive([NewArticle(name, lease.key, SITE, "u", "wrapper", 1, name, line)])
        opened.end_run()
    with read_studio_store(store_url) as reading:
        yield reading


@pytest.fixture
def index(store: StudioStore, store_url: str) -> Iterator[FullText]:
    made = FullText(store_url, store_file(store_url))
    assert made.extend(store, 100) == 0
    yield made
    made.close()


def search(index: FullText, store: StudioStore, query: str) -> list[str]:
    return [row.id for row in store.articles_numbered(index.search(query).numbers)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("budget", {"harbour"}),
        ("ferry harbour", {"ferry", "harbour", "copy"}),
        ('"new harbour"', {"ferry", "copy"}),
        ("FERRY noon", {"ferry", "copy"}),
        ("フェリー", {"kettle"}),
        ("ferry absent", set()),
        ("", set()),
        ("' OR 1=1 --", set()),
        ('"', set()),
        ("ferry:* & !budget", {"harbour"}),
    ],
)
def test_all_words_and_phrases_are_found(
    index: FullText, store: StudioStore, query: str, expected: set[str]
) -> None:
    assert set(search(index, store, query)) == expected


def test_a_word_of_the_title_counts_more(index: FullText, store: StudioStore) -> None:
    assert search(index, store, "harbour")[0] == "harbour"


def test_near_duplicates_name_the_first(index: FullText, store: StudioStore) -> None:
    found = store.articles_numbered(index.repeats_of("ferry"))
    assert [row.id for row in found] == ["copy"]


def test_index_is_extended_step_by_step(store: StudioStore, store_url: str) -> None:
    made = FullText(store_url, store_file(store_url))
    assert made.extend(store, 3) == 1
    assert made.search("kettles").indexed == 3
    assert made.extend(store, 3) == 0
    assert made.search("kettles").indexed == 4
    made.close()


def test_index_of_a_file_is_beside_it(store: StudioStore, index: FullText, tmp_path: Path) -> None:
    file = tmp_path / f"store.db{INDEX_SUFFIX}"
    assert file.exists() == (index.name == str(file))


def test_list_of_sites_counts_the_same_on_both_databases(store: StudioStore) -> None:
    sites = SiteList(lambda: store)
    (row,) = sites.rows()
    assert (row.site, row.articles, row.wrappers.number, row.concerns) == (SITE, 4, 1, ())
    (listed,) = read_details(store, [row], 30)
    assert (sum(listed.days), listed.days[-1], listed.agreement) == (4, 4, 0.5)
    assert sites.rows(search="gaz") == [row]
    assert sites.rows(search="other") == []
