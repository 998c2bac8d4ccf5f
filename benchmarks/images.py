"""Compare which images an article keeps with those of trafilatura.

`python -m benchmarks.images [SET…]` prints a table over the bundled sites and, where `FOREST_BENCH`
names the folder of labelled sets, over the articles of wcxb. Nobody has labelled their images, so
the gold text decides, and the same images count for all methods:

- An image is *in the article* if the nearest text before it and after it is gold, its own caption
  apart; or if the smallest element around it that has other text has gold only.
- An image is *foreign* if neither the text before it nor the text after it is gold.
- The page's main image (`og:image`) isn't foreign, wherever the page shows it.
- Others (before the first paragraph, after the last one, next to a box) are left out: lead pictures
  and author portraits look the same to this rule.

Left out are also images without a URL, pixels, and icons: those that declare less than `MIN_SIDE`
pixels, or that the page has `MIN_REPEATS` times.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urljoin

from benchmarks.bench_data import find_set
from forest_crawler.article.article import ArticleSource, make_article
from forest_crawler.article.content.images import is_pixel, largest_of_set
from forest_crawler.article.content.lead_picture import picture_stem
from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import LabelledPage, read_pages
from forest_crawler.errors import EmptyPageError
from forest_crawler.evaluation.blocks import label_blocks
from forest_crawler.extraction.extraction import FALLBACK, extract
from forest_crawler.induction import SamplePage, induce
from forest_crawler.metadata.page_metadata import read_metadata
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import Element
from forest_crawler.wrapper.wrapper import Wrapper

SETS = ("wcxb",)
KINDS = frozenset({None, "article"})

MIN_SIDE = 50
"""Pixels; smaller images are icons."""

MIN_REPEATS = 3
"""Occurrences of an image on a page from which it is an icon or a placeholder."""

_TAGS = ("img", "amp-img")


@dataclass(frozen=True, slots=True)
class PageImage:
    """An image of a page: every URL that its markup gives it, and where it is."""

    urls: frozenset[str]
    is_inside: bool


@dataclass(slots=True)
class Score:
    """How many images a method keeps, of those in the article and of foreign ones."""

    name: str
    inside: int = 0
    kept: int = 0
    foreign: int = 0
    let_in: int = 0

    def add(self, images: Iterable[PageImage], found: frozenset[str]) -> None:
        """Count a page's images; `found` are the URLs of those that the method keeps."""
        for image in images:
            is_found = not image.urls.isdisjoint(found)
            if image.is_inside:
                self.inside += 1
                self.kept += is_found
            else:
                self.foreign += 1
                self.let_in += is_found

    def row(self) -> str:
        """Write the score as a line of a table."""
        kept = 100 * self.kept / max(self.inside, 1)
        let_in = 100 * self.let_in / max(self.foreign, 1)
        return (
            f"| {self.name} | {self.kept} of {self.inside}: {kept:.1f} % "
            f"| {self.let_in} of {self.foreign}: {let_in:.1f} % |"
        )


def label_images(tree: PageTree, gold: str) -> Iterator[PageImage]:
    """Find the images of a page that are in the article, and the foreign ones."""
    outline = tree.outline
    is_gold = [False] * (len(outline.leaf_texts) + 2)  # none before the first or after the last
    for leaf in label_blocks(tree, gold, "").gold:
        is_gold[leaf + 1] = True
    stated = {picture_stem(read_metadata(tree).image or "")} - {None}
    found = [(it, frozenset(image_urls(it, tree.url))) for it in tree.body.iter(*_TAGS)]
    counts = Counter(url for _, urls in found for url in urls)
    for element, urls in found:
        is_repeated = all(counts[url] >= MIN_REPEATS for url in urls)  # also without any
        if is_repeated or is_pixel(element.attrib) or is_icon(element):
            continue
        index = outline.positions[_with_caption(element)]
        before = is_gold[outline.leaf_starts[index]]
        after = is_gold[outline.leaf_ends[index] + 1]
        if (before and after) or _is_among_gold(tree, index, is_gold):
            yield PageImage(urls, is_inside=True)
        elif not (before or after) and not stated & {picture_stem(url) for url in urls}:
            yield PageImage(urls, is_inside=False)


