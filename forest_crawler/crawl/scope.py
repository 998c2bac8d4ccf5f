"""`Scope`: which pages and articles a crawl wants, by URL, day and language.

What the feed entry says decides before the page is fetched: its URL, and its day if it has one. The
article's own day and language decide after extraction; a feed's language is too often wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from forest_crawler.article.article_day import find_date
from forest_crawler.errors import InputError
from forest_crawler.store.records import Candidate
from forest_crawler.urls.policy import MAX_URL_LENGTH

PREFIX = "scope-"
"""How the reasons of unwanted pages begin."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Limits of a crawl; an empty part allows all."""

    since: date | None = None
    until: date | None = None  # included
    languages: tuple[str, ...] = ()  # "en" includes "en-GB"
    match: re.Pattern[str] | None = None
    reject: re.Pattern[str] | None = None

    def __bool__(self) -> bool:
        return self != Scope()

    def refuse_candidate(self, candidate: Candidate) -> str | None:
        """Return why a page isn't fetched, by its URL and its feed entry."""
        url = candidate.url[:MAX_URL_LENGTH]  # bounds what a slow pattern can cost
        if self.match is not None and not self.match.search(url):
            return f"{PREFIX}match"
        if self.reject is not None and self.reject.search(url):
            return f"{PREFIX}reject"
        entry = candidate.entry or {}
        if published := entry.get("published"):
            return self._refuse_day(published)
        # It was published on the day of its last change or before, so that it may be too old.
        return replace(self, until=None)._refuse_day(entry.get("updated"))

    def refuse_article(self, row: Mapping[str, Any]) -> str | None:
        """Return why an article isn't archived: its day (`find_date`) or its language.

        >>> Scope(languages=("en",)).refuse_article({"language": "de"})
        'scope-language'
        """
        language = str(row.get("language") or "").lower()
        wanted = [name.lower() for name in self.languages]
        if wanted and not any(language == it or language.startswith(f"{it}-") for it in wanted):
            return f"{PREFIX}language"
        return self._refuse_day(find_date(row))

    def _refuse_day(self, moment: object) -> str | None:
        day = str(moment or "")[:10]
        if day and self.since is not None and day < self.since.isoformat():
            return f"{PREFIX}since"
        if day and self.until is not None and day > self.until.isoformat():
            return f"{PREFIX}until"
        return None


def compile_pattern(text: str | None, name: str) -> re.Pattern[str] | None:
    """Compile a user's pattern for URLs; raise `InputError` for a wrong one."""
    if not text:
        return None
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as err:
        raise InputError(f"isn't a regular expression: {err}", name) from err


def read_day(text: str | None, name: str) -> date | None:
    """Read a day, as 2026-03-06; raise `InputError` for anything else."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as err:
        raise InputError(f"{text!r} isn't a day, as 2026-03-06", name) from err
