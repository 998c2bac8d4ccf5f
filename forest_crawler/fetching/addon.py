"""Polite and safe fetching for any Scrapy project, with one line in its settings:

    ADDONS = {"forest_crawler.fetching.addon.ForestAddon": 0}

It applies `forest_crawler.settings`; what the project sets itself stays as it is. A line of the log
says what it turns off.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from forest_crawler import settings as forest
from forest_crawler.fetching.feed_exports import keep_pages_out
from forest_crawler.setting_names import check_setting_names

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

OWN = frozenset({"BOT_NAME", "SPIDER_MODULES", "NEWSPIDER_MODULE", "ITEM_PIPELINES"})
"""Settings of our own project, which other projects don't get."""
_COMPONENTS = frozenset({"DOWNLOADER_MIDDLEWARES", "DOWNLOAD_HANDLERS"})
_log = logging.getLogger(__name__)
_EARLY = "TWISTED_DNS_RESOLVER"


class ForestAddon:
    """Adds the middlewares, the public resolver and the limits to a project."""

    @classmethod
    def update_pre_crawler_settings(cls, settings: BaseSettings) -> None:
        # Scrapy reads the resolver from the process's settings, before there is a crawler.
        settings.set(_EARLY, forest.TWISTED_DNS_RESOLVER, priority="addon")

    def update_settings(self, settings: BaseSettings) -> None:
        check_setting_names(settings)
        before = settings.copy()
        named_by_project = (settings.getpriority("USER_AGENT") or 0) > 0
        for name, value in _forest_settings().items():
            if name in _COMPONENTS:
                _add_components(settings, name, value)
            elif name != "ROBOTSTXT_USER_AGENT" or not named_by_project:
                settings.set(name, value, priority="addon")
        keep_pages_out(settings)
        turned_off = sorted(_find_turned_off(before, settings))
        _log.info("turned off by ForestAddon: %s", ", ".join(turned_off) or "nothing")


def _find_turned_off(before: BaseSettings, after: BaseSettings) -> Iterator[str]:
    """Yield what a project had, mostly by Scrapy's defaults, and no longer has."""
    for name, value in _forest_settings().items():
        if value is False and before.get(name) and not after.getbool(name):
            yield name
    for scheme, handler in after.getdict("DOWNLOAD_HANDLERS").items():
        if handler is None:
            yield f"downloads by {scheme}:"
    for path, order in after.getdict("DOWNLOADER_MIDDLEWARES").items():
        if order is None and before.getdict("DOWNLOADER_MIDDLEWARES").get(path, 0) is not None:
            yield path.rpartition(".")[2]


def _forest_settings() -> dict[str, Any]:
    return {
        name: value for name, value in vars(forest).items() if name.isupper() and name not in OWN
    }


def _add_components(settings: BaseSettings, name: str, ours: Any) -> None:
    """Add components; the project's own entries win, and all of them stay."""
    theirs = dict(settings.getdict(name))
    settings.set(name, ours | theirs, priority=max(settings.getpriority(name) or 0, 15))
