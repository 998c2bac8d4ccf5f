"""`forest wrappers`: show, export and correct the wrappers in a store."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from rich.text import Text

from forest_crawler.cli._files import read_bytes, write_text
from forest_crawler.cli._import_tally import MAX_NAMED_FILES, ImportTally
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._store import open_existing_store, store_option
from forest_crawler.cli._stored_wrappers import known_sites, list_row, print_wrapper, sample_trees
from forest_crawler.cli._table import make_table, print_table
from forest_crawler.cli._terminal import echo_data, make_console
from forest_crawler.cli._value_types import COUNT, OutputFile, WebUrl
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.export.by_hand import wrapper_by_hand
from forest_crawler.export.choice import WHOLE
from forest_crawler.export.fivefilters_import import SiteConfig, read_fivefilters
from forest_crawler.export.formats import FORMATS, export_wrappers
from forest_crawler.export.rss_bridge import BRIDGE_URL, write_bridge_list, write_rss_bridge
from forest_crawler.export.rss_bridge import FORMAT as RSS_BRIDGE
from forest_crawler.export.rules import Export, SiteRules
from forest_crawler.export.site_headers import header_hosts, write_site_headers
from forest_crawler.export.stored_rules import site_rules
from forest_crawler.store import Store, open_store
from forest_crawler.wrapper.wrapper import Wrapper, load_wrappers


@click.group()
def command() -> None:
    """Show, export and correct the wrappers in a store."""


@command.command("list")
@click.argument("sites", nargs=-1, metavar="[SITE]...")
@store_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON lines instead of a table.")
def list_wrappers(sites: tuple[str, ...], store: str, as_json: bool) -> None:
    """List wrappers with their numbers.

    These are support, hits, misses, age in days, and confidence.
    """
    with open_existing_store(store) as opened:
        rows = [
            list_row(site, stored, time.time())
            for site in known_sites(opened, sites)
            for stored in opened.wrappers(site)
        ]
    if as_json:
        for row in rows:
            echo_data(json.dumps(row, ensure_ascii=True) + "\n")
        return
    table = make_table(
        count(len(rows), "wrapper"),
        ["site", "method"],
        ["support", "hits", "misses", "days", "confidence"],
        ["pinned"],
    )
    for row in rows:
        names = [Text(str(row["site"])), Text(str(row["method"]))]
        numbers = [f"{row['support']}/{row['pages']}", str(row["hits"]), str(row["misses"])]
        numbers += [f"{row['age_days']:.1f}", f"{row['confidence']:.2f}"]
        table.add_row(*names, *numbers, Text("yes" if row["pinned"] else ""))
    print_table(table, make_console())


@command.command("show")
@click.argument("site")
@store_option
def show_wrappers(site: str, store: str) -> None:
    """Show a site's wrappers in full.

    Prints the XPaths, their CSS form, and what they select on a recent page.
    """
    with open_existing_store(store) as opened:
        known_sites(opened, (site,))
        trees = sample_trees(opened, site, 1)
        console = make_console(soft_wrap=True)
        for number, stored in enumerate(opened.wrappers(site), 1):
            print_wrapper(console, number, stored, trees)


@command.command("export")
@click.argument("sites", nargs=-1, metavar="[SITE]...")
@store_option
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    default="json",
    show_default=True,
    help="The format of the tool that will read them.",
)
@click.option(
    "-o",
    "--output",
    default="-",
    metavar="PATH",
    help="The file to write, for fivefilters the directory; - is stdout.  [default: -]",
)
@click.option(
    "--rss-bridge",
    "bridge",
    type=WebUrl(),
    metavar="URL",
    help="With --format rss-bridge, the address of your RSS-Bridge; -o NAME.opml lists the feeds.",
)
@click.option("--check", is_flag=True, help="Only report how much each site's articles will show.")
def export_stored(
    sites: tuple[str, ...], store: str, form: str, output: str, bridge: str | None, check: bool
) -> None:
    """Write wrappers in another tool's format.

    The form of the rules that shows most in that tool is chosen on the pages that the store keeps.
    What it will show of each site's articles, and what the format cannot express, is reported on
    stderr.

    Exit codes: 0 done, 1 with --check if a site shows less than 90 % of the words, 2 wrong usage,
    3 nothing to export, 4 store or disk trouble.
    """
    if bridge is not None and form != RSS_BRIDGE:
        raise click.UsageError(f"--rss-bridge is for --format {RSS_BRIDGE} only")
    with open_existing_store(store) as opened:
        rules = [site_rules(opened, site) for site in known_sites(opened, sites)]
    if not rules:
        say("no wrappers in the store yet, so nothing to export; `forest crawl` induces them")
        raise SystemExit(EXIT_NOTHING)
    exported = _export(rules, form, bridge, output)
    for note in exported.notes:
        say(note)
    for it in exported.checks:
        share = "no pages in the store to check by" if it.share is None else f"{it.share:.0%}"
        of = "" if it.share is None else f" of the words on {count(it.pages, 'page')}"
        say(f"{it.site}: {it.verdict}, {share}{of} in {form}")
    if check:
        if any(it.share is not None and it.share < WHOLE for it in exported.checks):
            raise SystemExit(EXIT_SOME_FAILED)
        return
    if not any(exported.files.values()):
        say("nothing to export")
        raise SystemExit(EXIT_NOTHING)
    _write_files(exported.files, output)


@command.command("import")
@click.argument("inputs", nargs=-1, required=True, metavar="FILE...")
@store_option
@click.option(
    "--site",
    metavar="NAME",
    help="The site; by default the one that the file names, or else the file's name.",
)
@click.option("--pin", is_flag=True, help="Use them before all others, even after an induction.")
@click.option(
    "--site-headers",
    "headers_file",
    type=OutputFile(stdout=True),
    metavar="FILE",
    help="Write the headers that site configs demand, for the option of this name of a crawl.",
)
@click.option("-v", "--verbose", is_flag=True, help="Name every line that was left out.")
def import_wrappers(
    inputs: tuple[str, ...],
    store: str,
    site: str | None,
    pin: bool,
    headers_file: str | None,
    verbose: bool,
) -> None:
    """Import wrappers from files.

    FILE is JSON that this program wrote, or a FiveFilters site config. Imported wrappers are used
    if the site's own don't fit, or first if they are pinned. Of more than three files, only a
    summary is printed.

    Exit codes: 0 done, 1 some files were refused, 2 wrong usage, 4 store or disk trouble.
    """
    tally = ImportTally(verbose or len(inputs) <= MAX_NAMED_FILES)
    headers: dict[str, Mapping[str, str]] = {}
    with open_store(store) as opened:
        for path in inputs:
            try:
                config = _read_wrappers(path, site)
                _import(opened, config.wrappers, pin=pin)
            except WrapperError as err:
                tally.refuse(path, err)
                continue
            left = [] if headers_file else config.header_lines
            tally.add(path, len(config.wrappers), [*config.skipped, *left])
            for host in header_hosts(config):
                headers[host] = config.headers
    if headers_file:
        write_text(headers_file, write_site_headers(headers))
        say(f"headers of {count(len(headers), 'host')} in {headers_file}")
    tally.finish()
    if tally.refused:
        raise SystemExit(EXIT_SOME_FAILED)


@command.command("rm")
@click.argument("sites", nargs=-1, required=True, metavar="SITE...")
@store_option
def remove_stored(sites: tuple[str, ...], store: str) -> None:
    """Remove the wrappers of sites.

    They stay in the sites' history.
    """
    with open_existing_store(store, writing=True) as opened:
        for site in known_sites(opened, sites):
            opened.remove_wrappers(site)
            say(f"{site}: wrappers removed")


@command.command("pin")
@click.argument("site")
@store_option
@click.option(
    "--number",
    type=COUNT,
    help="Pin the wrapper with this number in `forest wrappers show`.",
)
@click.option(
    "--body", multiple=True, metavar="XPATH", help="Pin this path of the content; repeatable."
)
@click.option(
    "--strip", multiple=True, metavar="XPATH", help="Remove these elements of it; repeatable."
)
@click.option("--title", metavar="XPATH", help="The path of the title.")
@click.option("--author", metavar="XPATH", help="The path of the author.")
@click.option("--date", metavar="XPATH", help="The path of the date.")
def pin_wrapper(
    site: str,
    store: str,
    number: int | None,
    body: tuple[str, ...],
    strip: tuple[str, ...],
    **fields: str | None,
) -> None:
    """Pin one of a site's wrappers, or one of your own.

    A pinned wrapper is tried first, and induction doesn't replace it. Your own XPaths may use tags,
    ids, class names and attributes, joined by / and //.
    """
    if bool(body) == bool(number):
        raise click.UsageError("give either --body or the --number of a stored wrapper")
    with open_store(store) as opened:
        if number:
            stored = opened.wrappers(site)
            if number > len(stored):
                raise WrapperError(
                    f"{site} has {count(len(stored), 'wrapper')}, but no number {number}"
                )
            wrapper = stored[number - 1].wrapper
        else:
            wrapper = wrapper_by_hand(site, body, strip, fields)
        opened.pin(site, wrapper)
    say(f"{site}: pinned {' | '.join(wrapper.body)}")


def _export(rules: Sequence[SiteRules], form: str, bridge: str | None, output: str) -> Export:
    if form != RSS_BRIDGE:
        return export_wrappers(rules, form)
    write = write_bridge_list if output.endswith(".opml") else write_rss_bridge
    return write(rules, bridge or BRIDGE_URL)


def _read_wrappers(path: str, site: str | None) -> SiteConfig:
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as err:
        raise InputError("isn't UTF-8, so it is neither our JSON nor a site config", path) from err
    if text.lstrip().startswith("{"):
        return SiteConfig(load_wrappers(text), [])
    return read_fivefilters(text, site or Path(path).name.removesuffix(".txt"))


def _import(store: Store, wrappers: Sequence[Wrapper], *, pin: bool) -> None:
    by_site: dict[str, list[Wrapper]] = {}
    for wrapper in wrappers:
        by_site.setdefault(wrapper.site, []).append(wrapper)
    for site, found in by_site.items():
        if pin:
            for wrapper in found:
                store.pin(site, wrapper)
            continue
        kept = [stored.wrapper for stored in store.wrappers(site) if not stored.pinned]
        store.replace_wrappers(site, [*kept, *(w for w in found if w not in kept)], "imported")


def _write_files(files: dict[str, str], output: str) -> None:
    if list(files) == [""]:
        write_text(output, files[""])
        return
    if output == "-":
        if len(files) > 1:
            raise click.UsageError("this format has a file per site; give a directory with -o")
        write_text("-", next(iter(files.values())))
        return
    for name, text in files.items():
        write_text(str(Path(output) / name), text)
