"""Feeds: what an entry says of an article, and how a feed is read.

Feeds give Forest two things: sibling pages, and (in its feeds variant) their signifiers.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """One entry of a feed, as far as extraction needs it. Texts are plain, without markup."""

    title: str
    description: str = ""
    link: str | None = None
