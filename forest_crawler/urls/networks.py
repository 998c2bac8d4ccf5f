"""IP addresses in all the forms that links use, and which of them are public.

`forest_crawler.urls.policy` checks a link before it is scheduled; the resolver checks the address
again before it connects. This module only judges: it neither resolves nor connects.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)
from typing import TypeAlias

from forest_crawler.errors import InputError

IPAddress: TypeAlias = IPv4Address | IPv6Address
IPNetwork: TypeAlias = IPv4Network | IPv6Network

# Written out, because `ipaddress.is_global` depends on the Python release and is true for
# 224.0.0.1, 64:ff9b::7f00:1 and 2002:7f00:1::.
_PRIVATE_V4 = tuple(
    IPv4Network(text)
    for text in (
        "0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 "
        "192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 "
        "224.0.0.0/3 "  # multicast, reserved and broadcast
        "168.63.129.16/32"  # in a public range, but a cloud's internal host service
    ).split()
)
_UNICAST_V6 = IPv6Network("2000::/3")
"""All that was ever assigned as global unicast; every address outside is private."""
_PRIVATE_V6 = tuple(
    IPv6Network(text)
    for text in (
        "2001::/23 "  # protocol assignments, with Teredo and ORCHID
        "2001:db8::/32 3fff::/20"  # documentation
    ).split()
)
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_SIX_TO_FOUR = IPv6Network("2002::/16")
_ISATAP = (0x00005EFE, 0x02005EFE)  # RFC 5214: the upper half of the interface identifier


def is_public_address(address: str | IPAddress, allowed: Iterable[IPNetwork] = ()) -> bool:
    """Whether an address is on the public internet, or in an allowed network.

    An IPv6 address that embeds an IPv4 address is judged by both. A text that isn't an address is
    not public.

    >>> is_public_address("93.184.215.14"), is_public_address("64:ff9b::7f00:1")
    (True, False)
    >>> is_public_address("127.0.0.1", [IPv4Network("127.0.0.0/8")])
    True
    """
    try:
        found = ip_address(address) if isinstance(address, str) else address
    except ValueError:
        return False
    forms = [found]
    if isinstance(found, IPv6Address) and (embedded := _embedded_address(found)):
        forms.append(embedded)
    networks = tuple(allowed)
    if any(form in network for form in forms for network in networks):
        return True
    return all(_is_public(form) for form in forms)


def literal_address(host: str) -> IPAddress | None:
    """Read a host as an IP address as `inet_aton` does; `None` for a name.

    >>> literal_address("0x7f.1"), literal_address("2130706433"), literal_address("example.org")
    (IPv4Address('127.0.0.1'), IPv4Address('127.0.0.1'), None)
    """
    if ":" in host:
        try:
            return IPv6Address(host.strip("[]"))
        except AddressValueError:
            return None
    parts = [_read_number(part) for part in host.removesuffix(".").split(".")]
    if len(parts) > 4 or any(part is None for part in parts):
        return None
    *heads, last = [part for part in parts if part is not None]
    # The last number fills the remaining bytes: 127.1 is 127.0.0.1.
    if any(head > 0xFF for head in heads) or last >= 256 ** (4 - len(heads)):
        return None
    return IPv4Address(last + sum(head << (24 - 8 * i) for i, head in enumerate(heads)))


def is_numeric_host(host: str) -> bool:
    """Whether a host ends in a number: then it is an IPv4 address or invalid."""
    last = host.removesuffix(".").rpartition(".")[2]
    return (last.isascii() and last.isdecimal()) or _read_number(last) is not None


def read_networks(texts: Iterable[str]) -> tuple[IPNetwork, ...]:
    """Read networks as `--allow-network` accepts them, or single addresses.

    >>> read_networks(["127.0.0.0/8", "::1"])
    (IPv4Network('127.0.0.0/8'), IPv6Network('::1/128'))
    """
    return tuple(_read_network(text) for text in texts)


def _read_network(text: str) -> IPNetwork:
    try:
        return ip_network(text.strip())
    except ValueError as err:
        raise InputError(f"not a network ({err}); write it as 127.0.0.0/8", text) from err


def _embedded_address(address: IPv6Address) -> IPv4Address | None:
    number = int(address)
    if address in _MAPPED or address in _NAT64:
        return IPv4Address(number & 0xFFFFFFFF)
    if address in _SIX_TO_FOUR:
        return IPv4Address(number >> 80 & 0xFFFFFFFF)
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF)
    return None


def _is_public(address: IPAddress) -> bool:
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _PRIVATE_V4)
    if address in _MAPPED or address in _NAT64:
        return True  # the embedded address is judged as well
    return address in _UNICAST_V6 and not any(address in network for network in _PRIVATE_V6)


def _read_number(part: str) -> int | None:
    """Read one part of an IPv4 address: decimal, octal after 0, hexadecimal after 0x."""
    if not part.isascii() or not part.isalnum() or len(part) > 20:
        return None
    digits, base = part, 10
    if part[:2].lower() == "0x":
        digits, base = part[2:] or "0", 16
    elif len(part) > 1 and part[0] == "0":
        digits, base = part[1:], 8
    try:
        return int(digits, base)
    except ValueError:
        return None
