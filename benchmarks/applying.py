"""What applying a wrapper costs against lxml's bare parse: `python -m benchmarks.applying`.

Every page of big9, its site's wrapper induced beforehand; the shortest of three rounds each, in
one run: ratios mean something on any machine, seconds do not.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable

from lxml import etree

from benchmarks.bench_data import find_set
from forest_crawler import induce, parse_page
from forest_crawler.pages import read_pages
from forest_crawler.wrapper import Wrapper

ROUNDS = 3


def main() -> None:
    """Print the ratios over all pages."""
    path = find_set("big9")
    if path is None:
        return
    sites: dict[str, list[bytes]] = defaultdict(list)
    for page in read_pages(path):
        source = page.source
        sites[page.site].append(source.encode() if isinstance(source, str) else source)
    pages = []
    for site, sources in sites.items():
        wrapper = induce([parse_page(source) for source in sources], site=site)[0]
        pages += [(source, wrapper) for source in sources]
    seconds = {step.__name__: shortest(step, pages) for step in (parse_bare, parse, apply)}
    for name, took in seconds.items():
        print(f"{name:12} {took / seconds['parse_bare']:.2f} of a bare parse", flush=True)


def shortest(
    step: Callable[[bytes, Wrapper], object], pages: Iterable[tuple[bytes, Wrapper]]
) -> float:
    """Processor seconds of the fastest round over all pages."""
    rounds = []
    for _ in range(ROUNDS):
        start = time.process_time()
        for source, wrapper in pages:
            step(source, wrapper)
        rounds.append(time.process_time() - start)
    return min(rounds)


def parse_bare(source: bytes, wrapper: Wrapper) -> object:
    """What lxml alone does."""
    return etree.fromstring(source, etree.HTMLParser(encoding="utf-8", huge_tree=True))


def parse(source: bytes, wrapper: Wrapper) -> object:
    """A page's tree: decoded, cleaned, without what nobody sees."""
    return parse_page(source)


def apply(source: bytes, wrapper: Wrapper) -> object:
    """The tree and what the wrapper selects on it."""
    return wrapper.select(parse_page(source))


if __name__ == "__main__":
    main()
