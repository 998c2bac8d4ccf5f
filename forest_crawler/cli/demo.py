"""`forest demo`: the whole way, on the sites that come with the package."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from forest_crawler.bundle import bundled_sites
from forest_crawler.cli._articles import article_line, extract_article
from forest_crawler.cli._files import write_text
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._progress import show_progress
from forest_crawler.cli._sites import Site, group_pages, parse_site
from forest_crawler.cli._table import XPathText, make_table
from forest_crawler.cli.main import EXIT_SOME_FAILED
from forest_crawler.errors import SampleError
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.extraction import BY_WRAPPER, Extraction
from forest_crawler.induction import DEFAULT_METHOD, SITE_METHODS, induce
from forest_crawler.pages import read_pages
from forest_crawler.wrapper import Wrapper, dump_wrappers

OUTPUT = "outputs/demo"


@dataclass(frozen=True, slots=True)
class _Result:
    """What came out for one site."""

    site: Site
    wrappers: tuple[Wrapper, ...]
    found: tuple[Extraction | None, ...]  # for each page

    @property
    def f1(self) -> float | None:
        """The mean over the pages with gold; a page without article scores 0."""
        pairs = zip(self.site.pages, self.found, strict=True)
        scores = [
            bigram_score(page.gold, found.selection.text if found else "").f1
            for page, found in pairs
            if page.gold is not None
        ]
        return fmean(scores) if scores else None

    @property
    def fallback(self) -> str:
        """Which other extractors had to help, on how many pages."""
        names = Counter(found.extractor if found else "none" for found in self.found)
        del names[BY_WRAPPER]
        return ", ".join(f"{name}: {number}" for name, number in names.items()) or "no"


@click.command()
@click.option(
    "-o", "--output", default=OUTPUT, show_default=True, metavar="DIR", help="Where files go."
)
@click.option(
    "--method", type=click.Choice(sorted(SITE_METHODS)), default=DEFAULT_METHOD, show_default=True
)
def command(output: str, method: str) -> None:
    """Induce wrappers for the bundled sites, extract their articles, and score them.

    F1 compares the sets of 2-grams of article and gold text, as the Forest paper does; the gold is
    not used before.

    Exit codes: 0 every site has wrappers, 1 some have none, 4 the files cannot be written.
    """
    sites = bundled_sites()
    progress = show_progress(sites, "Inducing", Console(stderr=True))
    results = [result for path in progress for result in _run(path, method)]
    Console().print(_table(results, method))
    _save(results, output)
    if not all(result.wrappers for result in results):
        raise SystemExit(EXIT_SOME_FAILED)


def _run(path: Path, method: str) -> Iterable[_Result]:
    for name, pages in group_pages(read_pages(path)).items():
        site = parse_site(name, pages)
        wrappers = _induce_or_say(site, method)
        yield _Result(site, wrappers, tuple(extract_article(tree, wrappers) for tree in site.trees))


def _induce_or_say(site: Site, method: str) -> tuple[Wrapper, ...]:
    try:
        return tuple(induce(site.sample, site=site.name, method=method))
    except SampleError as err:
        say(str(err))
        return ()


def _table(results: Sequence[_Result], method: str) -> Table:
    scores = [result.f1 for result in results if result.f1 is not None]
    mean = f"Mean F1 of {count(len(scores), 'site')}: {fmean(scores):.3f}. " if scores else ""
    table = make_table(
        f"Wrappers by method {method}, and their articles against the gold text",
        ["site"],
        ["pages", "F1"],
        ["fallback", "XPath"],
        caption=f"{mean}Fallback: pages where no wrapper matched, and what stood in.",
    )
    for result in results:
        table.add_row(
            Text(result.site.name),
            str(len(result.site.pages)),
            "" if result.f1 is None else f"{result.f1:.3f}",
            result.fallback,
            XPathText(" | ".join(e for wrapper in result.wrappers for e in wrapper.body) or "none"),
        )
    return table


def _save(results: Sequence[_Result], output: str) -> None:
    wrappers, articles = Path(output, "wrappers.json"), Path(output, "articles.jsonl")
    pairs = [
        pair for result in results for pair in zip(result.site.pages, result.found, strict=True)
    ]
    lines = (article_line(page, found) for page, found in pairs)
    write_text(str(wrappers), dump_wrappers(w for result in results for w in result.wrappers))
    write_text(str(articles), "".join(f"{line}\n" for line in lines))
    written = sum(found is not None for _, found in pairs)
    say(f"wrappers: {wrappers}")
    say(f"{count(written, 'article')} of {count(len(pairs), 'page')}: {articles}")
