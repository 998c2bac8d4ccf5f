"""A lost connection to a server is replaced only by one that holds the lock."""

from __future__ import annotations

import pytest
from sqlalchemy import create_engine, text

from forest_crawler.errors import LostConnectionError, StoreError
from forest_crawler.store import open_store
from tests.support.store_builders import schedule
from tests.support.store_workload import open_briefly, run_apart

DISCONNECT = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"


def disconnect(url: str) -> None:
    """End the connection of the store at a server, as its restart does."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text(DISCONNECT))
    engine.dispose()


def test_a_lost_connection_is_replaced_by_one_with_the_lock(postgres_schema: str) -> None:
    with open_store(postgres_schema) as store:
        run = store.begin_run()
        schedule(store, "ab")
        store.lease(1)
        disconnect(postgres_schema)
        with pytest.raises(LostConnectionError):
            store.account()
        store.reconnect()
        assert (store._run, store.account()["scheduled"]) == (run, 2)
        assert store.state("gazette.example/a") == ("claimed", None)
        assert run_apart(open_briefly, postgres_schema) == 4


def test_a_run_does_not_go_on_if_another_began_while_the_connection_was_lost(
    postgres_schema: str,
) -> None:
    with open_store(postgres_schema) as store:
        store.begin_run()
        disconnect(postgres_schema)
        with open_store(postgres_schema) as other:
            other.begin_run()
        for _ in range(2):
            with pytest.raises(StoreError, match="another run began"):
                store.reconnect()
        with pytest.raises(LostConnectionError):
            store.account()


def test_both_ends_of_a_connection_notice_within_a_minute_that_the_other_has_vanished(
    postgres_schema: str,
) -> None:
    with open_store(postgres_schema) as store, store._database.reading() as connection:
        settings = ("idle", "interval", "count")
        found = [connection.scalar(text(f"SHOW tcp_keepalives_{name}")) for name in settings]
        driver = connection.connection.driver_connection
        assert driver is not None
        ours = driver.info.get_parameters()
    assert found == ["30", "10", "3"]
    assert [ours[f"keepalives_{name}"] for name in settings] == found


def test_a_lost_connection_is_not_replaced_by_one_without_the_lock(postgres_schema: str) -> None:
    with open_store(postgres_schema) as store:
        schedule(store, "ab")
        disconnect(postgres_schema)
        for _ in range(2):
            with pytest.raises(StoreError, match=r"terminat|connection"):
                store.account()
    with open_store(postgres_schema) as store:
        assert store.account()["scheduled"] == 2
