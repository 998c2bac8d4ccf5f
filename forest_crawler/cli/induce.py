"""`forest induce`: induce wrappers from sibling pages."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console

from forest_crawler.cli._explanation import print_explanation
from forest_crawler.cli._files import write_text
from forest_crawler.cli._messages import count, list_names, say
from forest_crawler.cli._method_choice import WrapperMethodChoice
from forest_crawler.cli._progress import show_progress
from forest_crawler.cli._sites import Site, group_pages, parse_site, read_inputs
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._value_types import OutputFile
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import SampleError
from forest_crawler.induction import DEFAULT_METHOD, explain_induction
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers


@click.command()
@click.argument("inputs", nargs=-1, required=True, metavar="DIR|FILE.jsonl.gz|PAGE|-...")
@click.option(
    "-o",
    "--output",
    type=OutputFile(stdout=True),
    default="-",
    metavar="FILE",
    help="The file of the wrappers; - is stdout.  [default: -]",
)
@click.option(
    "--method",
    type=WrapperMethodChoice(),
    default=DEFAULT_METHOD,
    show_default=True,
    help="The site-level method.",
)
@click.option("--site", metavar="NAME", help="Treat all pages as pages of this site.")
@click.option(
    "--keywords",
    metavar="WORDS",
    help="What the pages are about, beside what their feed entries and texts say.",
)
@click.option("--explain", is_flag=True, help="Print on stderr how the wrappers were induced.")
def command(
    inputs: tuple[str, ...],
    output: str,
    method: str,
    site: str | None,
    keywords: str | None,
    explain: bool,
) -> None:
    """Induce wrappers from two or more pages of each site.

    Inputs are directories of .html files or of test packages, single .html files, and JSON lines
    (plain or gzipped; - is stdin) with a page's "html" and, if known, its "id", "site", "url" and
    "keywords". A page's site is "site", or else the URL's host, or else the name of the directory
    or file. The wrappers are written as JSON.

    Exit codes: 0 every site has wrappers, 1 some have none, 2 wrong usage or unusable input,
    3 no site has any, 4 the output cannot be written.
    """
    groups = group_pages(read_inputs(inputs, site, keywords))
    console = make_console(stderr=True)
    wrappers: list[Wrapper] = []
    failed = []
    for name, pages in show_progress(groups.items(), "Inducing", console):
        found = _induce_or_report(name, pages, method, console if explain else None)
        wrappers.extend(found)
        if not found:
            failed.append(name)
    if wrappers:
        write_text(output, dump_wrappers(wrappers))
    _report(len(groups), len(wrappers), failed, output)


def _induce_or_report(
    name: str, pages: list[LabelledPage], method: str, console: Console | None
) -> Sequence[Wrapper]:
    """Induce a site's wrappers, explained on `console`; report if there are none."""
    site = parse_site(name, pages)
    try:
        wrappers = _induce(site, method, console)
    except SampleError as err:
        say(f"{err}; give more of its pages (--site NAME makes all inputs one site)")
        return ()
    if not wrappers:
        say(f"{name}: no pattern stands out; are these articles, each with its own text?")
    return wrappers


def _induce(site: Site, method: str, console: Console | None) -> Sequence[Wrapper]:
    induction = explain_induction(site.sample, site=site.name, method=method)
    if console is not None:
        print_explanation(console, induction, [page.id for page in site.pages])
    return induction.wrappers


def _report(sites: int, wrappers: int, failed: list[str], output: str) -> None:
    if failed and sites > 1:
        say(f"{len(failed)} of {sites} sites without wrappers: {list_names(failed)}")
    if not wrappers:
        say("no wrappers, so no file is written")
        raise SystemExit(EXIT_NOTHING)
    if output != "-":
        say(f"{count(wrappers, 'wrapper')} of {count(sites - len(failed), 'site')} in {output}")
    if failed:
        raise SystemExit(EXIT_SOME_FAILED)
