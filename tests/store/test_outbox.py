"""The outbox: articles in order, each once; one transaction closes their pages."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forest_crawler.store import ExportState, FetchedPage, Store, open_store
from tests.support.store_builders import archive_held, article, candidate, fetch, schedule

SITE = "gazette.example"


@pytest.fixture
def store(store: Store) -> Store:
    store.begin_run()
    return store


def exported_keys(store: Store) -> list[str]:
    return [json.loads(line)["key"] for _, line in store.unexported("f", 99)]


def test_articles_are_exported_in_the_order_they_were_archived(store: Store) -> None:
    schedule(store, "abc")
    fetch(store)
    store.archive([article(f"{SITE}/c")])
    store.archive([article(f"{SITE}/b"), article(f"{SITE}/a")])
    assert exported_keys(store) == [f"{SITE}/c", f"{SITE}/a", f"{SITE}/b"]


def test_an_article_is_archived_once_by_its_page(store: Store) -> None:
    schedule(store, "a")
    fetch(store)
    assert store.archive([article(f"{SITE}/a", "1"), article(f"{SITE}/a", "2")]) == 1
    assert store.archive([article(f"{SITE}/a", "3")]) == 0
    assert store.count_articles() == store.account()["archived"] == 1


def test_an_article_is_archived_once_by_its_id(store: Store) -> None:
    schedule(store, "abc")
    fetch(store)
    assert store.archive([article(f"{SITE}/a", "same"), article(f"{SITE}/b", "same")]) == 1
    assert store.archive([article(f"{SITE}/c", "same")]) == 0
    assert store.account()["skipped"] == {"duplicate": 2}
    assert store.count_articles() == store.account()["archived"] == 1


def test_a_page_that_nobody_scheduled_is_not_archived(store: Store) -> None:
    assert store.archive([article("unknown/a")]) == 0
    assert store.count_articles() == 0


def test_a_file_continues_after_its_last_article(store: Store) -> None:
    schedule(store, "abc")
    fetch(store)
    archive_held(store)
    (first, _), (second, _), _ = store.unexported("f", 99)
    assert store.export_state("f") is None
    store.record_export("f", first, 10, 2**32 - 1)
    assert [seq for seq, _ in store.unexported("f", 1)] == [second]
    assert store.export_state("f") == ExportState(first, 10, 2**32 - 1)
    store.record_export("f", second, 20, 0)
    assert exported_keys(store) == [f"{SITE}/c"]
    assert len(store.unexported("another", 99)) == 3


def test_articles_are_found_by_site_and_by_source_the_newest_first(store: Store) -> None:
    feed, other = (store.add_source(f"https://{name}.example/feed").id for name in "ab")
    store.schedule([candidate("1", "a.example", feed), candidate("2", "a.example", other)])
    store.schedule([candidate("3", "b.example", feed), candidate("1", "a.example", other)])
    fetch(store)
    for key in ("a.example/1", "a.example/2", "b.example/3"):
        store.archive([article(key)])

    def names(lines: list[str]) -> list[str]:
        return [json.loads(line)["key"][-1] for line in lines]

    assert names(store.articles()) == ["3", "2", "1"]
    assert names(store.articles(site="a.example")) == ["2", "1"]
    assert names(store.articles(source=feed)) == ["3", "1"]
    assert names(store.articles(source=other)) == ["2", "1"]
    assert names(store.articles(limit=1)) == ["3"]


@pytest.mark.parametrize("line", ['{"a": "ü"}', '{\n"a": 1}', "{}\r", "\u2028", "\ud800"])
def test_a_line_that_other_programs_would_split_is_refused(store: Store, line: str) -> None:
    schedule(store, "a")
    fetch(store)
    with pytest.raises(ValueError, match="ASCII"):
        store.archive([replace(article(f"{SITE}/a"), line=line)])
    assert store.state(f"{SITE}/a") == ("held", None)


@given(titles=st.lists(st.text(st.characters(codec=None)), min_size=1, max_size=20))
@settings(max_examples=30)
def test_every_text_is_read_back_from_its_line(titles: list[str]) -> None:
    names = [str(number) for number in range(len(titles))]
    with open_store("sqlite://") as store:
        schedule(store, names)
        lines = [json.dumps({"title": title}) for title in titles]
        store.archive(
            [replace(article(f"{SITE}/{n}"), line=x) for n, x in zip(names, lines, strict=True)]
        )
        found = [line for _, line in store.unexported("f", 99)]
    assert [json.loads(line)["title"] for line in found] == titles
    assert all(len(line.splitlines()) == 1 for line in found)


def test_a_batch_is_committed_as_a_whole_or_not_at_all(store: Store) -> None:
    schedule(store, "ab")
    with pytest.raises(ZeroDivisionError):
        archive_and_fail(store)
    assert store.count_articles() == 0
    assert store.state(f"{SITE}/a") == ("new", None)
    with store.batch():
        fetch(store)
        store.archive([article(f"{SITE}/a")])
    assert (store.count_articles(), store.state(f"{SITE}/b")) == (1, ("held", None))


def archive_and_fail(store: Store) -> None:
    with store.batch():
        fetch(store)
        store.archive([article(f"{SITE}/a")])
        store.skip(f"{SITE}/b", str(1 // 0))  # an error in the caller


def test_archived_pages_come_with_their_articles_the_newest_first(store: Store) -> None:
    schedule(store, ["a", "b", "c"])
    schedule(store, ["x"], "b.example")
    fetch(store)
    store.archive([article(f"{SITE}/a"), article("b.example/x"), article(f"{SITE}/b")])
    assert store.archived_sites() == ["b.example", SITE]
    found = store.archived_pages(SITE)
    assert [(each.page.key, json.loads(each.line)["key"]) for each in found] == [
        (f"{SITE}/b", f"{SITE}/b"),
        (f"{SITE}/a", f"{SITE}/a"),
    ]
    assert [each.page.key for each in store.archived_pages(SITE, 1)] == [f"{SITE}/b"]
    assert found[0].page.body == f"<p>{SITE}/b</p>".encode()
    assert not found[0].has_parts


def test_archived_page_says_whether_its_article_has_further_pages(store: Store) -> None:
    schedule(store, ["rain", "fog"])
    fetch(store)
    store.follow_part(f"{SITE}/rain", candidate("rain-2"))
    store.follow_part(f"{SITE}/fog", candidate("fog-2"))
    store.lease(2)
    store.hold([FetchedPage(f"{SITE}/rain-2", b"<p>On</p>")])
    store.fail(f"{SITE}/fog-2", "gone")
    archive_held(store)
    parts = {each.page.key: each.has_parts for each in store.archived_pages(SITE)}
    assert parts == {f"{SITE}/rain": True, f"{SITE}/fog": False}
