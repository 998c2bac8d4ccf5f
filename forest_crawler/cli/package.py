"""`forest package`: make a test package, for `forest evaluate`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from forest_crawler.cli._files import DiskError
from forest_crawler.cli._messages import count, list_names, say
from forest_crawler.cli._package_pages import (
    Proposal,
    Select,
    propose_archived,
    propose_selected,
    select_by_css,
    select_by_wrappers,
    select_by_xpath,
)
from forest_crawler.cli._sites import read_inputs
from forest_crawler.cli._store import open_existing_store
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.datasets.package_writer import PackageWriter
from forest_crawler.export.file_names import safe_name
from forest_crawler.extraction.extraction import BY_WRAPPER
from forest_crawler.store.pages import KEPT_PAGES


@click.command()
@click.option(
    "--store",
    metavar="URL",
    help="Take the pages and articles that this crawl's database keeps: sqlite:///FILE or "
    "postgresql://…",
)
@click.option(
    "--limit",
    type=click.IntRange(1, KEPT_PAGES),
    help=f"With --store: max pages per site.  [default: {KEPT_PAGES}, all that a store keeps]",
)
@click.option("--xpath", metavar="EXPR", help="The text that this XPath selects is the gold.")
@click.option("--css", metavar="SELECTOR", help="The text that this selector selects is the gold.")
@click.option(
    "--wrappers",
    metavar="FILE",
    help="The text that the wrappers of a page's site select is the gold.",
)
@click.option("--site", metavar="NAME", help="Treat all PAGEs as pages of this site.")
@click.option("--add", is_flag=True, help="Add pages to a package; those in it stay as they are.")
@click.argument("directory", metavar="DIR")
@click.argument("inputs", nargs=-1, metavar="[SITE]…|PAGE…")
def command(
    directory: str,
    inputs: tuple[str, ...],
    store: str | None,
    limit: int | None,
    xpath: str | None,
    css: str | None,
    wrappers: str | None,
    site: str | None,
    add: bool,
) -> None:
    """Make a test package for `forest evaluate`.

    DIR gets a description, and for each page NAME.html, NAME.txt with the gold text, and NAME.json
    with metadata. With --store, the pages are the latest of every SITE, or of all sites, and their
    archived articles are the proposed gold; `proposed_by` in the metadata names the extractor.
    With --xpath, --css or --wrappers, the pages are the PAGEs, which can be any input of
    `forest induce`. Read the texts before you rely on them, and correct them.

    Exit codes: 0 all pages are in the package, 1 some are left out, 2 wrong usage or unusable
    input, 3 no page is in it, 4 store or disk trouble.
    """
    if sum(option is not None for option in (store, xpath, css, wrappers)) != 1:
        raise click.UsageError("give exactly one of --store, --xpath, --css and --wrappers")
    if store is not None:
        if site is not None:
            raise click.UsageError("--site is for pages; with --store, name sites after DIR")
        writer = PackageWriter(Path(directory), add=add)
        with open_existing_store(store) as opened:
            _write_all(writer, propose_archived(opened, inputs, limit or KEPT_PAGES))
        return
    if limit is not None:
        raise click.UsageError("--limit goes with --store only")
    if not inputs:
        raise click.UsageError("name the pages; only --store has pages of its own")
    if wrappers == "-" and "-" in inputs:
        raise click.UsageError("stdin cannot be both the wrappers and the pages")
    select = _selection(xpath, css, wrappers)
    proposed_by = BY_WRAPPER if wrappers is not None else None
    writer = PackageWriter(Path(directory), add=add)
    _write_all(writer, propose_selected(read_inputs(inputs, site), select, proposed_by))


def _selection(xpath: str | None, css: str | None, wrappers: str | None) -> Select:
    if xpath is not None:
        return select_by_xpath(xpath)
    if css is not None:
        return select_by_css(css)
    return select_by_wrappers(wrappers or "")


def _write_all(writer: PackageWriter, proposals: Iterable[Proposal]) -> None:
    written = known = 0
    missed: dict[str, list[str]] = {}
    for proposal in proposals:
        page = proposal.page
        if proposal.reason or not page.gold:
            missed.setdefault(proposal.reason or "without text", []).append(page.url or page.id)
            continue
        with _disk_errors(writer.directory):
            is_new = writer.write(_file_name(page), page, proposed_by=proposal.proposed_by)
        written, known = written + is_new, known + (not is_new)
    _report(writer.directory, written, known, missed)
    if missed or not written + known:
        raise SystemExit(EXIT_SOME_FAILED if written + known else EXIT_NOTHING)


def _report(directory: Path, written: int, known: int, missed: dict[str, list[str]]) -> None:
    for reason, names in missed.items():
        say(f"{count(len(names), 'page')} left out, {reason}: {list_names(names)}")
    if known:
        say(f"{count(known, 'page')} already in {directory}, not written again")
    say(f"{count(written, 'page')} written to {directory}")


def _file_name(page: LabelledPage) -> str:
    return safe_name(page.url or f"{page.site}/{page.id}")


@contextmanager
def _disk_errors(directory: Path) -> Iterator[None]:
    try:
        yield
    except OSError as err:
        raise DiskError(
            f"{directory}: cannot be written: {err.strerror}; name another directory"
        ) from err
