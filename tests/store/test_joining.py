"""A process that joins others waits for a server that is about to start."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from forest_crawler.errors import LostConnectionError, StoreError
from forest_crawler.store import Store, joining, open_store
from forest_crawler.store.joining import join_store

URL = "postgresql://db/forest"
REFUSED = LostConnectionError("connection refused", URL)


class Server:
    """Answers attempts to open a store, in order; `pauses` are those between them."""

    def __init__(self, *answers: Store | StoreError) -> None:
        self._answers = [*answers]
        self.pauses: list[float] = []

    def open_store(self, url: str, *, join: float, bodies: str | None) -> Store:
        assert (url, join, bodies) == (URL, 60.0, "s3://bucket")
        answer = self._answers.pop(0)
        if isinstance(answer, StoreError):
            raise answer
        return answer

    def install(self, patch: pytest.MonkeyPatch) -> None:
        patch.setattr(joining, "open_store", self.open_store)
        patch.setattr(time, "sleep", self.pauses.append)


@pytest.fixture
def opened() -> Iterator[Store]:
    with open_store("sqlite://") as store:
        yield store


def test_a_server_that_starts_is_waited_for(opened: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    server, said = Server(REFUSED, REFUSED, opened), list[str]()
    server.install(monkeypatch)
    assert join_store(URL, 60.0, bodies="s3://bucket", say=said.append) is opened
    assert server.pauses == [3.0, 3.0]
    assert said == [f"{URL}: connection refused; trying again in 3 s"] * 2


def test_a_server_that_does_not_come_is_an_error(
    opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    Server(REFUSED, opened).install(monkeypatch)
    monkeypatch.setattr(joining, "MAX_WAIT", -1.0)  # the time is over
    with pytest.raises(LostConnectionError):
        join_store(URL, 60.0, bodies="s3://bucket")


def test_a_store_that_cannot_be_joined_is_an_error_at_once(
    opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(StoreError("in use by a crawl without --join", URL), opened)
    server.install(monkeypatch)
    with pytest.raises(StoreError, match="in use"):
        join_store(URL, 60.0, bodies="s3://bucket")
    assert server.pauses == []


def test_a_server_that_is_gone_before_the_run_has_begun_is_waited_for(
    opened: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_store("sqlite://")
    closed: list[Store] = []
    begin_run, close = Store.begin_run, Store.close

    def begin(store: Store, *, rest: float) -> str:
        if store is first:
            raise REFUSED
        return begin_run(store, rest=rest)

    def note_close(store: Store) -> None:
        closed.append(store)
        close(store)

    monkeypatch.setattr(Store, "begin_run", begin)
    monkeypatch.setattr(Store, "close", note_close)
    server = Server(first, opened)
    server.install(monkeypatch)
    assert join_store(URL, 60.0, rest=1.0, bodies="s3://bucket") is opened
    assert server.pauses == [3.0]
    assert closed == [first]
    assert len(opened.live_runs()) == 1
