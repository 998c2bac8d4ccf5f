"""`PollStatus`: which sites have a poll under way, whose pages are not known yet.

So have sites whose sample is being read from WARC files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from forest_crawler.store import Source
from forest_crawler.urls.hosts import site_of


class PollStatus:
    """Counts the polls under way per site: until they end, a site's sample may grow."""

    def __init__(self) -> None:
        self._polls: Counter[str] = Counter()
        self._read: set[str] = set()

    def begin(self, site: str) -> None:
        """Note that a poll of a site begins."""
        self._polls[site] += 1

    def end(self, site: str) -> None:
        """Note that a poll of a site has ended."""
        self._polls[site] -= 1
        if self._polls[site] <= 0:
            del self._polls[site]

    @property
    def sites(self) -> Collection[str]:
        """The sites with a poll under way."""
        return self._polls.keys()

    def is_polling(self, site: str) -> bool:
        """Report whether a poll is under way that may name pages of the site."""
        return self._polls[site] > 0

    def begin_sample(self, sites: Iterable[str]) -> None:
        """Note that the samples of sites are being read: nothing is induced before they are."""
        self._read.update(sites)

    def end_sample(self, site: str) -> None:
        """Note that a site's sample is held."""
        self._read.discard(site)

    def is_sampling(self, site: str) -> bool:
        """Report whether a site's sample is being read."""
        return site in self._read


def source_site(source: Source) -> str:
    """Return the site that a source's polls count for."""
    return site_of(source.url) or source.url
