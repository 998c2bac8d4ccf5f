"""Read the pages that the command line names, and group them by site."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from forest_crawler.cli._messages import say
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import EmptyPageError, InputError
from forest_crawler.induction import SamplePage
from forest_crawler.page.tree import PageTree, parse_page


@dataclass(frozen=True, slots=True)
class Site:
    """The pages of one site with their trees, in the order of the inputs."""

    name: str
    pages: tuple[LabelledPage, ...]
    trees: tuple[PageTree, ...]

    @property
    def sample(self) -> list[SamplePage]:
        """The pages as `induce` takes them."""
        return [
            SamplePage(tree, page.entry, keywords=(page.keywords,) if page.keywords else ())
            for page, tree in zip(self.pages, self.trees, strict=True)
        ]


def read_inputs(
    paths: Sequence[str], site: str | None = None, keywords: str | None = None
) -> Iterator[LabelledPage]:
    """Read the pages of all inputs; `site` replaces their site, `keywords` are added to theirs.

    Raises `InputError` for a missing input before any page is read.
    """
    for path in paths:
        if path != "-" and not Path(path).exists():
            raise InputError("no such file or directory; check the spelling", path)
    for path in paths:
        for page in read_pages(path):
            words = " ".join(filter(None, (page.keywords, keywords))) or None
            yield replace(page, site=site or page.site, keywords=words)


def group_pages(pages: Iterable[LabelledPage]) -> dict[str, list[LabelledPage]]:
    """Group pages by site, in the order of each site's first page."""
    groups: dict[str, list[LabelledPage]] = {}
    for page in pages:
        groups.setdefault(page.site, []).append(page)
    return groups


def parse_site(name: str, pages: Iterable[LabelledPage]) -> Site:
    """Parse a site's pages; report empty ones and skip them."""
    parsed = [(page, tree) for page in pages if (tree := parse_or_report(page)) is not None]
    return Site(name, tuple(page for page, _ in parsed), tuple(tree for _, tree in parsed))


def parse_or_report(page: LabelledPage) -> PageTree | None:
    """Parse a page; report it if it is empty, or nested too deeply for the parser."""
    try:
        tree = parse_page(page.source, url=page.url)
    except EmptyPageError as err:
        say(f"{page.site}: page {page.id} skipped: {err}")
        return None
    if tree.truncated:
        say(f"{page.site}: page {page.id} is nested too deeply; its end is missing")
    return tree
