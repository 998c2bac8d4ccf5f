"""`PublishedFeed`: what became of one feed in a reader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Outcome = Literal["added", "updated", "unchanged", "kept", "failed"]


@dataclass(frozen=True, slots=True)
class PublishedFeed:
    """A feed's URL and what became of it; `kept` and `failed` have a reason."""

    url: str
    outcome: Outcome
    reason: str | None = None
