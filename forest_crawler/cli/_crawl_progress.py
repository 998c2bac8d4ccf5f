"""How far a crawl is: a bar and the time that is left, and the sites that are busy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from forest_crawler.cli._messages import count
from forest_crawler.text.durations import write_clock

MIN_DONE = 5
"""Pages after which the time that is left can be estimated at all."""

TALL = 30
"""Lines of a terminal that has room for a line per busy site."""

MAX_SITES = 15


@dataclass(frozen=True, slots=True)
class CrawlProgress:
    """Pages that are fetched or done, of how many; the total is known once all feeds are read."""

    done: int
    total: int
    seconds: float  # since the crawl began
    is_total_known: bool

    @property
    def left(self) -> float | None:
        """Seconds until the end at the speed so far; `None` while that cannot be known.

        >>> CrawlProgress(20, 100, 10.0, True).left, CrawlProgress(20, 100, 10.0, False).left
        (40.0, None)
        """
        if not self.is_total_known or self.done < MIN_DONE:
            return None
        return self.seconds * (self.total - self.done) / self.done

    def bar(self, width: int) -> str:
        """Draw the bar with its numbers, within a width.

        >>> CrawlProgress(20, 80, 10.0, True).bar(40)
        '━━━━───────────── 20/80 pages, 0:30 left'
        """
        left = "" if self.left is None else f", {write_clock(self.left)} left"
        numbers = f" {self.done}/{self.total} pages{left}"
        room = max(width - len(numbers), 0)
        full = room * self.done // self.total if self.total else 0
        return "━" * full + "─" * (room - full) + numbers


def read_progress(
    stats: Mapping[str, object], pending: int, seconds: float, *, is_total_known: bool
) -> CrawlProgress:
    """Read how far a crawl is; `pending` pages were left by earlier runs.

    A fetched page counts as done, although it may wait for its siblings: the time goes by with
    waiting between requests. Pages without a response are among the skipped and failed ones.

    >>> stats = {"forest/scheduled": 12, "forest/pages": 7}
    >>> read_progress(stats, 0, 8.0, is_total_known=True).done
    7
    >>> read_progress(stats | {"forest/articles": 9}, 0, 8.0, is_total_known=True).done
    9
    """
    resolved = sum(_number(stats, name) for name in ("articles", "skipped", "failed"))
    done = max(resolved, _number(stats, "pages"))
    total = pending + _number(stats, "scheduled") + _number(stats, "reopened")
    return CrawlProgress(min(done, total), total, seconds, is_total_known)


def busy_lines(
    busy: Mapping[str, int], sites: Mapping[str, Mapping[str, int]], height: int
) -> list[str]:
    """Write a line per site with requests under way, the busiest first, on tall terminals.

    >>> busy_lines({"a.example": 1, "b.example": 3}, {"b.example": {"pages": 2}}, 40)
    ['b.example: 3 requests, 2 pages, 0 articles', 'a.example: 1 request, 0 pages, 0 articles']
    >>> busy_lines({"a.example": 1}, {"a.example": {"pages": 1, "articles": 1}}, 40)
    ['a.example: 1 request, 1 page, 1 article']
    >>> busy_lines({"a.example": 1}, {}, 24)
    []
    """
    if height < TALL:
        return []
    ordered = sorted(busy.items(), key=lambda it: (-it[1], it[0]))
    lines = []
    for host, number in ordered[: min(MAX_SITES, height - TALL + 5)]:
        counts = sites.get(host, {})
        pages, articles = counts.get("pages", 0), counts.get("articles", 0)
        words = (count(number, "request"), count(pages, "page"), count(articles, "article"))
        lines.append(f"{host}: {', '.join(words)}")
    return lines


def _number(stats: Mapping[str, object], name: str) -> int:
    return int(str(stats.get(f"forest/{name}", 0)))
