"""Errors of peers."""

from __future__ import annotations

from forest_crawler.errors import ForestError


class PeerError(ForestError):
    """A peer that cannot be reached or returned no text."""

    def __init__(self, peer: str, message: str) -> None:
        super().__init__(f"{peer}: {message}")
        self.peer = peer


class PeerTimeoutError(PeerError, TimeoutError):
    """A peer that took too long."""
