"""Addresses are refused with a reason, and all addresses of an article become one."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import InputError
from forest_crawler.urls.canonical import canonical_url, unwrap_url, url_key
from forest_crawler.urls.hosts import host_of, site_of
from forest_crawler.urls.networks import is_public_address, literal_address, read_networks
from forest_crawler.urls.policy import UrlPolicy, refuse_url
from tests.support.growth import assert_linear

LOOPBACK = UrlPolicy(ports=None, networks=read_networks(["127.0.0.0/8", "::1"]))

CLOSED = [
    "127.0.0.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1",  # noqa: S104
    "169.254.169.254", "100.64.0.1", "100.100.100.200", "192.0.0.192", "192.0.2.1", "198.18.0.1",
    "198.51.100.1", "203.0.113.1", "192.88.99.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "168.63.129.16",
    "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "100::1",
    "2001:db8::1", "3fff::1", "2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "5f00::1",
    "64:ff9b:1::a00:1",
    # 127.0.0.1, 10.0.0.1 and 169.254.169.254 inside: mapped, compatible, NAT64, 6to4, ISATAP
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::", "2002:a00:1::1", "2606:2800::5efe:7f00:1", "2606:2800::200:5efe:a00:1",
    "fe80::1%eth0", "", "no address", "1.2.3", "1.2.3.4/8",
]  # fmt: skip
PUBLIC = [
    "1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1",
    "223.255.255.255", "2606:2800:21f::1", "2a00:1450::1", "::ffff:93.184.215.14",
    "64:ff9b::5db8:d70e", "2002:5db8:d70e::1", "2001:200::1",
]  # fmt: skip


@pytest.mark.parametrize("address", CLOSED)
def test_address_off_the_public_internet_is_closed(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_address_on_the_public_internet_is_open(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize(
    ("address", "network", "is_open"),
    [
        ("127.66.0.1", "127.0.0.0/8", True),
        ("::ffff:127.0.0.1", "127.0.0.0/8", True),
        ("10.0.0.1", "127.0.0.0/8", False),
        ("::1", "127.0.0.0/8", False),
        ("::1", "::1/128", True),
        ("fd00::7", "fd00::/8", True),
    ],
)
def test_network_allowed_by_hand_is_open_and_no_other(
    address: str, network: str, is_open: bool
) -> None:
    assert is_public_address(address, read_networks([network])) is is_open


def test_networks_are_read_from_text() -> None:
    assert read_networks(["127.0.0.0/8", " ::1 "]) == (
        IPv4Network("127.0.0.0/8"),
        IPv6Network("::1/128"),
    )


def test_text_that_is_no_network_is_named_with_the_right_form() -> None:
    with pytest.raises(
        InputError, match=r"127\.0\.0\.1/8: no network .*write it as 127\.0\.0\.0/8"
    ):
        read_networks(["127.0.0.1/8"])


@given(st.integers(0, 2**32 - 1))
def test_every_spelling_of_an_ipv4_address_is_read_as_it(number: int) -> None:
    address = ip_address(number)
    a, b, c, d = number.to_bytes(4, "big")
    spellings = [
        str(address), f"{address}.", str(number), hex(number), f"0X{number:X}", f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}", f"0{a:o}.{b:#x}.{c}.0{d:o}",
    ]  # fmt: skip
    assert {literal_address(spelling) for spelling in spellings} == {address}


@pytest.mark.parametrize("host", ["256.1.1.1", "1.2.3.4.5", "08.1.1.1", "4294967296", "1..2", ""])
def test_what_only_looks_like_an_ipv4_address_is_none(host: str) -> None:
    assert literal_address(host) is None


# Row 24 of the table: all of these lead to loopback or to a private network.
PRIVATE_LINKS = [
    "http://127.0.0.1/", "http://localhost/", "http://a.localhost:8080/", "http://LOCALHOST./",
    "http://127.1/", "http://2130706433/", "http://0x7f000001/", "http://0177.0.0.1/",
    "http://0x7f.1/", "http://0/", "http://[::1]/", "http://[::ffff:127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/", "http://[2002:7f00:1::]/", "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/", "http://100.64.0.1/", "http://192.168.0.1./",
    "http://127%2e0.0.1/", "http://１２７.0.0.1/", "http://①②⑦。0。0。1/", "http://127。0。0。1/",
]  # fmt: skip


@pytest.mark.parametrize("url", PRIVATE_LINKS)
def test_link_to_a_private_address_is_refused_however_it_is_written(url: str) -> None:
    assert refuse_url(url) == "private address"


@pytest.mark.parametrize("url", [url for url in PRIVATE_LINKS if "127" in url])
def test_loopback_is_let_through_where_its_network_is_allowed(url: str) -> None:
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
def test_address_is_refused_with_its_reason(url: str, reason: str | None) -> None:
    assert refuse_url(url) == reason


def test_port_is_let_through_where_it_is_configured() -> None:
    assert refuse_url("http://gazette.example:6379/", UrlPolicy(ports=frozenset({6379}))) is None


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://www.gazette.co.uk/a", "gazette.co.uk"),
        ("https://a.b.gazette.com/", "gazette.com"),
        ("http://www.harbour-gazette.example/a", "harbour-gazette.example"),
        ("http://GAZETTE.com./", "gazette.com"),
        ("http://bücher.de/", "xn--bcher-kva.de"),
        ("http://127.9.0.1:8000/", "127.9.0.1"),
        ("http://2130706433/", "127.0.0.1"),
        ("http://[::1]:80/", "::1"),
        ("http://localhost/", "localhost"),
        ("http://co.uk/", "co.uk"),
        ("mailto:a@gazette.com", None),
        ("http://[::1/", None),
    ],
)
def test_site_is_the_registrable_domain(url: str, site: str | None) -> None:
    assert site_of(url) == site


def test_blogs_on_a_shared_host_are_sites_of_their_own() -> None:
    # "github.io" stands in the private part of the list of public suffixes.
    assert site_of("http://ann.github.io/") != site_of("http://bob.github.io/")


@pytest.mark.parametrize(
    ("url", "canonical"),
    [
        ("HTTP://Gazette.Example:80", "http://gazette.example/"),
        ("https://gazette.example:443/A", "https://gazette.example/A"),
        ("https://gazette.example:8443/", "https://gazette.example:8443/"),
        ("http://gazette.example/a#comments", "http://gazette.example/a"),
        (
            "http://gazette.example/?p=7&utm_source=rss&utm_medium=feed",
            "http://gazette.example/?p=7",
        ),
        ("http://gazette.example/a?fbclid=x", "http://gazette.example/a"),
        ("http://gazette.example/a?UTM_Campaign=x&gclid=y&b", "http://gazette.example/a?b"),
        ("http://gazette.example/a?source=rss", "http://gazette.example/a"),
        ("http://gazette.example/a?source=archive", "http://gazette.example/a?source=archive"),
        ("http://gazette.example/a?PHPSESSID=1a2b", "http://gazette.example/a"),
        ("http://gazette.example/a;jsessionid=1A2B?b=1", "http://gazette.example/a?b=1"),
        ("http://gazette.example/?a=1&a=1&a=2", "http://gazette.example/?a=1&a=2"),
        ("http://gazette.example/a?q=b+c%2bd", "http://gazette.example/a?q=b+c%2Bd"),
        ("http://gazette.example/a/../b/./c/..", "http://gazette.example/b/"),
        ("http://gazette.example/../../a", "http://gazette.example/a"),
        ("http://gazette.example/http://x/./y", "http://gazette.example/http://x/y"),
        ("http://gazette.example/%7Eann/b c/é", "http://gazette.example/~ann/b%20c/%C3%A9"),
        ("http://gazette.example/%e9", "http://gazette.example/%E9"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://gazette.example/a/amp", "http://gazette.example/a/amp"),
        (
            "https://search.example/url?q=x&url=http%3A%2F%2Fgazette.example%2Fa%3Futm_id%3D1",
            "http://gazette.example/a",
        ),
        ("ftp://gazette.example/", None),
        ("http://", None),
        ("http://[", None),
        ("http://gazette.example:x/", None),
    ],
)
def test_canonical_address_leaves_out_what_the_link_adds(url: str, canonical: str | None) -> None:
    assert canonical_url(url) == canonical


@pytest.mark.parametrize(
    ("declared", "canonical"),
    [
        ("https://gazette.example/a", "https://gazette.example/a"),
        ("/a?utm_source=x", "http://m.gazette.example/a"),
        ("http://www.gazette.example/2026/a.html", "http://www.gazette.example/2026/a.html"),
        ("http://gazette.example/", "http://m.gazette.example/a/amp"),
        ("http://other.example/a", "http://m.gazette.example/a/amp"),
        ("javascript:alert(1)", "http://m.gazette.example/a/amp"),
        ("http://[", "http://m.gazette.example/a/amp"),
        ("", "http://m.gazette.example/a/amp"),
    ],
    ids="twin relative sub-domain home-page other-site script broken empty".split(),
)
def test_declared_canonical_address_counts_where_it_is_plausible(
    declared: str, canonical: str
) -> None:
    assert canonical_url("http://m.gazette.example/a/amp", declared=declared) == canonical


TWINS = [
    "http://gazette.example/2026/rain-again",
    "https://www.gazette.example/2026/rain-again/",
    "https://m.gazette.example/2026/rain-again",
    "https://mobile.gazette.example/2026/rain-again?m=1",
    "https://amp.gazette.example/2026/rain-again",
    "https://gazette.example/amp/2026/rain-again",
    "https://gazette.example/2026/rain-again/amp/",
    "https://gazette.example/2026/rain-again.amp",
    "https://gazette.example/2026/rain-again?amp",
    "https://gazette.example/2026/rain-again?amp=1&utm_source=rss",
    "https://gazette.example/2026/rain-again?outputType=amp",
    "https://gazette.example/2026/rain-again/index.html",
    "https://gazette-example.cdn.example/c/s/gazette.example/2026/rain-again?amp=1",
    "https://wrapper.example/redirect?url=https%3A%2F%2Fgazette.example%2F2026%2Frain-again",
]


@pytest.mark.parametrize("url", TWINS)
def test_twins_of_an_article_have_one_key(url: str) -> None:
    assert url_key(url) == "gazette.example/2026/rain-again"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://gazette.example/guitar/amp", "http://gazette.example/guitar"),
        ("http://gazette.example/?p=1", "http://gazette.example/?p=2"),
        ("http://gazette.example/a?format=long", "http://gazette.example/a"),
        ("http://gazette.example:8080/a", "http://gazette.example/a"),
        ("http://ann.gazette.example/a", "http://bob.gazette.example/a"),
        ("http://m.com/a", "http://com/a"),
        ("http://gazette.example/a/", "http://gazette.example/A/"),
    ],
)
def test_different_articles_have_different_keys(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


def test_order_of_parameters_makes_no_other_article() -> None:
    assert url_key("http://g.example/?a=1&b=2") == url_key("http://g.example/?b=2&a=1")


@pytest.mark.parametrize(
    "url",
    [
        "http://gazette.example/share?url=http://other.example/",  # no redirect, a page about it
        "http://gazette.example/url?url=javascript:alert(1)",
        "http://gazette.example/a/s/other.example/",  # no cache: its host does not spell the other
    ],
)
def test_address_that_only_mentions_another_is_not_unwrapped(url: str) -> None:
    assert unwrap_url(url) == url


def test_wrappers_inside_wrappers_end() -> None:
    url = "http://w.example/url?url=http://w.example/url?url=http://w.example/url?url=http://a.example/"
    assert unwrap_url(url) == "http://a.example/"


addresses = st.text() | st.builds(
    "{}://{}{}".format,
    st.sampled_from(["http", "https", "HTTP", "file", ""]),
    st.text(max_size=30),
    st.text(alphabet="/?&=#%.;:@[]\\ax1é\ud800", max_size=60),
)


@given(addresses)
def test_any_text_gets_a_verdict_and_never_an_exception(url: str) -> None:
    if refuse_url(url) is None:
        assert host_of(url)
        assert canonical_url(url)
        assert url_key(url)
    assert (site_of(url) is None) == (host_of(url) is None)


@given(addresses)
def test_canonical_address_of_a_canonical_address_is_itself(url: str) -> None:
    canonical = canonical_url(url)
    if canonical is not None and unwrap_url(canonical) == canonical:
        assert canonical_url(canonical) == canonical
        assert url_key(canonical) == url_key(url)


@pytest.mark.parametrize("piece", ["/a", "%41", "a=1&", "..%2f", "/.", "amp/", "。", "0x1.", "-"])
def test_long_urls_take_linear_time(piece: str) -> None:
    def judge(pieces: int) -> None:
        url = "http://gazette.example/" + piece * pieces
        refuse_url(url), canonical_url(url), url_key(url), host_of("http://" + piece * pieces)

    assert_linear(lambda pieces: lambda: judge(pieces), 20_000)
