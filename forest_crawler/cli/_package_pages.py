"""Pages with gold for `forest package`: from a crawl's store, or by a selection."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import click
from cssselect import HTMLTranslator, SelectorError

from forest_crawler.cli._files import read_wrappers
from forest_crawler.cli._sites import parse_or_report
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.datasets.package_writer import file_source
from forest_crawler.errors import InputError, WrapperError
from forest_crawler.evaluation.nodes import selected_leaves
from forest_crawler.extraction.extraction import extract
from forest_crawler.feed.entry_codec import decode_entry
from forest_crawler.page.encoding import header_charset
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree
from forest_crawler.page.xpath import Element, ElementPath
from forest_crawler.store import ArchivedPage, Store


@dataclass(frozen=True, slots=True)
class Proposal:
    """A page with its gold text, or without one and why."""

    page: LabelledPage
    proposed_by: str | None = None
    reason: str | None = None


Select = Callable[[str, PageTree], Selection]
"""Select the article of a page; the first argument is the name of its site."""


def propose_archived(store: Store, sites: Sequence[str], limit: int) -> Iterator[Proposal]:
    """Yield a site's latest pages with the texts of their archived articles."""
    known = store.archived_sites()
    if unknown := [site for site in sites if site not in known]:
        kept = f"but of {', '.join(known)}" if known else "or any other site"
        raise InputError(f"keeps no archived pages of {unknown[0]}, {kept}", store.name)
    for site in sites or known:
        yield from map(_propose_article, store.archived_pages(site, limit))


def propose_selected(
    pages: Iterable[LabelledPage], select: Select, by: str | None
) -> Iterator[Proposal]:
    """Yield the pages with the texts of what is selected on them."""
    for page in pages:
        tree = parse_or_report(page)
        selection = select(page.site, tree) if tree else None
        if tree is None or selection is None or not (text := selection.text):
            yield Proposal(page, reason="nothing is selected")
            continue
        labelled = replace(
            page,
            gold=text,
            gold_nodes=None,
            language=page.language or tree.language,
            fragmented=_is_fragmented(selection),
        )
        yield Proposal(labelled, by)


def select_by_xpath(expression: str) -> Select:
    """Make the selection of an XPath."""
    try:
        path = ElementPath(expression)
    except WrapperError as err:
        raise click.BadParameter(str(err), param_hint="--xpath") from err
    return lambda _, tree: select_elements(tree, _run(path, tree))


def select_by_css(selector: str) -> Select:
    """Make the selection of a CSS selector."""
    try:
        return select_by_xpath(HTMLTranslator().css_to_xpath(selector))
    except SelectorError as err:
        raise click.BadParameter(f"{selector!r}: {err}", param_hint="--css") from err


def select_by_wrappers(file: str) -> Select:
    """Make the selection of each site's wrappers."""
    sites = read_wrappers(file)

    def select(site: str, tree: PageTree) -> Selection:
        try:
            return extract(tree, sites.get(site, [])).selection
        except WrapperError as err:  # its XPath compiles, but fails when it runs
            raise InputError(str(err), file) from err

    return select


def _run(path: ElementPath, tree: PageTree) -> list[Element]:
    try:
        return path(tree.html)
    except WrapperError as err:
        raise click.BadParameter(str(err)) from err


def _is_fragmented(selection: Selection) -> bool:
    """Whether text that isn't selected lies between selected text."""
    leaves = selected_leaves(selection)
    return len(leaves) < leaves[-1] - leaves[0] + 1


def _propose_article(archived: ArchivedPage) -> Proposal:
    row, held = json.loads(archived.line), archived.page
    page = LabelledPage(
        id=held.key,
        site=held.site,
        url=held.url,
        source=file_source(held.body, header_charset(held.content_type)),
        gold=row["text"],
        entry=decode_entry(held.entry, link=held.url) if held.entry else None,
        title=row["title"],
        author=", ".join(row["authors"]) or None,
        date=row["date_publish"],
        language=row["language"],
    )
    if archived.has_parts:
        return Proposal(page, reason="the article continues on further pages")
    return Proposal(page, row["extractor"])
