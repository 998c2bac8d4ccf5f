"""Tables on a terminal: names and XPaths wrap, numbers never do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from rich import box
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table

_ANY_WIDTH = 100_000
_MIN_WIDTH = 24  # of an XPath's column, so that a line still holds a whole test
_MIN_NAME = 16
"""Width to which a column of names may shrink; on a terminal too narrow for that, lines run over
its edge. Otherwise the numbers would be cut, and the names would vanish."""

# A line may end before a step, a predicate or an operator between tests;
_BREAKS = re.compile(r"(?<=[^/(])(?=//?|\[)|(?= (?:and|or|\|) )")
# if a single test is too long, after a parenthesis or a comma.
_INNER_BREAKS = re.compile(r"(?<=[(,])")


class XPathText:
    """An XPath as a table cell, folded between its steps and tests."""

    def __init__(self, xpath: str) -> None:
        self.xpath = xpath

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        longest = min(len(self.xpath), options.max_width)
        return Measurement(min(_MIN_WIDTH, longest), longest)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        for line in fold_xpath(self.xpath, options.max_width):
            yield Segment(line)
            yield Segment.line()


def fold_xpath(xpath: str, width: int) -> list[str]:
    """Fold an XPath into lines between steps and tests; cut tests that are too long.

    >>> fold_xpath("//div[contains(@class,'story') and (@dfs='78' or @dfs='82')]", 32)
    ["//div[contains(@class,'story')", "and (@dfs='78' or @dfs='82')]"]
    """
    lines = [""]
    for piece in _split(xpath, width):
        if len(lines[-1]) + len(piece) <= width:
            lines[-1] += piece
        else:
            rest = piece.lstrip()
            lines.extend(rest[i : i + width] for i in range(0, len(rest), width))
    return [line for line in lines if line]


def _split(xpath: str, width: int) -> Iterator[str]:
    for piece in _BREAKS.split(xpath):
        yield from [piece] if len(piece) <= width else _INNER_BREAKS.split(piece)


def natural_width(table: Table, console: Console) -> int:
    """Return the width at which no cell of a table is folded."""
    return Measurement.get(console, console.options.update_width(_ANY_WIDTH), table).maximum


def print_table(table: Table, console: Console) -> None:
    """Print a table: folded to a terminal's width, else with every name in one piece."""
    if not console.is_terminal:
        console.width = max(console.width, natural_width(table, console))
    print_folded(table, console)


def print_folded(table: Table, console: Console) -> None:
    """Print a table folded to the console's width, but with all columns and whole numbers."""
    width = console.width
    console.width = max(width, _least_width(table, console))
    console.print(table)
    console.width = width


def _least_width(table: Table, console: Console) -> int:
    options = console.options.update_width(_ANY_WIDTH)
    spare = 0
    for column in table.columns:
        cells = [column.header, *column.cells]
        widest = max(Measurement.get(console, options, cell).maximum for cell in cells)
        spare += 0 if column.no_wrap else max(widest - _MIN_NAME, 0)
    return natural_width(table, console) - spare


def make_table(
    title: str,
    names: Sequence[str],
    numbers: Sequence[str],
    more_names: Sequence[str] = (),
    caption: str | None = None,
) -> Table:
    """Make an empty table: columns of names, of numbers, and again of names."""
    table = Table(
        title=title,
        title_justify="left",
        title_style="italic",
        caption=caption,
        caption_justify="left",
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
        pad_edge=False,
    )
    for name in names:
        table.add_column(name, overflow="fold")
    for number in numbers:
        table.add_column(number, justify="right", no_wrap=True)
    for name in more_names:
        table.add_column(name, overflow="fold")
    return table
