"""`StudioOptions`: how the web application runs; checked by `forest studio`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

DEFAULT_PORT = 8417
MIN_TOKEN_LENGTH = 12
"""Characters of a token: shorter ones can be guessed."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts to bind to without a token: only this machine reaches them."""

DEFAULT_LABELS = Path("labels")
"""The test package that labelled pages are added to."""


@dataclass(frozen=True, slots=True)
class StudioOptions:
    """The store, who may reach it, and what may be changed."""

    store: str
    host: str = LOOPBACK[0]
    port: int = DEFAULT_PORT
    token: str | None = None
    read_only: bool = False
    labels: Path = DEFAULT_LABELS
    cors: tuple[str, ...] = ()  # origins whose pages may use /api/v1
    is_static: bool = False  # the pages are exported to files, so links replace forms

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect."""
        return self.host in LOOPBACK

    @property
    def may_change(self) -> bool:
        """Whether pages offer changes."""
        return not (self.read_only or self.is_static)

    @property
    def address(self) -> str:
        """The URL of the first page, with the token if there is one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        query = f"?token={self.token}" if self.token else ""
        return f"http://{host}:{self.port}/{query}"
