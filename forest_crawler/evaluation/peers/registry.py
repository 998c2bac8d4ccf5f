"""Which peers there are, by name: packages, and any program at a command line or an address.

A peer registers itself when its module is imported, whether or not its package is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from forest_crawler.registry import Registry


class Peer(Protocol):
    """An extractor that reads the page's source and answers with text."""

    @property
    def name(self) -> str:
        """As `--method` takes it."""
        ...

    def version(self) -> str:
        """What is installed, empty where a program does not tell; raises where nothing is.

        Also loads what the peer needs, so that no page pays for it.
        """
        ...

    def extract_text(self, html: str, url: str | None) -> str:
        """The article's text; empty where the peer finds none."""
        ...


_T = TypeVar("_T", bound=Peer)
_PACKAGE = "forest_crawler.evaluation.peers"
_peers: Registry[Peer] = Registry("peer", _PACKAGE)
_openers: Registry[Callable[[str], Peer]] = Registry("peer", _PACKAGE)


def register(peer: _T) -> _T:
    """Make a peer known under its name."""
    _peers.add(peer.name, peer)
    return peer


def register_prefix(prefix: str, opener: Callable[[str], Peer]) -> None:
    """Make a kind of peers known: names with this prefix are opened, not looked up."""
    _openers.add(prefix, opener)


def get_peer(name: str) -> Peer:
    """The peer of that name, whether it is installed or not.

    >>> get_peer("readability-lxml").name
    'readability-lxml'
    >>> get_peer("no-such-peer")
    Traceback (most recent call last):
    ...
    forest_crawler.errors.UnknownNameError: unknown peer 'no-such-peer'; known: ...
    """
    for prefix in _openers.names():
        if name.startswith(prefix):
            return _openers[prefix](name)
    return _peers.find(name)


def peer_names() -> list[str]:
    """The names of all peers that come as packages, installed or not."""
    return _peers.names()


def is_peer_name(name: str) -> bool:
    """Whether `get_peer` knows what to do with a name.

    >>> is_peer_name("cmd:cat"), is_peer_name("trafilatura"), is_peer_name("plain")
    (True, True, False)
    """
    return name in peer_names() or name.startswith(tuple(_openers.names()))
