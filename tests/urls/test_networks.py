"""Every spelling of a private IP address is recognised as private."""

from __future__ import annotations

from ipaddress import IPv4Network, IPv6Network, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import InputError
from forest_crawler.urls.networks import is_public_address, literal_address, read_networks

PRIVATE = [
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
    "fe80::1%eth0", "", "not an address", "1.2.3", "1.2.3.4/8",
]  # fmt: skip

PUBLIC = [
    "1.1.1.1", "93.184.215.14", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1",
    "223.255.255.255", "2606:2800:21f::1", "2a00:1450::1", "::ffff:93.184.215.14",
    "64:ff9b::5db8:d70e", "2002:5db8:d70e::1", "2001:200::1",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_a_private_address_is_not_public(address: str) -> None:
    assert not is_public_address(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_public_internet_is_public(address: str) -> None:
    assert is_public_address(address)


@pytest.mark.parametrize(
    ("address", "network", "is_public"),
    [
        ("127.66.0.1", "127.0.0.0/8", True),
        ("::ffff:127.0.0.1", "127.0.0.0/8", True),
        ("10.0.0.1", "127.0.0.0/8", False),
        ("::1", "127.0.0.0/8", False),
        ("::1", "::1/128", True),
        ("fd00::7", "fd00::/8", True),
    ],
)
def test_an_allowed_network_counts_as_public_and_no_other(
    address: str, network: str, is_public: bool
) -> None:
    assert is_public_address(address, read_networks([network])) is is_public


def test_networks_are_read_from_text() -> None:
    assert read_networks(["127.0.0.0/8", " ::1 "]) == (
        IPv4Network("127.0.0.0/8"),
        IPv6Network("::1/128"),
    )


def test_an_invalid_network_is_refused_with_the_right_form() -> None:
    with pytest.raises(
        InputError, match=r"127\.0\.0\.1/8: not a network .*write it as 127\.0\.0\.0/8"
    ):
        read_networks(["127.0.0.1/8"])


@given(st.integers(0, 2**32 - 1))
def test_every_spelling_of_an_ipv4_address_is_read(number: int) -> None:
    address = ip_address(number)
    a, b, c, d = number.to_bytes(4, "big")
    spellings = [
        str(address), f"{address}.", str(number), hex(number), f"0X{number:X}", f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}", f"{a}.{b}.{number & 0xFFFF}", f"0{a:o}.{b:#x}.{c}.0{d:o}",
    ]  # fmt: skip
    assert {literal_address(spelling) for spelling in spellings} == {address}


@pytest.mark.parametrize("host", ["256.1.1.1", "1.2.3.4.5", "08.1.1.1", "4294967296", "1..2", ""])
def test_an_invalid_ipv4_address_is_not_read(host: str) -> None:
    assert literal_address(host) is None
