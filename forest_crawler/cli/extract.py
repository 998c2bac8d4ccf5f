"""`forest extract`: pages and wrappers in, articles out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import click

from forest_crawler.article.schemas import SCHEMAS, Schema, pick_fields
from forest_crawler.cli._articles import article_line, extract_article, field_names
from forest_crawler.cli._files import read_wrappers
from forest_crawler.cli._messages import count, list_names, say
from forest_crawler.cli._sites import parse_or_say, read_inputs
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.extraction.extraction import FALLBACK, Extraction
from forest_crawler.extraction.methods.registry import Extractor, get_extractor
from forest_crawler.wrapper.wrapper import Wrapper

NO_FALLBACK = "none"


@dataclass(slots=True)
class _Tally:
    """Pages read, and by site those that gave no article."""

    pages: int = 0
    empty: list[str] = field(default_factory=list)
    unmatched: dict[str, list[str]] = field(default_factory=dict)
    unknown: dict[str, list[str]] = field(default_factory=dict)  # their site has no wrappers

    @property
    def missed(self) -> int:
        groups = [self.empty, *self.unmatched.values(), *self.unknown.values()]
        return sum(len(group) for group in groups)


@click.command()
@click.option(
    "--wrappers", "wrappers_file", required=True, metavar="FILE", help="What `induce` wrote."
)
@click.option("--site", metavar="NAME", help="Take all pages for pages of this site.")
@click.option(
    "--fallback",
    default=FALLBACK,
    show_default=True,
    metavar="METHOD",
    help="Page-level method for pages that no wrapper fits; `none` leaves them without article.",
)
@click.option(
    "--schema",
    type=click.Choice(SCHEMAS),
    default="forest",
    show_default=True,
    help="Whose names the fields have.",
)
@click.option("--fields", metavar="NAME,...", help="Only these fields, in this order.")
@click.argument("inputs", nargs=-1, required=True, metavar="PAGE|DIR|FILE.jsonl.gz|-...")
def command(
    wrappers_file: str,
    site: str | None,
    fallback: str,
    schema: Schema,
    fields: str | None,
    inputs: tuple[str, ...],
) -> None:
    """Cut the articles out of pages, one JSON line a page.

    A page's wrappers are those of its site; the one that fits gives the article, and where none
    does, a page-level method: extractor is `wrapper` or `page:` and the method. A line holds the
    page's name and the article's fields; without an article these are null, text, html and
    markdown empty. Inputs are read as `forest induce` reads them.

    Exit codes: 0 every page gave an article, 1 some gave none, 2 wrong usage or unusable input,
    3 none gave any.
    """
    if wrappers_file == "-" and "-" in inputs:
        raise click.UsageError("stdin cannot be both the wrappers and the pages")
    sites = read_wrappers(wrappers_file)
    method = _known_method(fallback)
    chosen = _known_fields(fields, schema)
    tally = _Tally()
    try:
        for page in read_inputs(inputs, site):
            found = _extract_page(page, sites, method, tally)
            click.echo(article_line(page, found, schema, chosen))
    except WrapperError as err:  # compiles, but cannot be run
        raise InputError(str(err), wrappers_file) from err
    _report(tally, wrappers_file, sorted(sites))


def _known_method(name: str) -> str | None:
    """The fallback's name, checked before the first page is read."""
    if name == NO_FALLBACK:
        return None
    if not isinstance(get_extractor(name), Extractor):
        raise click.BadParameter(f"{name} needs feed entries", param_hint="--fallback")
    return name


def _known_fields(said: str | None, schema: Schema) -> list[str] | None:
    """The fields' names, checked before the first page is read."""
    if said is None:
        return None
    names = [name.strip() for name in said.split(",") if name.strip()]
    pick_fields(dict.fromkeys(field_names(schema)), names)
    return names


def _extract_page(
    page: LabelledPage, sites: dict[str, list[Wrapper]], method: str | None, tally: _Tally
) -> Extraction | None:
    wrappers = sites.get(page.site, [])
    tree = parse_or_say(page)
    found = extract_article(tree, wrappers, method)
    tally.pages += 1
    if tree is None:
        tally.empty.append(page.id)
    elif found is None:
        missed = tally.unmatched if wrappers else tally.unknown
        missed.setdefault(page.site, []).append(page.id)
    return found


def _report(tally: _Tally, wrappers_file: str, known: Sequence[str]) -> None:
    for site, ids in tally.unmatched.items():
        say(f"{site}: no wrapper matches {count(len(ids), 'page')}: {list_names(ids)}")
    for site, ids in tally.unknown.items():
        say(
            f"{site}: no wrappers for {count(len(ids), 'page')}: {list_names(ids)}; {wrappers_file}"
            f" has {list_names(known)}: induce this site too, or name one of these with --site"
        )
    if tally.missed:
        say(f"{tally.missed} of {count(tally.pages, 'page')} without article")
        raise SystemExit(EXIT_NOTHING if tally.missed == tally.pages else EXIT_SOME_FAILED)
