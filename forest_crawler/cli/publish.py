"""`forest publish`: put the rules of a store into a running feed reader."""

from __future__ import annotations

from collections.abc import Sequence

import click

from forest_crawler.cli._messages import count, say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._stored_wrappers import known_sites
from forest_crawler.cli._value_types import WebUrl
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.export.publishing.freshrss import log_in, publish_freshrss
from forest_crawler.export.publishing.miniflux import publish_miniflux, token_header
from forest_crawler.export.publishing.published import PublishedFeed
from forest_crawler.export.publishing.reader_api import ReaderApi
from forest_crawler.export.rules import SiteCheck, SiteRules
from forest_crawler.export.stored_rules import site_rules


def _check_secret(_: click.Context, parameter: click.Parameter, value: str) -> str:
    """Refuse an empty value and one that no header can hold; never show it."""
    if not value.strip() or not value.isprintable():
        message = "it is empty, or has a line break or another control character"
        raise click.BadParameter(message, param=parameter)
    return value


_replace_option = click.option(
    "--replace", is_flag=True, help="Overwrite the rules that a feed already has."
)


@click.group()
def command() -> None:
    """Put the rules of a store into a running feed reader."""


@command.command("miniflux")
@click.argument("sites", nargs=-1, metavar="[SITE]...")
@store_option
@click.option("--url", type=WebUrl(), required=True, help="The address of your Miniflux.")
@click.option(
    "--token",
    required=True,
    callback=_check_secret,
    envvar="MINIFLUX_TOKEN",
    show_envvar=True,
    help="An API key, from Settings, API Keys.",
)
@_replace_option
def to_miniflux(sites: tuple[str, ...], store: str, url: str, token: str, replace: bool) -> None:
    """Give the feeds in Miniflux their scraper and rewrite rules.

    Feeds that it doesn't have are added. Entries that it has already keep their content; refresh
    the feed for new ones.

    Exit codes: 0 done, 1 some feeds keep other rules or were refused, 2 wrong usage or no such
    reader, 3 nothing to publish, 4 store trouble.
    """
    api = ReaderApi(url, token_header(token))
    done, notes = publish_miniflux(api, _rules(store, sites), replace=replace)
    _report(done, list(notes.messages), notes.checks)


@command.command("freshrss")
@click.argument("sites", nargs=-1, metavar="[SITE]...")
@store_option
@click.option("--url", type=WebUrl(), required=True, help="The address of your FreshRSS.")
@click.option("--user", required=True, callback=_check_secret, help="The name of the user.")
@click.option(
    "--password",
    required=True,
    callback=_check_secret,
    envvar="FRESHRSS_API_PASSWORD",
    show_envvar=True,
    help="The user's API password, from Settings, Profile.",
)
@_replace_option
def to_freshrss(
    sites: tuple[str, ...], store: str, url: str, user: str, password: str, replace: bool
) -> None:
    """Give the feeds in FreshRSS their CSS selectors.

    Feeds that it doesn't have are added. Title, website, description and category of the others
    stay. Articles that it has already keep their content, until the feed is reloaded.

    Exit codes: 0 done, 1 some feeds keep other rules or were refused, 2 wrong usage or no such
    reader, 3 nothing to publish, 4 store trouble.
    """
    rules = _rules(store, sites)
    done, exported = publish_freshrss(log_in(url, user, password), rules, replace=replace)
    _report(done, exported.notes, exported.checks)


def _rules(store: str, sites: Sequence[str]) -> list[SiteRules]:
    with open_existing_store(store) as opened:
        return [site_rules(opened, site) for site in known_sites(opened, sites)]


def _report(
    done: Sequence[PublishedFeed], notes: Sequence[str], checks: Sequence[SiteCheck]
) -> None:
    for note in notes:
        say(note)
    for it in checks:
        share = "" if it.share is None else f", {it.share:.0%} of the words"
        say(f"{it.site}: {it.verdict}{share}")
    for feed in done:
        say(f"{feed.url}: {feed.outcome}{': ' + feed.reason if feed.reason else ''}")
    if not done:
        say("nothing to publish")
        raise SystemExit(EXIT_NOTHING)
    given = sum(feed.outcome in ("added", "updated", "unchanged") for feed in done)
    say(f"{count(given, 'feed')} of {len(done)} with our rules")
    if given < len(done):
        raise SystemExit(EXIT_SOME_FAILED)
