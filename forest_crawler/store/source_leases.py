"""Leases of sources: a feed is polled by the run that leases the site of its host.

So a host has requests of one run at a time, whether for feeds or for pages.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from forest_crawler.store.host_pauses import HostPauses
from forest_crawler.store.records import Source
from forest_crawler.store.site_leases import SiteLeases
from forest_crawler.store.sources import Sources
from forest_crawler.urls.hosts import host_of, site_of


class LeasedSources(NamedTuple):
    """What became of the sources that a run wants to poll."""

    mine: list[Source]  # to poll now
    elsewhere: list[Source]  # another run works on their sites, or this one has enough
    later: list[Source]  # another run has polled them meanwhile, or their hosts want a pause


class SourceLeases(SiteLeases, HostPauses, Sources):
    """The section of the store that leases sources."""

    def lease_sources(self, wanted: Sequence[Source], max_sites: int) -> LeasedSources:
        """Lease the sites of sources, up to a number of sites with earlier leases."""
        result = LeasedSources([], [], [])
        with self._database.writing("lease"):
            free, paused = self.postpone_paused(wanted)
            result.later.extend(paused)
            owned = self.owned_sites({polled_site(source) for source in free})
            room = max_sites - self.count_leased()[0]
            for source in free:
                site = polled_site(source)
                if site not in owned and (room <= 0 or not self.lease_site(site)):
                    result.elsewhere.append(source)
                    continue
                room -= site not in owned
                owned.add(site)
                now = self.get_source(source.id)  # read once the site is ours
                is_same = now.last_poll == source.last_poll and not now.disabled
                (result.mine if is_same else result.later).append(now)
        return result

    def postpone_paused(self, wanted: Sequence[Source]) -> tuple[list[Source], list[Source]]:
        """Postpone the polls of sources whose hosts want a pause; return the others, and these."""
        ends = self.pause_ends({polled_host(source) for source in wanted})
        free = [source for source in wanted if polled_host(source) not in ends]
        paused = [source for source in wanted if polled_host(source) in ends]
        for source in paused:
            end = ends[polled_host(source)]
            self.update_source(source.id, next_poll=max(end, source.next_poll))
        return free, [self.get_source(source.id) for source in paused]


def polled_host(source: Source) -> str:
    """Return the host that a poll requests."""
    url = source.feed_url or source.url
    return host_of(url) or url


def polled_site(source: Source) -> str:
    """Return the site whose host a poll requests.

    >>> polled_site(Source(1, "https://www.gazette.example/", "https://feeds.example.org/gazette"))
    'example.org'
    """
    url = source.feed_url or source.url
    return site_of(url) or url
