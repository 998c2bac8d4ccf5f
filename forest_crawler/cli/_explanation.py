"""Print how wrappers were induced: signifiers, ranked patterns, the chosen XPath.

The numbers are those of `Induction`; docs/explanation/algorithm.md says how to check each by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from forest_crawler.cli._messages import count
from forest_crawler.cli._table import XPathText, make_table
from forest_crawler.induction.induce import Induction
from forest_crawler.induction.paper.patterns import ElementType
from forest_crawler.induction.paper.ranking import RankedPattern
from forest_crawler.induction.significant_paths import SignificantPage
from forest_crawler.page.xpath_syntax import attribute_step, element_step, literal
from forest_crawler.wrapper.wrapper import Wrapper

RANKED_SHOWN = 10
"""Patterns that the table shows. A page has about a hundred; only the first ones compete."""


def print_explanation(console: Console, induction: Induction, ids: Sequence[str]) -> None:
    """Print how a site's wrappers were induced; `ids` name the sample pages, in order."""
    pages = count(len(induction.pages), "page")
    console.print(Text(f"\nSite {induction.site}, {pages}", style="bold"))
    _print_signifiers(console, induction.pages, ids)
    _print_patterns(console, induction.ranked)
    if induction.ranked:
        _print_occurrences(console, induction.ranked[0], induction.pages, ids)
    _print_wrappers(console, induction.wrappers)


def _print_signifiers(
    console: Console, pages: Iterable[SignificantPage], ids: Sequence[str]
) -> None:
    table = make_table("Signifiers, the heaviest first", ["page"], ["X", "Y"], ["signifiers"])
    for name, page in zip(ids, pages, strict=True):
        table.add_row(
            Text(name), str(page.x), str(page.y), Text(", ".join(page.signifiers.weights))
        )
    console.print(table, "")


def _print_patterns(console: Console, ranked: Sequence[RankedPattern]) -> None:
    table = make_table(
        f"Structural patterns, {min(RANKED_SHOWN, len(ranked))} of {len(ranked)}",
        ["element type"],
        ["level", "p", "x", "y", "J", "U", "I", "R"],
        caption="x, y, I: sums over the p pages; J, U: means; R = I · p · level",
    )
    for row in ranked[:RANKED_SHOWN]:
        table.add_row(XPathText(type_xpath(row.pattern.type)), *_pattern_numbers(row))
    console.print(table, "")


def _pattern_numbers(row: RankedPattern) -> list[str]:
    rated = row.occurrences
    return [
        str(row.pattern.level),
        str(row.pages),
        str(sum(r.place.x for r in rated)),
        str(sum(r.place.y for r in rated)),
        f"{sum(r.j for r in rated) / row.pages:.3f}",
        f"{sum(r.u for r in rated) / row.pages:.1f}",
        f"{sum(r.score for r in rated):.2f}",
        f"{row.relevance:.1f}",
    ]


def _print_occurrences(
    console: Console, best: RankedPattern, pages: Sequence[SignificantPage], ids: Sequence[str]
) -> None:
    table = make_table("The best pattern, page by page", ["page"], ["dfs", "x", "y", "J", "U", "I"])
    for rated in best.occurrences:
        place = rated.place
        numbers = [f"{rated.j:.3f}", f"{rated.u:.1f}", f"{rated.score:.2f}"]
        table.add_row(Text(ids[place.page]), str(place.dfs), str(place.x), str(place.y), *numbers)
    console.print(table, "")


def _print_wrappers(console: Console, wrappers: Iterable[Wrapper]) -> None:
    for wrapper in wrappers:
        found_on = f"found on {wrapper.support} of {count(wrapper.pages, 'page')}"
        console.print(Text(f"Wrapper ({wrapper.form} form, {found_on})", style="bold"))
        # On one line, so that it can be copied.
        for expression in wrapper.body:
            console.print(Text(f"  {expression}"), soft_wrap=True)
        for expression in wrapper.strip:
            console.print(Text(f"  less {expression}"), soft_wrap=True)


def type_xpath(element_type: ElementType) -> str:
    """Write an element type as the paper does, attribute values in tolerant form.

    >>> type_xpath(ElementType("div", (("class", "story"),))), type_xpath(ElementType("p", dfs=24))
    ("//div[@class='story']", '//p[@dfs=24]')
    """
    tests = [f"{attribute_step(name)}={literal(v)}" for name, v in element_type.attributes]
    if element_type.dfs is not None:
        tests.append(f"@dfs={element_type.dfs}")
    return f"//{element_step(element_type.tag)}[{' and '.join(tests)}]"
