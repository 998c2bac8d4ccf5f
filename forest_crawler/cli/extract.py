"""`forest extract`: apply wrappers to pages, and write the articles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from forest_crawler.article.content.forms import FormOptions
from forest_crawler.article.schemas import SCHEMAS, Schema
from forest_crawler.cli._articles import article_line, check_fields, extract_article
from forest_crawler.cli._files import read_wrappers
from forest_crawler.cli._form_options import form_options
from forest_crawler.cli._messages import count, list_names, say
from forest_crawler.cli._sites import parse_or_report, read_inputs
from forest_crawler.cli._terminal import echo_data
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.extraction.extraction import FALLBACK, Extraction
from forest_crawler.extraction.methods.registry import Extractor, get_extractor
from forest_crawler.page.tree import PageTree
from forest_crawler.wrapper.wrapper import Wrapper

NO_FALLBACK = "none"


@dataclass(slots=True)
class _Tally:
    """The number of pages, and the ids of those without an article, by site."""

    pages: int = 0
    empty: list[str] = field(default_factory=list)
    unmatched: dict[str, list[str]] = field(default_factory=dict)
    unknown: dict[str, list[str]] = field(default_factory=dict)  # of sites without wrappers

    @property
    def missed(self) -> int:
        groups = [self.empty, *self.unmatched.values(), *self.unknown.values()]
        return sum(len(group) for group in groups)


@click.command()
@click.option(
    "--wrappers",
    "wrappers_file",
    required=True,
    metavar="FILE",
    help="The wrappers that `forest induce` wrote; - is stdin.",
)
@click.option("--site", metavar="NAME", help="Treat all pages as pages of this site.")
@click.option(
    "--fallback",
    default=FALLBACK,
    show_default=True,
    metavar="METHOD",
    help="The page-level method for pages that no wrapper fits, or `none`.",
)
@click.option(
    "--schema",
    type=click.Choice(SCHEMAS),
    default="forest",
    show_default=True,
    help="The tool whose field names to use.",
)
@click.option("--fields", metavar="NAME,...", help="Write only these fields, in this order.")
@form_options
@click.argument("inputs", nargs=-1, required=True, metavar="PAGE|DIR|FILE.jsonl.gz|-...")
def command(
    wrappers_file: str,
    site: str | None,
    fallback: str,
    schema: Schema,
    fields: str | None,
    with_title: bool,
    no_captions: bool,
    inputs: tuple[str, ...],
) -> None:
    """Extract articles from pages with wrappers.

    A page's article is what the fitting wrapper of its site selects, or else what a page-level
    method finds, or else the text that its feed entry or JSON-LD has; the field `extractor` is
    `wrapper`, `page:` and the method's name, `feed` or `structured-data`. Prints a JSON line per
    page: the page's name and the article's fields (docs/reference/articles.md). Without an article
    these are null, and text, html and markdown are empty. Inputs are those of `forest induce`.

    Exit codes: 0 every page has an article, 1 some have none, 2 wrong usage or unusable input,
    3 no page has one.
    """
    if wrappers_file == "-" and "-" in inputs:
        raise click.UsageError("stdin cannot be both the wrappers and the pages")
    sites = read_wrappers(wrappers_file)
    method = _known_method(fallback)
    chosen = check_fields(fields, schema)
    forms = FormOptions(with_title, captions=not no_captions)
    tally = _Tally()
    try:
        for page in read_inputs(inputs, site):
            tree, found = _extract_page(page, sites, method, tally)
            echo_data(article_line(page, found, schema, chosen, forms=forms, tree=tree) + "\n")
    except WrapperError as err:  # its XPath compiles, but fails when it runs
        raise InputError(str(err), wrappers_file) from err
    _report(tally, wrappers_file, sorted(sites))


def _known_method(name: str) -> str | None:
    """Check the fallback before the first page is read; None for no fallback."""
    if name == NO_FALLBACK:
        return None
    if not isinstance(get_extractor(name), Extractor):
        raise click.BadParameter(
            f"{name} needs feed entries, and pages come without", param_hint="--fallback"
        )
    return name


def _extract_page(
    page: LabelledPage, sites: dict[str, list[Wrapper]], method: str | None, tally: _Tally
) -> tuple[PageTree | None, Extraction | None]:
    wrappers = sites.get(page.site, [])
    tree = parse_or_report(page)
    found = extract_article(tree, wrappers, method, page.entry)
    tally.pages += 1
    if tree is None and found is None:
        tally.empty.append(page.id)
    elif found is None:
        missed = tally.unmatched if wrappers else tally.unknown
        missed.setdefault(page.site, []).append(page.id)
    return tree, found


def _report(tally: _Tally, wrappers_file: str, known: Sequence[str]) -> None:
    for site, ids in tally.unmatched.items():
        say(f"{site}: no wrapper matches {count(len(ids), 'page')}: {list_names(ids)}")
    for site, ids in tally.unknown.items():
        say(
            f"{site}: no wrappers for {count(len(ids), 'page')}: {list_names(ids)}; {wrappers_file}"
            f" has those of {list_names(known)}: induce this site too, or choose one with --site"
        )
    if tally.missed:
        say(f"{tally.missed} of {count(tally.pages, 'page')} without an article")
        raise SystemExit(EXIT_NOTHING if tally.missed == tally.pages else EXIT_SOME_FAILED)
