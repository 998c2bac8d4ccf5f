"""Print how wrappers were induced: signifiers, ranked candidates, what was chosen and why.

The numbers are those of `Induction`; docs/explanation/algorithm.md says how to check each by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console
from rich.text import Text

from forest_crawler.cli._messages import count
from forest_crawler.cli._paper_explanation import print_paper_ranking
from forest_crawler.cli._table import make_table, print_folded
from forest_crawler.induction import Induction
from forest_crawler.induction.fitting import Candidate, Fit
from forest_crawler.induction.significant_paths import SignificantPage
from forest_crawler.wrapper.locators import write_css
from forest_crawler.wrapper.wrapper import Wrapper


def print_explanation(console: Console, induction: Induction, ids: Sequence[str]) -> None:
    """Print how a site's wrappers were induced; `ids` are the sample pages' names, in order."""
    pages = count(len(induction.pages), "page")
    console.print(Text(f"\nSite {induction.site}, {pages}", style="bold"))
    _print_signifiers(console, induction.pages, ids)
    if induction.ranked:
        print_paper_ranking(console, induction, ids)
        for wrapper in induction.wrappers:
            _print_wrapper(console, wrapper)
    for fit, wrapper in zip(induction.fits, induction.wrappers, strict=False):
        _print_candidates(console, fit)
        _print_strips(console, fit)
        _print_wrapper(console, wrapper)


def _print_signifiers(
    console: Console, pages: Iterable[SignificantPage], ids: Sequence[str]
) -> None:
    table = make_table("Signifiers, the heaviest first", ["page"], ["X", "Y"], ["signifiers"])
    for name, page in zip(ids, pages, strict=True):
        table.add_row(
            Text(name), str(page.x), str(page.y), Text(", ".join(page.signifiers.weights))
        )
    print_folded(table, console)
    console.print()


def _print_candidates(console: Console, fit: Fit) -> None:
    table = make_table(
        "Candidates for the body, by relevance R",
        ["", "pattern"],
        ["level", "p", "x", "y", "J", "U", "I", "R", "F1"],
        caption="x, y, I: sums over the p pages; J, U, level: means; R = I · p · level. "
        "F1: expected, less what the pattern costs; the best is taken (*)",
    )
    for candidate in fit.candidates:
        mark = "*" if candidate is fit.taken else ""
        pattern = Text(write_css(candidate.ranked.locator))
        table.add_row(mark, pattern, *_candidate_numbers(candidate))
    print_folded(table, console)
    console.print()


def _candidate_numbers(candidate: Candidate) -> list[str]:
    row = candidate.ranked
    return [
        f"{row.level:.4g}",
        str(row.pages),
        str(row.x),
        str(row.y),
        f"{row.j:.3f}",
        f"{row.u:.1f}",
        f"{row.informativeness:.2f}",
        f"{row.relevance:.1f}",
        f"{candidate.expected_f1:.3f}",
    ]


def _print_strips(console: Console, fit: Fit) -> None:
    if not fit.strip_rules:
        return
    table = make_table(
        "Strip rules: what is not content inside the body",
        ["rule"],
        ["pages", "words", "not content", "gain"],
        caption="gain: in expected F1, after the rules above it",
    )
    for rule in fit.strip_rules:
        numbers = [
            str(rule.pages),
            f"{rule.words:.0f}",
            f"{rule.other_share:.0%}",
            f"{rule.gain:.4f}",
        ]
        table.add_row(Text(write_css(rule.locator)), *numbers)
    print_folded(table, console)
    console.print()


def _print_wrapper(console: Console, wrapper: Wrapper) -> None:
    found_on = f"found on {wrapper.support} of {count(wrapper.pages, 'page')}"
    console.print(Text(f"Wrapper ({wrapper.form} form, {found_on})", style="bold"))
    # Unfolded, so that it can be copied.
    for expression in wrapper.body:
        console.print(Text(f"  {expression}"), soft_wrap=True)
    for expression in wrapper.strip:
        console.print(Text(f"  less {expression}"), soft_wrap=True)
    for line in wrapper.repeated:
        console.print(Text(f"  less the line {line!r}, which repeats"), soft_wrap=True)
