"""`forest page`: the articles of single pages, from the web, files or stdin."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from forest_crawler.article.content.forms import FormOptions
from forest_crawler.article.schemas import SCHEMAS, Schema
from forest_crawler.cli._fetch_options import fetch_options
from forest_crawler.cli._form_options import form_options
from forest_crawler.cli._messages import say
from forest_crawler.cli._method_explanation import print_method_explanation
from forest_crawler.cli._page_inputs import UNFETCHED, PageInputs, read_page_inputs
from forest_crawler.cli._page_output import FORMATS, Format, PageOutput
from forest_crawler.cli._page_wrappers import PageWrappers
from forest_crawler.cli._sites import parse_or_report
from forest_crawler.cli._table import make_table, print_folded
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._value_types import COUNT, WebUrl
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import MethodError
from forest_crawler.extraction.extraction import FALLBACK, Extraction
from forest_crawler.extraction.methods.options import set_options
from forest_crawler.extraction.methods.registry import (
    BlockDetector,
    Explainable,
    Extractor,
    extractor_names,
    get_extractor,
)
from forest_crawler.extraction.stated_text import prefer_stated
from forest_crawler.fetching.rendering.shell_page import is_shell
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.explanation import ExplainedBlock, Reason, explain_page
from forest_crawler.page_model.layout import NOWHERE
from forest_crawler.page_model.model import score_blocks
from forest_crawler.page_model.outcome import Outcome, judge_page

MAX_SHOWN_LENGTH = 60
"""Characters of a block that the table shows: enough to find it on the page."""


@click.command()
@click.option(
    "--method",
    default=FALLBACK,
    show_default=True,
    metavar="NAME",
    help="The page-level method; an unknown name lists them all.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set an option of the method: c, tr or hr of r4, threshold_factor of cetd-ds and "
    "cectd-ds; an unknown name lists the method's options; repeatable.",
)
@click.option(
    "--blocks",
    type=COUNT,
    metavar="N",
    help="Print the N most relevant blocks, the best first, with a blank line between them; "
    "for wlr, clr, wnr and cnr.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Print why instead. With the method page: every block of the page, its score, whether it "
    "is kept, and its features. With r4, wlr, cectd-ds and their like: the best nodes, with the "
    "figures by which the method chose.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="What to print: the text (default), Markdown, HTML, or a JSON line with all fields.",
)
@click.option(
    "--schema",
    type=click.Choice(SCHEMAS),
    help="The tool whose field names to use in JSON; `forest` by default.",
)
@click.option("--fields", metavar="NAME,...", help="Print only these fields, as JSON, in order.")
@click.option(
    "--url",
    type=WebUrl(),
    metavar="URL",
    help="The URL of a page that is read from a file or stdin.",
)
@click.option(
    "--store",
    metavar="URL",
    help="Use the wrappers that this crawl's database has of a page's site, and say so.",
)
@form_options
@fetch_options
@click.argument("inputs", nargs=-1, required=True, metavar="URL|PAGE|DIR|FILE.jsonl.gz|-...")
def command(
    method: str,
    options: tuple[str, ...],
    blocks: int | None,
    explain: bool,
    form: Format | None,
    schema: Schema | None,
    fields: str | None,
    url: str | None,
    store: str | None,
    with_title: bool,
    no_captions: bool,
    inputs: tuple[str, ...],
    **fetching: Any,
) -> None:
    """Print the articles of single pages: their text, Markdown, HTML, or JSON.

    A page is a URL (also without https://), which is fetched as a crawl does (robots.txt, public
    addresses only), a file, or HTML from stdin. The page-level method needs neither wrappers nor
    sibling pages; with --store, the wrappers of a crawl come first. Several pages are separated by
    a line with their names, or are JSON lines.

    Exit codes: 0 every page has an article, 1 some have none, 2 wrong usage or unusable input,
    3 no page has one.
    """
    extractor = _get_extractor(method, options)
    if blocks and explain:
        raise click.UsageError("--blocks and --explain exclude each other")
    if blocks and not isinstance(extractor, BlockDetector):
        raise MethodError("finds no further blocks", method, _find_able(BlockDetector))
    if explain and method != FALLBACK and not isinstance(extractor, Explainable):
        able = [FALLBACK, *_find_able(Explainable)]
        raise MethodError("cannot explain its choice", method, able)
    forms = FormOptions(with_title, captions=not no_captions)
    output = PageOutput(_choose_form(form, schema, fields), schema or "forest", fields, forms)
    with PageWrappers(store) as wrappers:
        run = _Run(method, extractor, blocks, explain, output, wrappers, bool(fetching["rendered"]))
        pages = read_page_inputs(PageInputs(inputs, url, fetching))
        found = [run.process(page) for page in output.watch(pages)]
    if not all(found):
        raise SystemExit(EXIT_SOME_FAILED if any(found) else EXIT_NOTHING)


@dataclass(frozen=True, slots=True)
class _Run:
    """What to do with every page."""

    method: str
    extractor: Extractor
    blocks: int | None
    explain: bool
    output: PageOutput
    wrappers: PageWrappers
    renders: bool

    def process(self, page: LabelledPage) -> bool:
        """Print a page; report whether it has an article."""
        if page.kind == UNFETCHED:
            return self.output.write(page, None, None)
        tree = parse_or_report(page)
        if self.explain and tree:
            _explain(make_console(), page.id, tree, self.extractor)
            is_found = bool(self.extractor.extract(tree))
        elif self.blocks and tree:
            is_found = self.output.write_text(page, self._join_blocks(tree, self.blocks))
        else:
            found = self._extract(page, tree) if tree else None
            is_found = self.output.write(page, tree, found)
            if is_found and tree and found:
                self._say_doubt(page, tree, found)
        if not is_found:
            say(f"{page.id}: no article found")
        return is_found

    def _say_doubt(self, page: LabelledPage, tree: PageTree, found: Extraction) -> None:
        """Say so if a crawl skips such a page: the text is a notice, a login, a list of links."""
        if found.extractor != f"page:{FALLBACK}":
            return
        scored = score_blocks(tree)
        outcome = judge_page(scored, choose_blocks(scored))
        if outcome is Outcome.ARTICLE:
            return
        is_fetched = page.http_status is not None
        has_scripts = is_fetched and not self.renders and is_shell(str(page.source).encode())
        advice = "scripts may write one, `--render auto` runs them" if has_scripts else ""
        say(f"{page.id}: probably no article ({outcome.value}); {advice or 'a crawl skips it'}")

    def _extract(self, page: LabelledPage, tree: PageTree) -> Extraction | None:
        found = self.wrappers.extract(page, tree, self.method)
        by_page = found or Extraction(self.extractor.extract(tree), f"page:{self.method}")
        return prefer_stated(by_page, tree, page.entry)

    def _join_blocks(self, tree: PageTree, blocks: int) -> str:
        if not isinstance(self.extractor, BlockDetector):
            return ""
        found = islice(self.extractor.detect_blocks(tree), blocks)
        return "\n\n".join(block.text for block in found)


def _choose_form(form: Format | None, schema: str | None, fields: str | None) -> Format:
    if form in (None, "json") and (schema or fields):
        return "json"
    if schema or fields:
        raise click.UsageError(f"--schema and --fields are for JSON, not for {form}")
    return form or "text"


def _get_extractor(method: str, options: tuple[str, ...]) -> Extractor:
    extractor = get_extractor(method)
    if not isinstance(extractor, Extractor):
        raise click.BadParameter(
            f"{method} needs feed entries, and pages come without", param_hint="--method"
        )
    return set_options(method, extractor, options)


def _find_able(protocol: type) -> list[str]:
    return [name for name in extractor_names() if isinstance(get_extractor(name), protocol)]


def _explain(console: Console, name: str, tree: PageTree, extractor: Extractor) -> None:
    if isinstance(extractor, Explainable):
        print_method_explanation(console, name, tree, extractor.explain(tree))
    else:
        _print_blocks(console, name, tree)


def _print_blocks(console: Console, name: str, tree: PageTree) -> None:
    blocks = explain_page(tree)
    scored = score_blocks(tree)
    outcome = judge_page(scored, choose_blocks(scored)).value if blocks else "no text"
    table = make_table(
        f"Page {escape(name)}: {outcome}; an article with probability {scored.article:.2f}",
        ["kept"],
        ["score"],
        ["text", "features"],
        caption="Features: their values, and by how much each moved the block's log-odds.",
    )
    for block in blocks:
        table.add_row(
            "yes" if block.kept else "",
            f"{block.score:.2f}",
            _shorten(block.text),
            _describe_reasons(block),
        )
    print_folded(table, console)


def _shorten(text: str) -> Text:
    text = " ".join(text.split())
    is_long = len(text) > MAX_SHOWN_LENGTH
    return Text(text[: MAX_SHOWN_LENGTH - 1] + "…" if is_long else text)


def _describe_reasons(block: ExplainedBlock) -> Text:
    return Text(", ".join(map(_describe_reason, block.reasons)))


def _describe_reason(reason: Reason) -> str:
    if reason.column.startswith("in ") and reason.value >= NOWHERE:
        return f"not {reason.column} ({reason.weight:+.1f})"
    return f"{reason.column} {reason.value:.3g} ({reason.weight:+.1f})"
