"""What goes wrong with a peer."""

from __future__ import annotations

from forest_crawler.errors import ForestError


class PeerError(ForestError):
    """A peer that cannot be reached or gave no answer."""

    def __init__(self, peer: str, message: str) -> None:
        super().__init__(f"{peer}: {message}")
        self.peer = peer


class PeerTimeoutError(PeerError, TimeoutError):
    """A peer that did not answer in time."""
