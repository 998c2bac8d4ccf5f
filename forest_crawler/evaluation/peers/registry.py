"""Look up peers by name: packages, and any program by its command line or URL.

A peer registers itself when its module is imported, whether or not its package is installed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from forest_crawler.registry import Registry


class Peer(Protocol):
    """An extractor that reads the page's source and returns text."""

    @property
    def name(self) -> str:
        """The name for `--method`."""
        ...

    def version(self) -> str:
        """Return the installed version, empty if unknown; raises an error without one.

        Also loads what the peer needs, so that it doesn't count in a page's time.
        """
        ...

    def extract_text(self, html: str, url: str | None) -> str:
        """Return the article's text; empty if the peer finds none."""
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
    """Make a kind of peers known: `opener` makes them from names with this prefix."""
    _openers.add(prefix, opener)


def get_peer(name: str) -> Peer:
    """Return the peer of that name, whether or not it is installed.

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
    """List the names of all peers that are packages, installed or not."""
    return _peers.names()


def is_peer_name(name: str) -> bool:
    """Return whether `get_peer` knows a name.

    >>> is_peer_name("cmd:cat"), is_peer_name("trafilatura"), is_peer_name("plain")
    (True, True, False)
    """
    return name in peer_names() or name.startswith(tuple(_openers.names()))
