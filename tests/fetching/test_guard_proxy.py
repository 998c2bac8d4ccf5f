"""The browser's proxy connects to what the crawl may fetch, and to nothing else."""

from __future__ import annotations

import asyncio
import socket
from base64 import b64encode
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from forest_crawler.fetching.rendering.guard_proxy import GuardProxy
from forest_crawler.urls.networks import read_networks
from forest_crawler.urls.policy import UrlPolicy
from tests.support.recording_server import RecordingServer, recording_server

OPEN = UrlPolicy(ports=None, networks=read_networks(["127.50.0.0/16"]))


@pytest.fixture(scope="module")
def allowed() -> Iterator[RecordingServer]:
    with recording_server("127.50.0.1") as server:
        yield server


@pytest.fixture(scope="module")
def private() -> Iterator[RecordingServer]:
    with recording_server("127.51.0.1") as server:
        yield server


def speak(lines: list[str], *, policy: UrlPolicy = OPEN, token: str | None = None) -> str:
    """Send lines to a proxy, `PASS` being its password; return all that comes back."""

    async def run() -> str:
        proxy = GuardProxy(policy)
        host, port = (await proxy.start()).removeprefix("http://").split(":")
        known = b64encode(f"{proxy.user}:{proxy.password}".encode()).decode()
        reader, writer = await asyncio.open_connection(host, int(port))
        text = "\r\n".join(lines).replace("PASS", token or known)
        writer.write(text.encode())
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        await proxy.close()
        return answer.decode()

    return asyncio.run(run())


def get(url: str) -> list[str]:
    return [f"GET {url} HTTP/1.1", "Host: x", "Proxy-Authorization: Basic PASS", "", ""]


def tunnel(target: str, *request: str) -> list[str]:
    head = [f"CONNECT {target} HTTP/1.1", "Proxy-Authorization: Basic PASS", "", ""]
    return [*head[:-1], *request] if request else head


def test_request_reaches_its_server_without_the_password(allowed: RecordingServer) -> None:
    answer = speak(get(f"{allowed.url}/story?a=1"))
    assert answer.startswith("HTTP/1.0 200")
    assert "The ferry came back" in answer
    headers = allowed.headers_of("/story?a=1")
    assert "proxy-authorization" not in headers
    assert headers["connection"] == "close"


def test_tunnel_reaches_its_server(allowed: RecordingServer) -> None:
    answer = speak(tunnel(allowed.address, "GET /tunnelled HTTP/1.0", "", ""))
    assert answer.startswith("HTTP/1.1 200 Connection Established\r\n\r\nHTTP/1.0 200")
    assert "/tunnelled" in allowed.targets()


@pytest.mark.parametrize("form", [get, tunnel], ids=["request", "tunnel"])
def test_private_address_gets_no_connection(
    private: RecordingServer, form: Callable[[str], list[str]]
) -> None:
    url = private.address if form is tunnel else private.url
    assert speak(form(url)).startswith("HTTP/1.1 403")
    assert private.requests == []


def test_name_that_leads_to_a_private_address_gets_no_connection(
    private: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    host, port = private.address.split(":")

    async def resolve(_: Any, name: str, port: int, **kw: Any) -> list[Any]:
        address = host if name == "public.example" else name
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(asyncio.BaseEventLoop, "getaddrinfo", resolve)
    assert speak(get(f"http://public.example:{port}/")).startswith("HTTP/1.1 403")
    assert private.requests == []


@pytest.mark.parametrize(
    ("lines", "status"),
    [
        (get("http://127.50.0.1:6379/"), "403"),
        (tunnel("127.50.0.1:22"), "403"),
        (get("ftp://127.50.0.1/"), "400"),
        (get("/story"), "400"),
        (["GET http://127.50.0.1:x/ HTTP/1.1", "Proxy-Authorization: Basic PASS", "", ""], "400"),
        (["NONSENSE", "Proxy-Authorization: Basic PASS", "", ""], "400"),
    ],
    ids=["port", "tunnel-port", "scheme", "no-host", "bad-port", "no-request"],
)
def test_other_requests_are_refused(lines: list[str], status: str) -> None:
    policy = UrlPolicy(networks=OPEN.networks)
    assert speak(lines, policy=policy).startswith(f"HTTP/1.1 {status}")


def test_other_programs_of_the_machine_may_not_use_it(allowed: RecordingServer) -> None:
    answer = speak(get(f"{allowed.url}/stolen"), token=b64encode(b"forest:guess").decode())
    assert answer.startswith("HTTP/1.1 407")
    assert "/stolen" not in allowed.targets()


def test_a_second_request_on_a_connection_is_not_passed_on(
    allowed: RecordingServer, private: RecordingServer
) -> None:
    speak([*get(f"{allowed.url}/first")[:-1], *get(f"{private.url}/second")])
    assert private.requests == []
    assert not any("second" in target for target in allowed.targets())
