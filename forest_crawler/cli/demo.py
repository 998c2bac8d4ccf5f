"""`forest demo`: crawl the sites that come with the package; score the articles.

The sites are served on loopback and crawled by `forest crawl` in a process of its own. The archived
articles are then compared with the gold text, which people marked by hand; a page shows them.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

import click
from rich.table import Table
from rich.text import Text

from forest_crawler.cli._demo_results import SiteResult
from forest_crawler.cli._demo_server import ServedSite, serve_sites
from forest_crawler.cli._files import write_text
from forest_crawler.cli._messages import count, say
from forest_crawler.cli._method_choice import WrapperMethodChoice
from forest_crawler.cli._table import make_table, print_folded
from forest_crawler.cli._terminal import make_console
from forest_crawler.cli._value_types import OutputDirectory
from forest_crawler.cli.main import EXIT_SOME_FAILED
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.induction import DEFAULT_METHOD
from forest_crawler.wrapper.wrapper import dump_wrappers

OUTPUT = "outputs/demo"
_STORE = "demo.db"
_ARTICLES = "articles.jsonl"


@click.command()
@click.option(
    "-o",
    "--output",
    type=OutputDirectory(),
    default=OUTPUT,
    show_default=True,
    metavar="DIR",
    help="The directory of the page, the store, the articles and the wrappers.",
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
    for the scores only. index.html shows a page of every site with what its wrapper selects, beside
    the article, and beside what trafilatura makes of the page if it is installed.

    Exit codes: 0 every site has wrappers, 1 some have none, 4 the files cannot be written.
    """
    directory = Path(output)
    _clear(directory)
    with serve_sites(bundled_sites()) as sites:
        status = _crawl(sites, directory, method)
    if status > EXIT_SOME_FAILED:
        raise SystemExit(status)
    results = _read_results(sites, directory)
    print_folded(_table(results), make_console())
    _save(results, directory)
    say(f"see the pages and their articles in {_write_page(results, directory, method)}")
    if not all(result.wrappers for result in results):
        raise SystemExit(EXIT_SOME_FAILED)


def _crawl(sites: Sequence[ServedSite], directory: Path, method: str) -> int:
    """Crawl the sites; on a terminal, a line per site shows how far it is."""
    command = _crawl_command(sites, directory, method)
    console = make_console(stderr=True)
    if not console.is_terminal:
        return subprocess.run(command, check=False).returncode  # noqa: S603
    process = subprocess.Popen(command)  # noqa: S603
    # Heavy imports, and the crawl is to start at once.
    from forest_crawler.cli._demo_progress import watch_crawl

    try:
        return watch_crawl(process, sites, f"sqlite:///{directory / _STORE}", console)
    finally:
        if process.poll() is None:  # interrupted: the crawl has got the signal, too
            process.wait()


def _crawl_command(sites: Sequence[ServedSite], directory: Path, method: str) -> list[str]:
    """Write the command as a person would, without the delays, as this is loopback."""
    words = ["crawl", *(site.home for site in sites)]
    words += ["--store", f"sqlite:///{directory / _STORE}", "-o", str(directory / _ARTICLES)]
    words += ["--allow-network", "127.0.0.0/8", "--allow-port", "any", "--quiet"]
    words += ["--delay", "0", "-s", "AUTOTHROTTLE_ENABLED=0", "--method", method]
    return [sys.executable, "-m", "forest_crawler", *words]


def _clear(directory: Path) -> None:
    """Remove the files of an earlier demo: the sites have another port each time."""
    if (directory / _STORE).exists():
        for path in (*directory.glob(f"{_STORE}*"), directory / _ARTICLES):
            path.unlink(missing_ok=True)


def _read_results(sites: Sequence[ServedSite], directory: Path) -> list[SiteResult]:
    from forest_crawler.store import open_store

    lines = (directory / _ARTICLES).read_bytes().split(b"\n")[:-1]
    articles = [json.loads(line) for line in lines]
    results = []
    with open_store(f"sqlite:///{directory / _STORE}") as store:
        for site, path in zip(sites, bundled_sites(), strict=True):
            host = urlsplit(site.home).hostname
            by_page = {_page_id(site, a["url"]): a for a in articles if a["site"] == host}
            wrappers = tuple(row.wrapper for row in store.wrappers(host or ""))
            results.append(SiteResult(site.name, tuple(read_pages(path)), by_page, wrappers))
    return results


def _page_id(site: ServedSite, url: str) -> str:
    parts = urlsplit(url)
    return site.pages.get(f"{parts.path}?{parts.query}" if parts.query else parts.path, url)


def _table(results: Sequence[SiteResult]) -> Table:
    scores = [result.f1 for result in results if result.f1 is not None]
    mean = f"Mean F1 of {count(len(scores), 'site')}: {fmean(scores):.3f}" if scores else None
    table = make_table(
        "The crawled sites: their articles against the gold text, and their rules",
        ["site"],
        ["articles", "F1"],
        ["body (CSS)"],
        caption=mean,
    )
    for result in results:
        table.add_row(
            Text(result.name),
            str(len(result.articles)),
            "" if result.f1 is None else f"{result.f1:.3f}",
            Text(result.body),
        )
    return table


def _write_page(results: Sequence[SiteResult], directory: Path, method: str) -> Path:
    # Heavy imports, and the crawl is to start at once.
    from forest_crawler.cli._demo_sites import describe_site
    from forest_crawler.studio.demo import FILE_NAME, format_demo

    path = directory / FILE_NAME
    write_text(str(path), format_demo([describe_site(result, method) for result in results]))
    return path


def _save(results: Sequence[SiteResult], directory: Path) -> None:
    wrappers = [wrapper for result in results for wrapper in result.wrappers]
    path = directory / "wrappers.json"
    write_text(str(path), dump_wrappers(wrappers))
    articles = sum(len(result.articles) for result in results)
    pages = sum(len(result.pages) for result in results)
    say(f"{count(len(wrappers), 'wrapper')} of {count(len(results), 'site')} in {path}")
    say(f"{count(articles, 'article')} of {count(pages, 'page')} in {directory / _ARTICLES}")
