"""`forest demo`: crawl the sites that come with the package; score the articles.

The sites are served on loopback and crawled by `forest crawl` in a process of its own. The archived
articles are then compared with the gold text, which people marked by hand.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urlsplit

import click
from rich.table import Table
from rich.text import Text

from forest_crawler.cli._demo_server import ServedSite, serve_sites
from forest_crawler.cli._files import write_text
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._method_choice import WrapperMethodChoice
from forest_crawler.cli._table import XPathText, make_table
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._value_types import OutputDirectory
from forest_crawler.cli.main import EXIT_SOME_FAILED
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.evaluation.measures import bigram_score
from forest_crawler.evaluation.titles import join_title
from forest_crawler.extraction.extraction import BY_WRAPPER
from forest_crawler.induction import DEFAULT_METHOD
from forest_crawler.wrapper.wrapper import Wrapper, dump_wrappers

OUTPUT = "outputs/demo"
_STORE = "demo.db"
_ARTICLES = "articles.jsonl"


@dataclass(frozen=True, slots=True)
class _Result:
    """The articles and wrappers of one site."""

    name: str
    pages: tuple[LabelledPage, ...]
    articles: dict[str, dict[str, Any]]  # by the page's id
    wrappers: tuple[Wrapper, ...]

    @property
    def f1(self) -> float | None:
        """The mean F1 of the pages with gold text; a page without an article scores 0."""
        scores = [self._score(page, page.gold) for page in self.pages if page.gold is not None]
        return fmean(scores) if scores else None

    def _score(self, page: LabelledPage, gold: str) -> float:
        article = self.articles.get(page.id, {})
        text, title = article.get("text", ""), article.get("title")
        return bigram_score(gold, join_title(text, gold, [title] if title else [])).f1

    @property
    def paths(self) -> list[str]:
        """The wrappers' body paths, each once."""
        return list(dict.fromkeys(path for wrapper in self.wrappers for path in wrapper.body))

    @property
    def fallback(self) -> str:
        """The extractors of pages that no wrapper fits, with the number of their pages."""
        names = Counter(
            self.articles[page.id]["extractor"] if page.id in self.articles else "none"
            for page in self.pages
        )
        del names[BY_WRAPPER]
        return ", ".join(f"{name}: {number}" for name, number in names.items()) or "no"


@click.command()
@click.option(
    "-o",
    "--output",
    type=OutputDirectory(),
    default=OUTPUT,
    show_default=True,
    metavar="DIR",
    help="The directory of the store, the articles and the wrappers.",
)
@click.option(
    "--method",
    type=WrapperMethodChoice(),
    default=DEFAULT_METHOD,
    show_default=True,
    help="The site-level method that induces wrappers.",
)
def command(output: str, method: str) -> None:
    """Crawl the bundled sites and score the articles.

    The sites are served on this machine. F1 compares the 2-grams of article and gold text as sets,
    as the Forest paper does; an article's title counts where the gold has it. The gold text is used
    for the scores only.

    Exit codes: 0 every site has wrappers, 1 some have none, 4 the files cannot be written.
    """
    directory = Path(output)
    _clear(directory)
    with serve_sites(bundled_sites()) as sites:
        status = subprocess.run(_crawl_command(sites, directory, method), check=False).returncode  # noqa: S603
    if status > EXIT_SOME_FAILED:
        raise SystemExit(status)
    results = _read_results(sites, directory)
    make_console().print(_table(results))
    _save(results, directory)
    if not all(result.wrappers for result in results):
        raise SystemExit(EXIT_SOME_FAILED)


def _crawl_command(sites: Sequence[ServedSite], directory: Path, method: str) -> list[str]:
    """Write the command as a person would, without the delays, as this is loopback."""
    words = ["crawl", *(site.home for site in sites)]
    words += ["--store", f"sqlite:///{directory / _STORE}", "-o", str(directory / _ARTICLES)]
    words += ["--allow-network", "127.0.0.0/8", "--allow-port", "any", "--quiet", "--progress"]
    words += ["--delay", "0", "-s", "AUTOTHROTTLE_ENABLED=0", "--method", method]
    return [sys.executable, "-m", "forest_crawler", *words]


def _clear(directory: Path) -> None:
    """Remove the files of an earlier demo: the sites have another port each time."""
    if (directory / _STORE).exists():
        for path in (*directory.glob(f"{_STORE}*"), directory / _ARTICLES):
            path.unlink(missing_ok=True)


def _read_results(sites: Sequence[ServedSite], directory: Path) -> list[_Result]:
    from forest_crawler.store import open_store

    lines = (directory / _ARTICLES).read_bytes().split(b"\n")[:-1]
    articles = [json.loads(line) for line in lines]
    results = []
    with open_store(f"sqlite:///{directory / _STORE}") as store:
        for site, path in zip(sites, bundled_sites(), strict=True):
            host = urlsplit(site.home).hostname
            by_page = {_page_id(site, a["url"]): a for a in articles if a["site"] == host}
            wrappers = tuple(row.wrapper for row in store.wrappers(host or ""))
            results.append(_Result(site.name, tuple(read_pages(path)), by_page, wrappers))
    return results


def _page_id(site: ServedSite, url: str) -> str:
    parts = urlsplit(url)
    return site.pages.get(f"{parts.path}?{parts.query}" if parts.query else parts.path, url)


def _table(results: Sequence[_Result]) -> Table:
    scores = [result.f1 for result in results if result.f1 is not None]
    mean = f"Mean F1 of {count(len(scores), 'site')}: {fmean(scores):.3f}. " if scores else ""
    table = make_table(
        "The crawled sites: their articles against the gold text, and their wrappers",
        ["site"],
        ["articles", "F1"],
        ["fallback", "XPath"],
        caption=f"{mean}Fallback: extractors of pages that no wrapper fits.",
    )
    for result in results:
        table.add_row(
            Text(result.name),
            str(len(result.articles)),
            "" if result.f1 is None else f"{result.f1:.3f}",
            result.fallback,
            XPathText(" | ".join(result.paths) or "none"),
        )
    return table


def _save(results: Sequence[_Result], directory: Path) -> None:
    wrappers = [wrapper for result in results for wrapper in result.wrappers]
    path = directory / "wrappers.json"
    write_text(str(path), dump_wrappers(wrappers))
    articles = sum(len(result.articles) for result in results)
    pages = sum(len(result.pages) for result in results)
    say(f"{count(len(wrappers), 'wrapper')} of {count(len(results), 'site')} in {path}")
    say(f"{count(articles, 'article')} of {count(pages, 'page')} in {directory / _ARTICLES}")
