"""Private or undocumented names of Scrapy and Twisted that `fetching` and the spiders use.

A new release may change them without notice: the bounds in pyproject.toml keep it out until these
tests pass with it.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from typing import Any

import pytest
from scrapy import resolver
from scrapy.core import scraper
from scrapy.core.downloader import Downloader, Slot
from scrapy.core.downloader.handlers import http11
from scrapy.downloadermiddlewares import redirect
from scrapy.exceptions import IgnoreRequest
from scrapy.resolver import dnscache
from scrapy.utils._compression import _DecompressionMaxSizeExceeded
from scrapy.utils.datatypes import LocalCache
from twisted.internet.task import Clock
from twisted.web import _newclient
from twisted.web.client import HTTPConnectionPool, _HTTP11ClientFactory

from forest_crawler.crawl.outcomes import REDIRECTS, TOO_LARGE
from forest_crawler.fetching.bounded_handler import _BoundedPool, _BoundedProtocol
from forest_crawler.fetching.request_outcomes import outcome_of

KEY = ("http", "gazette.example", 80)


class FakeConnection:
    """What a pool keeps of a connection."""

    state = "QUIESCENT"

    def __init__(self) -> None:
        self.transport = self
        self.is_lost = False

    def loseConnection(self) -> None:  # noqa: N802
        self.is_lost = True


def test_scrapys_factory_builds_its_protocol_with_the_pools_callback() -> None:
    assert issubclass(http11._LenientHTTP11ClientFactory, _HTTP11ClientFactory)
    assert issubclass(http11._LenientHTTP11ClientProtocol, _newclient.HTTP11ClientProtocol)
    factory = http11._LenientHTTP11ClientFactory(print, "gazette.example")  # type: ignore[no-untyped-call]
    assert factory._quiescentCallback is print


def test_scrapys_handler_has_its_pool_as_an_attribute_and_sets_the_factory_of_it() -> None:
    source = inspect.getsource(http11.HTTP11DownloadHandler.__init__)
    assert "self._pool: HTTPConnectionPool = " in source
    assert "self._pool._factory = _LenientHTTP11ClientFactory" in source


def test_the_scraper_counts_the_items_that_it_works_on() -> None:
    assert scraper.Slot().itemproc_size == 0
    source = inspect.getsource(scraper.Scraper.start_itemproc_async)
    assert "self.slot.itemproc_size += 1" in source


def test_protocols_parser_says_whether_it_is_in_the_head_of_a_response() -> None:
    connection = _BoundedProtocol(print)  # type: ignore[no-untyped-call]
    assert connection._parser is None  # until there is a request
    parser = _newclient.HTTPClientParser(None, print)  # type: ignore[no-untyped-call]
    states = []
    parser.statusReceived = parser.headerReceived = lambda *_: None  # type: ignore[assignment]
    parser.allHeadersReceived = lambda: None  # type: ignore[method-assign]
    parser.connectionMade()  # type: ignore[no-untyped-call]
    states.append(parser.state)
    parser.dataReceived(b"HTTP/1.1 200 OK\r\n")  # type: ignore[no-untyped-call]
    states.append(parser.state)
    assert states == [_newclient.STATUS, _newclient.HEADER]


def test_pool_has_a_timeout_per_idle_connection_in_the_order_they_became_idle() -> None:
    clock = Clock()
    pool = HTTPConnectionPool(clock)  # type: ignore[no-untyped-call]
    first, second = FakeConnection(), FakeConnection()
    for connection in (first, second):
        pool._putConnection(KEY, connection)  # type: ignore[no-untyped-call]
    assert list(pool._timeouts) == [first, second]
    assert pool._timeouts[first].args == (KEY, first)
    pool._timeouts[first].cancel()
    pool._removeConnection(KEY, first)  # type: ignore[no-untyped-call]
    assert first.is_lost
    assert list(pool._timeouts) == [second]
    assert HTTPConnectionPool._factory is _HTTP11ClientFactory


def test_our_pool_closes_the_connection_that_has_been_idle_for_longest() -> None:
    pool = _BoundedPool(Clock(), 2)
    connections: list[Any] = [FakeConnection() for _ in range(3)]
    for number, connection in enumerate(connections):
        pool._putConnection(("http", f"site-{number}.example", 80), connection)
    assert [connection.is_lost for connection in connections] == [True, False, False]


def test_our_pool_forgets_hosts_without_a_connection() -> None:
    pool = _BoundedPool(Clock(), 2)
    key = ("http", "gazette.example", 80)
    connection: Any = FakeConnection()
    pool._putConnection(key, connection)
    pool.getConnection(key, None)
    assert pool._connections == {}
    pool._putConnection(key, connection)
    pool._removeConnection(key, connection)
    assert pool._connections == {}


def test_downloader_has_slots_with_a_queue_of_requests_and_their_deferreds() -> None:
    slot = Slot(concurrency=1, delay=2.0, jitter=0.0)
    assert (slot.concurrency, slot.delay, slot.jitter, slot.lastseen) == (1, 2.0, 0.0, 0)
    assert len(slot.queue) == 0
    source = inspect.getsource(Downloader)
    for text in (
        "self.slots: dict",
        "self.per_slot_settings: dict",
        "slot.queue.append((request, d))",
    ):
        assert text in source
    assert list(inspect.signature(Downloader.get_slot_key).parameters) == ["self", "request"]


def test_resolver_remembers_answers_in_one_cache_of_the_process() -> None:
    assert isinstance(dnscache, LocalCache)
    assert "dnscache[" in inspect.getsource(resolver)


def test_local_cache_drops_its_oldest_key() -> None:
    cache: LocalCache[str, int] = LocalCache(2)
    cache["a"], cache["b"], cache["c"] = 1, 2, 3
    assert isinstance(cache, OrderedDict)
    assert dict(cache) == {"b": 2, "c": 3}


def test_too_many_redirects_are_known_by_the_words_of_the_error() -> None:
    assert 'raise IgnoreRequest("max redirections reached")' in inspect.getsource(redirect)
    assert outcome_of(IgnoreRequest("max redirections reached")).reason == REDIRECTS


def test_too_large_a_decompressed_body_is_known_by_the_cause_of_the_error() -> None:
    with pytest.raises(IgnoreRequest) as caught:
        raise IgnoreRequest("dropped") from _DecompressionMaxSizeExceeded(6, 5)
    assert outcome_of(caught.value).reason == TOO_LARGE
