"""Print the figures by which a page-level method chose: a table of the best nodes."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.text import Text

from forest_crawler.cli._table import make_table, print_folded
from forest_crawler.extraction.methods.explanation import ExplainedNode, Explanation, Figure
from forest_crawler.page.css_path import write_css_paths
from forest_crawler.page.tree import PageTree

NODES_SHOWN = 20
"""Nodes that the table shows, besides the chosen ones: the rest of a page is far less relevant."""

_MIN_PATH_WIDTH = 12


def print_method_explanation(
    console: Console, name: str, tree: PageTree, explanation: Explanation
) -> None:
    """Print the best nodes of a page and all chosen ones, with their figures."""
    nodes = explanation.nodes
    shown = [node for i, node in enumerate(nodes) if i < NODES_SHOWN or node.is_chosen]
    part = f", {len(shown)} of {len(nodes)} nodes" if nodes else ""
    table = make_table(
        f"Page {escape(name)}{part}: {escape(explanation.outcome)}",
        ["kept"],
        explanation.columns,
        ["node"],
        caption=escape(explanation.legend),
    )
    table.columns[-1].min_width = _MIN_PATH_WIDTH
    paths = write_css_paths(tree.outline, (node.number for node in shown))
    for node, path in zip(shown, paths, strict=True):
        table.add_row(*_write_row(node), Text(path))
    print_folded(table, console)
    console.print()


def _write_row(node: ExplainedNode) -> list[str]:
    return ["yes" if node.is_chosen else "", *map(_write_figure, node.figures)]


def _write_figure(figure: Figure) -> str:
    if figure is None:
        return "-"
    return f"{figure:.2f}" if isinstance(figure, float) else str(figure)
