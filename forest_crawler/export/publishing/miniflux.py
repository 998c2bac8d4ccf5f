"""Put rules into Miniflux: new feeds are added, those that exist get the rules.

The settings have existed since Miniflux 2.0, so this works with releases that ignore rules in OPML.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from forest_crawler.export.publishing.published import PublishedFeed
from forest_crawler.export.publishing.reader_api import PublishError, ReaderApi
from forest_crawler.export.rules import Notes, SiteRules
from forest_crawler.export.targets import MINIFLUX, CssRules
from forest_crawler.urls.canonical import url_key

NAME = "miniflux"


def publish_miniflux(
    api: ReaderApi, sites: Sequence[SiteRules], *, replace: bool = False
) -> tuple[list[PublishedFeed], Notes]:
    """Give every feed of the sites its rules.

    A feed with other rules of its own keeps them, unless `replace`. Raises `PublishError` if
    Miniflux cannot be reached or refuses the token; what it says about one feed is in the result.
    """
    known = {_key(feed["feed_url"]): feed for feed in _get(api, "v1/feeds")}
    notes = Notes(NAME)
    done: list[PublishedFeed] = []
    for rules in sites:
        choice = notes.choose(MINIFLUX, rules)
        notes.need_feeds(rules)
        if choice is not None:
            done += [
                _publish(api, url, known.get(_key(url)), choice.written, replace=replace)
                for url in rules.feeds
            ]
    return done, notes


def token_header(token: str) -> dict[str, str]:
    """Return the header by which Miniflux knows a user."""
    return {"X-Auth-Token": token}


def _publish(
    api: ReaderApi, url: str, known: dict[str, Any] | None, written: CssRules, *, replace: bool
) -> PublishedFeed:
    wanted = {"scraper_rules": written.body, "rewrite_rules": written.strip, "crawler": True}
    if known is not None:
        own = [known.get(it) or "" for it in ("scraper_rules", "rewrite_rules")]
        if own == [written.body, written.strip] and known.get("crawler"):
            return PublishedFeed(url, "unchanged")
        if any(own) and not replace:
            return PublishedFeed(url, "kept", "it has rules of its own; --replace overwrites them")
    try:
        if known is not None:
            _send(api, "PUT", f"v1/feeds/{known['id']}", wanted)
            return PublishedFeed(url, "updated")
        _send(api, "POST", "v1/feeds", {"feed_url": url} | wanted)
    except PublishError as err:
        if err.status is None or err.status == 401:  # not about this feed
            raise
        return PublishedFeed(url, "failed", str(err))
    return PublishedFeed(url, "added")


def _get(api: ReaderApi, path: str) -> Any:
    try:
        return json.loads(api.call("GET", path))
    except PublishError as err:
        if err.status == 401:
            what = "Miniflux refuses the token; make one in Settings → API Keys"
            raise PublishError(what, err.status) from err
        raise
    except ValueError as err:
        raise PublishError(f"{api.base} doesn't answer as Miniflux does; check --url") from err


def _send(api: ReaderApi, method: str, path: str, document: dict[str, Any]) -> None:
    api.call(method, path, json.dumps(document).encode())


def _key(url: str) -> str:
    return url_key(url) or url
