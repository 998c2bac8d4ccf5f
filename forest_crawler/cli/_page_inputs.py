"""The pages of `forest page`: URLs are fetched, everything else is read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import click

from forest_crawler.cli._fetch_options import fetch_settings
from forest_crawler.cli._files import read_bytes
from forest_crawler.cli._messages import say
from forest_crawler.cli._sites import read_inputs
from forest_crawler.datasets.labelled_pages import PAGE_SUFFIXES, LabelledPage
from forest_crawler.errors import InputError
from forest_crawler.fetching.page_fetch import FetchedPage, PageFetch
from forest_crawler.page.encoding import decode_page
from forest_crawler.urls.bare_domains import complete_argument
from forest_crawler.urls.hosts import site_of

UNFETCHED = "unfetched"
"""The kind of a page that did not arrive; the reason has been reported."""

_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class PageInputs:
    """What the command line names, and how URLs are fetched."""

    names: Sequence[str]
    url: str | None = None  # of the page that is read from a file or stdin
    fetching: Mapping[str, Any] = field(default_factory=dict)


def read_page_inputs(inputs: PageInputs) -> Iterator[LabelledPage]:
    """Read all pages in order; the fetch of URLs begins at once."""
    inputs = replace(inputs, names=[_complete(name) for name in inputs.names])
    urls = [name for name in inputs.names if _is_url(name)]
    if inputs.url and (urls or len(inputs.names) > 1):
        raise click.UsageError("--url is for one page from a file or stdin")
    settings = fetch_settings(inputs.fetching)
    fetch = PageFetch(urls, settings) if urls else None
    return _read(inputs, fetch)


def _read(inputs: PageInputs, fetch: PageFetch | None) -> Iterator[LabelledPage]:
    fetched: dict[str, FetchedPage] = fetch.finish() if fetch else {}
    for name in inputs.names:
        if name in fetched:
            yield _to_page(fetched[name])
            continue
        for number, page in enumerate(_read_files(name)):
            if inputs.url and number:
                raise InputError("has several pages, and --url is for one", name)
            url = inputs.url
            yield replace(page, url=url, site=site_of(url) or page.site) if url else page


def _read_files(name: str) -> Iterable[LabelledPage]:
    """Read the pages of an input; a file that begins with a tag is a page, whatever its name."""
    path = Path(name)
    if name != "-" and path.is_file() and path.suffix.lower() not in PAGE_SUFFIXES:
        data = read_bytes(name)
        if data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
            return [LabelledPage(path.stem, path.resolve().parent.name, None, data)]
    return read_inputs([name])


def _complete(name: str) -> str:
    return name if _is_url(name) else complete_argument(name) or name


def _is_url(name: str) -> bool:
    return name.lower().startswith(_SCHEMES)


def _to_page(page: FetchedPage) -> LabelledPage:
    if page.reason is None:
        _, source = decode_page(page.body, page.charset)
        return LabelledPage(
            page.requested,
            site_of(page.url) or "",
            page.url,
            source,
            http_status=page.status,
            fetched_at=time.time(),
        )
    from forest_crawler.cli._crawl_run import explain_status  # loads Scrapy

    say(f"{page.requested}: {explain_status(page.reason)}")
    return LabelledPage(page.requested, "", page.requested, b"", kind=UNFETCHED)
