"""Run the programs that are here on the bundled sites: `make consumers`.

Prints per program its version, the mean F1 against gold (2-grams, title and text as in `forest
evaluate`), that of our simulation, and on how many pages both have the same words. Exit code 1 if
a simulation differs or a program falls below its bound.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from benchmarks.consumers import (
    feed_validator,
    feediron,
    freshrss,
    graby,
    miniflux,
    newsboat,
    rss_bridge,
)
from benchmarks.consumers.program import NotHereError, Program, Shown, find_copy
from benchmarks.consumers.records import record
from benchmarks.consumers.sites import Site, SitePage, read_sites, serve
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.scoring import DEFAULT_MEASURE, score_page
from forest_crawler.evaluation.subject import Subject
from forest_crawler.export.checked_page import words_of
from forest_crawler.export.choice import choose_form
from forest_crawler.export.shown_title import drop_title
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page
from forest_crawler.text.comparison import comparable

PROGRAMS = [it.PROGRAM for it in (graby, miniflux, freshrss, feediron, rss_bridge, newsboat)]
MIN_F1 = {"graby": 0.955, "Miniflux": 0.97, "FreshRSS": 0.95, "FeedIron": 0.93}
MIN_F1 |= {"RSS-Bridge": 0.85, "newsboat": 0.97}


@dataclass(frozen=True, slots=True)
class Result:
    """What a program shows of all pages, and how that compares."""

    version: str
    score: float
    simulated: float
    different: tuple[str, ...]  # URLs of pages on which the simulation has other words
    pages: int
    titles: int  # pages on which the content begins with the title
    shown: Shown


def main() -> int:
    """Print a line per program; 1 if one is below its bound or differs from its simulation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", help="the name of a program; repeatable")
    parser.add_argument("-v", "--verbose", action="store_true", help="show the words that differ")
    parser.add_argument("--record", metavar="FILE", help="write what was shown, for the tests")
    options = parser.parse_args()
    sites = read_sites()
    print(f"our own articles: {_mean(sites, lambda _, page: page.html):.3f}")
    failed = False
    with serve(sites) as served:
        for program in PROGRAMS:
            if options.only and program.name not in options.only:
                continue
            try:
                result = run_program(program, served, verbose=options.verbose)
            except NotHereError as err:
                print(f"{program.name}: skipped, {err}")
                continue
            print(_line(program, result))
            if options.record and program.target is not None:
                record(Path(options.record), program, result.version, served, result.shown)
            failed |= program.target is None and bool(result.titles)
            failed |= bool(result.different) or result.score < MIN_F1[program.name]
        if not options.only or "validator" in options.only:
            failed |= validate(served)
    return 1 if failed else 0


def validate(sites: Sequence[Site]) -> bool:
    """Print what the feed validator says of full-text feeds; return whether it finds an error."""
    try:
        path = find_copy(feed_validator.VARIABLE, "")
    except NotHereError as err:
        print(f"W3C feed validator: skipped, {err}")
        return False
    with tempfile.TemporaryDirectory(prefix="forest-consumers-") as work:
        found = feed_validator.validate_feeds(path, sites, Path(work))
    said = ", ".join(f"{name} {number}" for name, number in sorted(found.items()))
    print(f"W3C feed validator on {len(sites)} sites, RSS and Atom: {said or 'nothing to say'}")
    return any(name.startswith("error") for name in found)


def run_program(program: Program, sites: Sequence[Site], *, verbose: bool = False) -> Result:
    """Run a program on served sites, and its simulation; compare both with each other."""
    path = program.find()
    with tempfile.TemporaryDirectory(prefix="forest-consumers-") as work:
        version, shown = program.run(path, sites, Path(work))
    simulated = simulate(program, sites)
    different = []
    for url, markup in simulated.items():
        real, expected = words_of(shown.get(url, "")), words_of(markup)
        if real != expected:
            different.append(url)
            if verbose:
                _print_difference(url, real, expected)
    return Result(
        version,
        _mean(sites, lambda site, page: shown.get(site.page_url(page), "")),
        _mean(sites, lambda site, page: simulated[site.page_url(page)]),
        tuple(different),
        len(simulated),
        sum(_repeats_title(page, shown) for page in _shown_pages(sites)),
        shown,
    )


def _shown_pages(sites: Sequence[Site]) -> list[tuple[str, SitePage]]:
    return [(site.page_url(page), page) for site in sites for page in site.pages]


def _repeats_title(page: tuple[str, SitePage], shown: Shown) -> bool:
    first = _text(shown.get(page[0], "")).partition("\n")[0]
    return bool(first) and comparable(first) == comparable(page[1].checked.title or "")


def simulate(program: Program, sites: Sequence[Site]) -> Shown:
    """Return what our simulation of a program shows of all pages."""
    if program.target is None:  # of full-text feeds it shows our articles, without their title
        return {
            site.page_url(page): drop_title(page.html, page.checked.title)
            for site in sites
            for page in site.pages
        }
    shown: Shown = {}
    for site in sites:
        target = program.target(site)
        choice = choose_form(target, site.rules.portable, site.rules.pages)
        for page in site.pages:
            markup = target.show(page.checked, choice.written) if choice else ""
            shown[site.page_url(page)] = markup
    return shown


def _mean(sites: Sequence[Site], show: Callable[[Site, SitePage], str]) -> float:
    return fmean(_score(page, show(site, page)) for site in sites for page in site.pages)


def _score(page: SitePage, markup: str) -> float:
    return score_page(Subject(page.labelled), _text(markup), [DEFAULT_MEASURE])[DEFAULT_MEASURE].f1


def _text(markup: str) -> str:
    try:
        tree = parse_page(f"<body>{markup}</body>")
    except EmptyPageError:
        return ""
    return select_elements(tree, [tree.body]).text


def _line(program: Program, result: Result) -> str:
    same = result.pages - len(result.different)
    return (
        f"{program.name} {result.version}: F1 {result.score:.3f} (at least "
        f"{MIN_F1[program.name]}), simulated {result.simulated:.3f}, same words on {same} of "
        f"{result.pages} pages, title repeated on {result.titles}"
    )


def _print_difference(url: str, real: Sequence[str], expected: Sequence[str]) -> None:
    start = next(
        (i for i, pair in enumerate(zip(real, expected, strict=False)) if pair[0] != pair[1]),
        min(len(real), len(expected)),
    )
    print(f"  {url} at word {start} of {len(real)} shown, {len(expected)} simulated:")
    print(f"    shown     {' '.join(real[start : start + 12])}")
    print(f"    simulated {' '.join(expected[start : start + 12])}")


if __name__ == "__main__":
    sys.exit(main())
