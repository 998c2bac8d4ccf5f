"""Label a page by pointing: gold text and images, added to a test package.

The functions on pages are jobs: they parse pages of strangers.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forest_crawler.article.content.images import read_image
from forest_crawler.article.content.links import Resolver
from forest_crawler.datasets.gold_nodes import FIELD as GOLD_NODES
from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.datasets.package_writer import PackageWriter
from forest_crawler.errors import WrapperError
from forest_crawler.export.file_names import safe_name
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import PageTree
from forest_crawler.studio.effects import PageSource, list_marks, parse_source
from forest_crawler.studio.overlay_marks import mark_selection
from forest_crawler.wrapper.wrapper import Wrapper

IMAGES = "images"
"""The field of a page's metadata with the URLs of its gold images; scores don't read it."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a person pointed at on a page: its gold."""

    text: str
    images: tuple[str, ...]
    body: tuple[int, ...]  # dfs numbers
    strip: tuple[int, ...]
    marks: dict[str, list[int]]


def propose_label(page: PageSource, wrapper: Wrapper | None) -> Label:
    """Begin with what the site's wrapper selects."""
    tree = _parse(page)
    marks = list_marks(tree, wrapper) if wrapper else {}
    return label_page(page, marks.get("forest-body", []), marks.get("forest-strip", []))


def label_page(page: PageSource, body: Sequence[int], strip: Sequence[int]) -> Label:
    """Return the gold of a page whose body and strips are elements with these dfs numbers."""
    tree = _parse(page)
    chosen, dropped = _elements(tree, body), _elements(tree, strip)
    selection = select_elements(tree, chosen, dropped)
    positions = tree.outline.positions
    found: dict[str, list[int]] = {}
    for element, marks in mark_selection(selection).elements.items():
        for mark in marks:
            found.setdefault(mark, []).append(positions[element] + 1)
    return Label(
        selection.text,
        _images(tree, selection),
        tuple(sorted(found.get("forest-body", ()))),
        tuple(sorted(found.get("forest-strip", ()))),
        found,
    )


def _images(tree: PageTree, selection: Selection) -> tuple[str, ...]:
    resolver = Resolver(tree)
    found: dict[str, None] = {}
    for node in selection.nodes:
        for element in node.iter("img") if hasattr(node, "iter") else ():
            above = {element, *element.iterancestors()}
            image = None if above & selection.stripped else read_image(element, resolver.image)
            if image is not None:
                found[image.src] = None
    return tuple(found)


def _elements(tree: PageTree, numbers: Sequence[int]) -> list[Any]:
    elements = tree.outline.elements
    if any(not 1 <= number <= len(elements) for number in numbers):
        raise WrapperError("the page has no such element; reload it")
    return [elements[number - 1] for number in numbers]


def _parse(page: PageSource) -> PageTree:
    tree = parse_source(page)
    if tree is None:
        raise WrapperError("the page has no visible element")
    return tree


def save_label(directory: Path, site: str, page: PageSource, label: Label) -> str:
    """Add a page to the package; a label that is there already is replaced. Return its name."""
    if not label.text:
        raise WrapperError("nothing is selected; point at the article first")
    writer = PackageWriter(directory, add=True)
    name = safe_name(page.url)
    labelled = LabelledPage(page.key, site, page.url, page.source, label.text)
    (directory / f"{name}.txt").unlink(missing_ok=True)
    writer.write(name, labelled, proposed_by="by hand")
    metadata = directory / f"{name}.json"
    row = json.loads(metadata.read_bytes()) | {IMAGES: list(label.images)}
    if not label.strip:  # a list of nodes cannot say what is not content inside them
        row[GOLD_NODES] = list(label.body)
    metadata.write_text(json.dumps(row, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return name
