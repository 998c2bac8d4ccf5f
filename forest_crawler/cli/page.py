"""`forest page`: what a page-level method makes of single pages, and why."""

from __future__ import annotations

import click
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from forest_crawler.cli._messages import say
from forest_crawler.cli._sites import parse_or_say, read_inputs
from forest_crawler.cli._table import make_table
from forest_crawler.cli.main import EXIT_NOTHING, EXIT_SOME_FAILED
from forest_crawler.extraction.extraction import FALLBACK
from forest_crawler.extraction.methods.registry import Extractor, get_extractor
from forest_crawler.page.tree import PageTree
from forest_crawler.page_model.choice import choose_blocks
from forest_crawler.page_model.explanation import ExplainedBlock, Reason, explain_page
from forest_crawler.page_model.layout import NOWHERE
from forest_crawler.page_model.model import score_blocks
from forest_crawler.page_model.outcome import judge_page

SHOWN_TEXT = 60
"""Characters of a block that are shown: enough to find it on the page."""


@click.command()
@click.option(
    "--method",
    default=FALLBACK,
    show_default=True,
    metavar="NAME",
    help="A page-level method; `forest evaluate --help` names them.",
)
@click.option(
    "--explain",
    is_flag=True,
    help="Print every block of the page, its score, whether it is kept, and what spoke for it.",
)
@click.argument("inputs", nargs=-1, required=True, metavar="PAGE|DIR|FILE.jsonl.gz|-...")
def command(method: str, explain: bool, inputs: tuple[str, ...]) -> None:
    """Print the articles that a page-level method finds, each page by itself.

    No wrappers and no sibling pages: this is what a page gets that no wrapper fits.

    Exit codes: 0 every page gave an article, 1 some gave none, 2 wrong usage or unusable input,
    3 none gave any.
    """
    extractor = get_extractor(method)
    if not isinstance(extractor, Extractor):
        raise click.BadParameter(f"{method} needs feed entries", param_hint="--method")
    if explain and method != FALLBACK:
        raise click.BadParameter(f"only `{FALLBACK}` has blocks to explain", param_hint="--explain")
    console = Console(soft_wrap=False)
    found = []
    for page in read_inputs(inputs):
        tree = parse_or_say(page)
        text = extractor.extract(tree).text if tree else ""
        found.append(bool(text))
        if not text:
            say(f"{page.id}: no article found")
        if explain and tree:
            _print_blocks(console, page.id, tree)
        elif text:
            click.echo(text)
    if not all(found):
        raise SystemExit(EXIT_SOME_FAILED if any(found) else EXIT_NOTHING)


def _print_blocks(console: Console, name: str, tree: PageTree) -> None:
    blocks = explain_page(tree)
    scored = score_blocks(tree)
    outcome = judge_page(scored, choose_blocks(scored)).value if blocks else "no text"
    table = make_table(
        f"Page {escape(name)}: {outcome}; an article with probability {scored.article:.2f}",
        ["kept"],
        ["score"],
        ["text", "evidence"],
        caption="Features: what the block is, and how far that moved its log-odds.",
    )
    for block in blocks:
        table.add_row(
            "yes" if block.kept else "", f"{block.score:.2f}", _shown(block), _evidence(block)
        )
    console.print(table)


def _shown(block: ExplainedBlock) -> Text:
    text = " ".join(block.text.split())
    return Text(text if len(text) <= SHOWN_TEXT else text[: SHOWN_TEXT - 1] + "…")


def _evidence(block: ExplainedBlock) -> Text:
    return Text(", ".join(map(_said, block.reasons)))


def _said(reason: Reason) -> str:
    if reason.features.startswith("in ") and reason.value >= NOWHERE:
        return f"not {reason.features} ({reason.weight:+.1f})"
    return f"{reason.features} {reason.value:.3g} ({reason.weight:+.1f})"
