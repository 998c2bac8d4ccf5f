"""Tables on terminals of all widths."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from forest_crawler.cli._table import make_table, print_table


def show(width: int, names: list[str]) -> list[str]:
    """Print a table with two numbers per name; return the lines below the rule."""
    table = make_table("Sites", ["site"], ["support", "confidence"], ["pinned"])
    for name in names:
        table.add_row(name, "10/10", "0.97", "yes")
    console = Console(width=width, file=StringIO(), force_terminal=True, color_system=None)
    print_table(table, console)
    assert console.width == width
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    return [line.rstrip() for line in lines[3:]]


@pytest.mark.parametrize("width", [10, 40, 80])
def test_a_narrow_terminal_loses_neither_a_name_nor_a_figure(width: int) -> None:
    assert show(width, ["news.example"]) == ["news.example    10/10        0.97  yes"]


def test_a_long_name_is_folded_to_16_characters_and_no_further() -> None:
    shown = show(30, ["abcdefghijklmnop.example"])
    assert shown == ["abcdefghijklmnop    10/10        0.97  yes", ".example"]