def image_urls(element: Element, base: str | None) -> Iterator[str]:
    """Yield every URL that an image's attributes, or the sources of its picture, name."""
    parts = [element]
    for picture in element.iterancestors("picture"):
        parts += picture.iter("source")
    for name, value in (item for part in parts for item in part.attrib.items()):
        text = str(value).strip()
        if "srcset" in str(name):
            candidates = [candidate.split()[0] for candidate in text.split(", ") if candidate]
            candidates.append(largest_of_set(text) or "")
        else:
            is_url = str(name) in ("src", "href") or str(name).startswith("data-")
            candidates = [text] if is_url and " " not in text else []
        for url in candidates:
            if url and not url.startswith("data:") and ("/" in url or "." in url):
                try:
                    yield plain_url(urljoin(base or "", url))
                except ValueError:
                    continue


def plain_url(url: str) -> str:
    """Return a URL without scheme and escapes, which tools write differently."""
    return unquote(url).split("://", 1)[-1].split("#")[0]


def is_icon(element: Element) -> bool:
    """Whether an image declares that both of its sides are short."""
    sides = [element.get(side, "").strip().removesuffix("px") for side in ("width", "height")]
    return all(side.isdigit() and int(side) < MIN_SIDE for side in sides)


def _with_caption(element: Element) -> Element:
    """Return the figure around an image, or the image itself."""
    return next(element.iterancestors("figure"), element)


def _is_among_gold(tree: PageTree, index: int, is_gold: Sequence[bool]) -> bool:
    """Whether the smallest element around an image that has other text has gold only."""
    outline = tree.outline
    own = range(outline.leaf_starts[index], outline.leaf_ends[index])
    while (index := outline.parents[index]) > 0:
        leaves = range(outline.leaf_starts[index], outline.leaf_ends[index])
        others = [leaf for leaf in leaves if leaf not in own]
        if others:
            return all(is_gold[leaf + 1] for leaf in others)
    return False


Method = Callable[[PageTree, LabelledPage, Sequence[Wrapper]], frozenset[str]]


def find_by_forest(
    tree: PageTree, page: LabelledPage, wrappers: Sequence[Wrapper]
) -> frozenset[str]:
    """Return the URLs of our article's images."""
    source = ArticleSource(page.url, page.site)
    article = make_article(tree, extract(tree, wrappers, FALLBACK), source)
    return frozenset(plain_url(image.url) for image in article.images)


def find_by_trafilatura(
    tree: PageTree, page: LabelledPage, wrappers: Sequence[Wrapper]
) -> frozenset[str]:
    """Return the URLs of the images that trafilatura keeps if told to keep images."""
    from lxml import etree
    from trafilatura import bare_extraction

    found: Any = bare_extraction(page.source, url=page.url, include_images=True)
    body = None if found is None else found.body
    if body is None:
        return frozenset()
    graphics = etree.ElementBase.iter(body, "graphic")
    urls = (str(graphic.get("src") or "") for graphic in graphics)
    return frozenset(plain_url(urljoin(page.url or "", url)) for url in urls if url)


METHODS: dict[str, Method] = {
    "forest-crawler": find_by_forest,
    "trafilatura, with images": find_by_trafilatura,
}


def score_pages(
    pages: Iterable[tuple[LabelledPage, Sequence[Wrapper]]], names: Iterable[str] = METHODS
) -> list[Score]:
    """Score methods on pages with their sites' wrappers."""
    scores = {name: Score(name) for name in names}
    for page, wrappers in pages:
        try:
            tree = parse_page(page.source, url=page.url)
        except EmptyPageError:
            continue
        images = list(label_images(tree, page.gold or ""))
        for name, score in scores.items() if images else ():
            score.add(images, METHODS[name](tree, page, wrappers))
    return list(scores.values())


def bundled_pages() -> Iterator[tuple[LabelledPage, Sequence[Wrapper]]]:
    """Yield the pages of the bundled sites with wrappers induced from all of them."""
    for site in bundled_sites():
        pages = [page for page in read_pages(site) if page.gold is not None]
        sample = [SamplePage(parse_page(p.source, url=p.url), p.entry) for p in pages]
        wrappers = induce(sample, site=site.name)
        yield from ((page, wrappers) for page in pages)


def write_table(title: str, scores: Sequence[Score]) -> str:
    """Write the scores of a set as a table."""
    head = [f"| {title} | in the article, kept | foreign, let in |", "|---|---|---|"]
    return "\n".join([*head, *(score.row() for score in scores)])


def main(names: Sequence[str] = SETS) -> None:
    """Print a table for the bundled sites and one per labelled set."""
    print(write_table("bundled sites", score_pages(bundled_pages())), flush=True)
    for name in names:
        if path := find_set(name):
            pages = ((page, ()) for page in read_pages(path) if page.kind in KINDS)
            print("\n" + write_table(name, score_pages(pages)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
