"""The fault server behaves as tests and benchmarks expect."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection, IncompleteRead

import pytest

from tests.support.fault_process import FaultServer, running_server
from tests.support.fault_sites import SitePlan, article_of, family_of, is_faulty
from tests.support.waiting import HANG


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with running_server() as running:
        yield running


def _get(server: FaultServer, site: str, path: str) -> tuple[int, str]:
    with closing(HTTPConnection(site, server.port, timeout=HANG)) as connection:
        connection.request("GET", path)
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode()


def test_each_loopback_address_is_a_site_with_its_own_articles(server: FaultServer) -> None:
    for site in ("127.9.0.1", "127.9.0.2"):
        status, body = _get(server, site, "/article/3")
        assert status == 200
        assert all(text in body for text in article_of(site, 3).paragraphs)
    assert article_of("127.9.0.1", 3) != article_of("127.9.0.2", 3)


def test_the_feed_lists_every_page_of_the_plan(server: FaultServer) -> None:
    server.plan({"127.9.1.1": {"pages": 3}})
    _, feed = _get(server, "127.9.1.1", "/feed.xml")
    assert [f"/article/{n}<" in feed for n in (1, 2, 3, 4)] == [True, True, True, False]
    assert _get(server, "127.9.1.1", "/article/4")[0] == 404


def test_a_redesign_changes_the_template_and_keeps_the_text(server: FaultServer) -> None:
    site = "127.9.2.1"
    server.plan({site: {"family": 0, "flip_at": 5}})
    before, after = _get(server, site, "/article/4")[1], _get(server, site, "/article/5")[1]
    assert ("story-body" in before, "story-body" in after) == (True, False)
    assert article_of(site, 5).paragraphs[0] in after
    assert family_of(site, 5, SitePlan(family=0, flip_at=5)) == 1


def test_the_log_has_every_request_of_a_site_in_order(server: FaultServer) -> None:
    for path in ("/robots.txt", "/feed.xml"):
        _get(server, "127.9.3.1", path)
    hits = server.log("127.9.3.1")
    assert [hit.path for hit in hits] == ["/robots.txt", "/feed.xml"]
    assert hits[0].time < hits[1].time
    assert server.connections()[f"127.9.3.1:{server.port}"] == 2


def test_held_articles_are_sent_when_the_plan_releases_them(server: FaultServer) -> None:
    site = "127.9.7.1"
    server.plan({site: {"holds_articles": True}})
    with ThreadPoolExecutor() as threads:
        fetched = threads.submit(_get, server, site, "/article/1")
        server.wait_for(site, "/article/1")
        assert _get(server, site, "/feed.xml")[0] == 200
        assert not fetched.done()
        server.plan({site: {"holds_articles": False}})
        assert fetched.result(HANG)[0] == 200


def test_a_route_serves_one_path_as_another(server: FaultServer) -> None:
    server.plan({"127.9.4.1": {"routes": {"/robots.txt": "/fault/status?code=503"}}})
    assert _get(server, "127.9.4.1", "/robots.txt")[0] == 503
    assert _get(server, "127.9.4.2", "/robots.txt")[0] == 404


def test_faulty_sites_are_a_share_of_all_and_faulty_on_articles_only(server: FaultServer) -> None:
    plan = SitePlan(fault_share=0.3, fault_kinds=("/fault/status?code=500",))
    sites = [f"127.8.{i // 250}.{i % 250 + 1}" for i in range(1000)]
    assert 250 < sum(is_faulty(site, plan) for site in sites) < 350
    faulty = next(site for site in sites if is_faulty(site, plan))
    server.plan({faulty: {"fault_share": 0.3}})
    assert [_get(server, faulty, path)[0] for path in ("/feed.xml", "/article/1")] == [200, 500]


def test_a_body_shorter_than_its_content_length_is_incomplete(server: FaultServer) -> None:
    with pytest.raises(IncompleteRead):
        _get(server, "127.9.5.1", "/fault/long-length")


def test_the_fault_rst_resets_the_connection(server: FaultServer) -> None:
    with socket.create_connection(("127.9.6.1", server.port), timeout=HANG) as client:
        client.sendall(b"GET /fault/rst HTTP/1.1\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            client.recv(100)
