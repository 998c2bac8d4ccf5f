"""Print the ranking of the paper's methods: structural patterns, and the best page by page."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from forest_crawler.cli._table import XPathText, make_table, print_folded
from forest_crawler.induction import Induction
from forest_crawler.induction.paper.patterns import ElementType
from forest_crawler.induction.paper.ranking import RankedPattern
from forest_crawler.page.xpath_syntax import attribute_step, element_step, literal

RANKED_SHOWN = 10
"""Patterns that the table shows. A page has about a hundred; only the first ones compete."""


def print_paper_ranking(console: Console, induction: Induction, ids: Sequence[str]) -> None:
    """Print the ranked structural patterns; `ids` are the sample pages' names, in order."""
    _print_patterns(console, induction.ranked)
    if induction.ranked:
        _print_occurrences(console, induction.ranked[0], ids)


def _print_patterns(console: Console, ranked: Sequence[RankedPattern]) -> None:
    table = make_table(
        f"Structural patterns, {min(RANKED_SHOWN, len(ranked))} of {len(ranked)}",
        ["element type"],
        ["level", "p", "x", "y", "J", "U", "I", "R"],
        caption="x, y, I: sums over the p pages; J, U: means; R = I · p · level",
    )
    for row in ranked[:RANKED_SHOWN]:
        table.add_row(XPathText(type_xpath(row.pattern.type)), *_pattern_numbers(row))
    print_folded(table, console)
    console.print()


def _pattern_numbers(row: RankedPattern) -> list[str]:
    rated = row.occurrences
    return [
        str(row.pattern.level),
        str(row.pages),
        str(sum(r.occurrence.x for r in rated)),
        str(sum(r.occurrence.y for r in rated)),
        f"{sum(r.j for r in rated) / row.pages:.3f}",
        f"{sum(r.u for r in rated) / row.pages:.1f}",
        f"{sum(r.score for r in rated):.2f}",
        f"{row.relevance:.1f}",
    ]


def _print_occurrences(console: Console, best: RankedPattern, ids: Sequence[str]) -> None:
    table = make_table("The best pattern, page by page", ["page"], ["dfs", "x", "y", "J", "U", "I"])
    for rated in best.occurrences:
        occurrence = rated.occurrence
        numbers = [f"{rated.j:.3f}", f"{rated.u:.1f}", f"{rated.score:.2f}"]
        table.add_row(
            Text(ids[occurrence.page]),
            str(occurrence.dfs),
            str(occurrence.x),
            str(occurrence.y),
            *numbers,
        )
    print_folded(table, console)
    console.print()


def type_xpath(element_type: ElementType) -> str:
    """Write an element type as the paper does, attribute values in tolerant form.

    >>> type_xpath(ElementType("div", (("class", "story"),))), type_xpath(ElementType("p", dfs=24))
    ("//div[@class='story']", '//p[@dfs=24]')
    """
    tests = [f"{attribute_step(name)}={literal(v)}" for name, v in element_type.attributes]
    if element_type.dfs is not None:
        tests.append(f"@dfs={element_type.dfs}")
    return f"//{element_step(element_type.tag)}[{' and '.join(tests)}]"
