"""`forest check`: test whether stored wrappers still fit the latest pages."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import click
from rich.text import Text

from forest_crawler.cli._messages import count, list_names, say, suggest_name
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._table import make_table, print_table
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli.main import EXIT_SOME_FAILED
from forest_crawler.crawl.drift import MIN_FIT
from forest_crawler.crawl.jobs import SiteCheck
from forest_crawler.crawl.workers import WorkerError, Workers
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.store import Store

TIMEOUT = 60.0
"""Seconds for the pages of one site; a dozen pages take a few tenths of a second."""


@dataclass(frozen=True, slots=True)
class _Check:
    """How a site's wrappers do on its pages, or `error` if they cannot be run."""

    site: str
    wrappers: int
    result: SiteCheck | None = None
    error: str | None = None

    @property
    def has_drifted(self) -> bool:
        return self.result is None or self.result.fits < MIN_FIT * self.result.pages

    @property
    def loses_text(self) -> bool:
        return self.result is not None and bool(self.result.eaten_by)

    @property
    def verdict(self) -> str:
        if self.result is None:
            return self.error or "not checked"
        if not self.result.pages:
            return "no pages kept"
        return "drift" if self.has_drifted else "loses text" if self.loses_text else "fits"


@click.command()
@click.argument("sites", nargs=-1, metavar="[SITE]…")
@store_option
def command(sites: tuple[str, ...], store: str) -> None:
    """Test whether stored wrappers still fit.

    Each wrapper is run on the latest pages that the store keeps of its site: of every SITE, or of
    all sites. Agreement compares the words that it selects with the page model's choice; rules that
    would take content are named. Nothing is fetched or changed; the next crawl induces drifted
    wrappers again.

    Exit codes: 0 all fit, 1 some have drifted or lose text, 2 wrong usage or no such store, 4 store
    trouble.
    """
    with open_existing_store(store) as opened:
        known = opened.sites()
        if unknown := [site for site in sites if site not in known]:
            meant = suggest_name(unknown[0], known) or f", but of {list_names(known)}"
            raise InputError(f"has no wrappers of {unknown[0]}{meant}", opened.name)
        if not known:
            say("no wrappers yet; `forest crawl` induces them")
            return
        checks = asyncio.run(_check_all(opened, list(sites) or known))
    _show(checks)
    drifted = [check for check in checks if check.has_drifted]
    if drifted:
        say(f"{count(len(drifted), 'site')} with drifted wrappers")
    if drifted or any(check.loses_text for check in checks):
        raise SystemExit(EXIT_SOME_FAILED)


async def _check_all(store: Store, sites: list[str]) -> list[_Check]:
    workers = Workers(1)
    try:
        return [await _check(store, site, workers) for site in sites]
    finally:
        workers.stop()


async def _check(store: Store, site: str, workers: Workers) -> _Check:
    from forest_crawler.crawl.induction_job import check_site

    try:
        wrappers = [row.wrapper for row in store.wrappers(site)]
        result = await workers.run(TIMEOUT, check_site, store.recent_pages(site), wrappers)
    except (WrapperError, WorkerError) as err:
        return _Check(site, 0, error=str(err))
    return _Check(site, len(wrappers), result)


def _show(checks: list[_Check]) -> None:
    numbers = ["wrappers", "pages", "fit", "agreement"]
    table = make_table("Stored wrappers on the latest pages", ["site"], numbers, ["verdict"])
    for check in checks:
        result = check.result or SiteCheck(0, 0, None, ())
        agreement = "–" if result.agreement is None else f"{100 * result.agreement:.0f} %"
        cells = (str(check.wrappers), str(result.pages), str(result.fits), agreement)
        table.add_row(Text(check.site), *cells, Text(check.verdict))
    print_table(table, make_console())
    for check in checks:
        for rule, pages in check.result.eaten_by if check.result else ():
            say(f"{check.site}: the strip rule {rule} takes content on {count(pages, 'page')}")
