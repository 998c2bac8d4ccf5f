"""URLs that must not be fetched are refused with a reason."""

from __future__ import annotations

import pytest

from forest_crawler.urls.networks import read_networks
from forest_crawler.urls.policy import UrlPolicy, refuse_url

LOOPBACK = UrlPolicy(ports=None, networks=read_networks(["127.0.0.0/8", "::1"]))

# docs/explanation/reliability.md, row 24: all of these lead to loopback or to a private network.
PRIVATE_LINKS = [
    "http://127.0.0.1/", "http://localhost/", "http://a.localhost:8080/", "http://LOCALHOST./",
    "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
    "http://0x7f.1/", "http://0/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://192.168.0.1./",
    "http://127%2e0.0.1/", "http://１２７.0.0.1/", "http://①②⑦。0。0。1/", "http://127。0。0。1/",
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE_LINKS)
def test_a_link_to_a_private_address_is_refused_in_every_spelling(url: str) -> None:
    assert refuse_url(url) == "private address"


@pytest.mark.parametrize("url", [url for url in PRIVATE_LINKS if "127" in url])
def test_loopback_passes_if_its_network_is_allowed(url: str) -> None:
    assert refuse_url(url, LOOPBACK) is None


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://gazette.example/2026/06/rain.html?id=7", None),
        ("http://gazette.example:8080/", None),
        ("  http://gazette.example/a b  ", None),
        ("http://bücher.example/", None),
        ("file:///etc/hostname", "scheme"),
        ("FILE:///etc/hostname", "scheme"),
        ("data:text/html,<p>x", "scheme"),
        ("javascript:alert(1)", "scheme"),
        ("ftp://gazette.example/", "scheme"),
        ("gopher://gazette.example/", "scheme"),
        ("mailto:a@gazette.example", "scheme"),
        ("//gazette.example/", "scheme"),
        ("/a", "scheme"),
        ("", "scheme"),
        ("http:///a", "no host"),
        ("http:gazette.example", "no host"),
        ("http://", "no host"),
        ("http://user:secret@gazette.example/", "credentials"),
        ("http://user@gazette.example/", "credentials"),
        ("http://@gazette.example/", "credentials"),
        ("http://gazette.example\\@127.0.0.1/", "malformed"),
        ("http://gazette .example/", "malformed"),
        ("http://gazette.example\x00.other.example/", "malformed"),
        ("http://[::1/", "malformed"),
        ("http://[fe80::1%25eth0]/", "malformed"),
        ("http://256.256.256.256/", "malformed"),
        ("http://a..example/", "malformed"),
        ("http://" + "a" * 64 + ".example/", "malformed"),
        ("http://gazette.example:port/", "malformed"),
        ("http://gazette.example:99999/", "malformed"),
        ("http://gazette.example:22/", "port"),
        ("http://gazette.example:25/", "port"),
        ("http://gazette.example:6379/", "port"),
        ("http://gazette.example:0/", "port"),
        ("http://gazette.example/" + "a" * 2048, "too long"),
        ("http://gazette.example/x/x/a", None),
        ("http://gazette.example/x/x/x/", "trap"),
        ("http://gazette.example/a/b/a/b/a/b", "trap"),
        ("http://gazette.example/" + "/".join(map(str, range(20))), None),
        ("http://gazette.example/" + "/".join(map(str, range(21))), "trap"),
        ("http://gazette.example/?" + "&".join(f"a={i}" for i in range(31)), "trap"),
    ],
)
def test_a_url_is_refused_with_a_reason(url: str, reason: str | None) -> None:
    assert refuse_url(url) == reason


def test_a_configured_port_passes() -> None:
    assert refuse_url("http://gazette.example:6379/", UrlPolicy(ports=frozenset({6379}))) is None
