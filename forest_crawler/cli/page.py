"""`forest page`: extract single pages with a page-level method, and explain it."""

from __future__ import annotations

from itertools import islice

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.article.content.forms import FormOptions
from forest_crawler.cli._form_options import form_options
from forest_crawler.cli._messages import say
from forest_crawler.cli._method_explanation import print_method_explanation
from forest_crawler.cli._sites import parse_or_report, read_inputs
from forest_crawler.cli._table import make_table
from forest_crawler.cli._terminal import echo, make_console
from forest_crawler.cli._value_types import COUNT
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
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
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.explanation import ExplainedBlock, Reason, explain_page
from forest_crawler.page_model.layout import NOWHERE
from forest_crawler.page_model.model import score_blocks
from forest_crawler.page_model.outcome import judge_page

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
@form_options
@click.argument("inputs", nargs=-1, required=True, metavar="PAGE|DIR|FILE.jsonl.gz|-...")
def command(
    method: str,
    options: tuple[str, ...],
    blocks: int | None,
    explain: bool,
    with_title: bool,
    no_captions: bool,
    inputs: tuple[str, ...],
) -> None:
    """Print the texts of the articles that a page-level method finds.

    It uses neither wrappers nor sibling pages, like the fallback for a page that no wrapper fits.

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
    console = make_console()
    found = []
    for page in read_inputs(inputs):
        tree = parse_or_report(page)
        text = _extract_text(extractor, tree, blocks, forms) if tree else ""
        found.append(bool(text))
        if not text:
            say(f"{page.id}: no article found")
        if explain and tree:
            _explain(console, page.id, tree, extractor)
        elif text:
            echo(text)
    if not all(found):
        raise SystemExit(EXIT_SOME_FAILED if any(found) else EXIT_NOTHING)


def _get_extractor(method: str, options: tuple[str, ...]) -> Extractor:
    extractor = get_extractor(method)
    if not isinstance(extractor, Extractor):
        raise click.BadParameter(
            f"{method} needs feed entries, and pages come without", param_hint="--method"
        )
    return set_options(method, extractor, options)


def _find_able(protocol: type) -> list[str]:
    return [name for name in extractor_names() if isinstance(get_extractor(name), protocol)]


def _extract_text(
    extractor: Extractor, tree: PageTree, blocks: int | None, forms: FormOptions
) -> str:
    if blocks and isinstance(extractor, BlockDetector):
        return "\n\n".join(block.text for block in islice(extractor.detect_blocks(tree), blocks))
    found = Extraction(extractor.extract(tree))
    return make_article(tree, found, ArticleSource(), options=forms).text


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
    console.print(table)


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
