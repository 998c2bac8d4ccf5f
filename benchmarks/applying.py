"""Compare the time of applying a wrapper with lxml's bare parse.

`python -m benchmarks.applying` uses every page of big9, with its site's wrapper induced in advance.
Each step goes through all pages, as a crawl does: parsing a page twice in a row would take only two
thirds of the time. The steps alternate, and each page's shortest time over all rounds counts, so
that a busy machine slows all steps down. Compare the ratios, not the seconds.
"""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from lxml import etree

from benchmarks.bench_data import find_set
from benchmarks.timing import time_each
from forest_crawler import induce, parse_page
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.page.encoding import decode_page
from forest_crawler.wrapper.wrapper import Wrapper

ROUNDS = 9


def main() -> None:
    """Print the ratios over all pages."""
    path = find_set("big9")
    if path is None:
        return
    sites: dict[str, list[tuple[bytes, str]]] = defaultdict(list)
    for page in read_pages(path):
        sites[page.site].append(encode(page.source))
    pages: list[Page] = []
    for site, sources in sites.items():
        wrapper = induce([parse_page(source) for source, _ in sources], site=site)[0]
        pages += [Page(source, encoding, wrapper) for source, encoding in sources]
    rounds = [[time_each(step, pages) for step in STEPS] for _ in range(ROUNDS)]
    seconds = [sum(map(min, zip(*times, strict=True))) for times in zip(*rounds, strict=True)]
    for step, took in zip(STEPS, seconds, strict=True):
        print(f"{step.__name__:12} {took / seconds[0]:.2f} of a bare parse", flush=True)


class Page(NamedTuple):
    """A page's bytes, their encoding, and its site's wrapper."""

    source: bytes
    encoding: str
    wrapper: Wrapper


def encode(source: bytes | str) -> tuple[bytes, str]:
    """Encode a page as its site sent it: in the encoding that its `meta` declares."""
    encoding, text = decode_page(source.encode() if isinstance(source, str) else source)
    if isinstance(source, str):
        text = source
    return text.encode(encoding, "xmlcharrefreplace"), encoding


def parse_bare(page: Page) -> object:
    """Parse with lxml alone."""
    parser = etree.HTMLParser(encoding=page.encoding, huge_tree=True)
    return etree.fromstring(page.source, parser)


def parse(page: Page) -> object:
    """Make our tree: decoded, cleaned, without hidden elements."""
    return parse_page(page.source)


def apply(page: Page) -> object:
    """Make the tree and apply the wrapper."""
    return page.wrapper.select(parse_page(page.source))


def apply_text(page: Page) -> object:
    """Make the tree, apply the wrapper, and write the text."""
    return page.wrapper.select(parse_page(page.source)).text


STEPS = (parse_bare, parse, apply, apply_text)


if __name__ == "__main__":
    main()
