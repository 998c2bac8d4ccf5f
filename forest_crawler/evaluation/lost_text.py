"""Find text that a wrapper loses inside what it keeps.

A score shows that words are missing, but not how. Two ways are worse than others, since no reader
notices them: a *hole*, where words within a line are left out and those around them are kept ("in
time for the , whose"), and a strip rule that is a *bare tag*, which takes whatever has the tag.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from lxml import etree

from forest_crawler.evaluation.measures import split_words
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.selection import Selection, select_elements
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.page.xpath import ElementPath
from forest_crawler.wrapper.wrapper import Wrapper

_POSITIONS = re.compile(r"(\[(\d+|last\(\))\])+$")
_LAST_STEP = re.compile(r"(?:^|/|::)([\w*-]+)$")


@dataclass(frozen=True, slots=True)
class Hole:
    """Words that were left out of a line, and the pieces of text around them."""

    before: str
    removed: str
    after: str


def find_holes(selection: Selection) -> list[Hole]:
    """Find the lines of a page that a selection keeps only in part, with a gap inside.

    A line ends where an element begins or ends that isn't inline. Text that is missing at the
    beginning or the end of a line isn't a hole, and neither are marks without a word.

    >>> from forest_crawler.page.selection import select_elements
    >>> from forest_crawler.page.tree import parse_page
    >>> tree = parse_page("<p>In time for the <a>regatta</a>, whose crews <b>wait</b>")
    >>> link, bold = tree.html.iter("a", "b")
    >>> find_holes(select_elements(tree, tree.html.iter("p"), [link, bold]))
    [Hole(before='In time for the ', removed='regatta', after=', whose crews ')]
    """
    tree = selection.tree
    texts = tree.outline.leaf_texts
    kept = _kept_leaves(selection)
    wordy = [leaf for leaf, text in enumerate(texts) if split_words(text)]
    lines = number_lines(tree)
    holes: list[Hole] = []
    for _, group in groupby(wordy, key=lines.__getitem__):
        runs = [
            (is_kept, list(run)) for is_kept, run in groupby(group, key=lambda leaf: leaf in kept)
        ]
        for (_, before), (is_kept, run), (_, after) in zip(runs, runs[1:], runs[2:], strict=False):
            if not is_kept:
                removed = "".join(texts[leaf] for leaf in run)
                holes.append(Hole(texts[before[-1]], removed, texts[after[0]]))
    return holes


def apply_rules(wrapper: Wrapper, tree: PageTree) -> Selection:
    """Select what a portable wrapper's XPaths say and no more, as other programs run them.

    `Wrapper.select` keeps inline elements inside a sentence, whatever a strip rule says.
    """
    body = (element for rule in wrapper.body for element in ElementPath(rule)(tree.html))
    stripped = (element for rule in wrapper.strip for element in ElementPath(rule)(tree.html))
    return select_elements(tree, body, stripped)


def number_lines(tree: PageTree) -> list[int]:
    """Return the number of the line that each text leaf of a page is in."""
    line = 0
    numbers: list[int] = []
    for event, element in etree.iterwalk(tree.body, events=("start", "end")):
        line += element.tag not in INLINE_TAGS
        text = element.text if event == "start" else element.tail
        if text and not text.isspace() and not (event == "end" and element is tree.body):
            numbers.append(line)
    return numbers


def _kept_leaves(selection: Selection) -> set[int]:
    outline = selection.tree.outline
    kept: set[int] = set()
    single = {node for node in selection.nodes if isinstance(node, TextLeaf)}
    if single:
        kept.update(index for index, leaf in enumerate(outline.leaves) if leaf in single)
    for node in selection.nodes:
        if not isinstance(node, TextLeaf):
            kept.update(_leaf_range(selection.tree, node))
    for element in selection.stripped:
        if element in outline.positions:
            kept.difference_update(_leaf_range(selection.tree, element))
    return kept


def _leaf_range(tree: PageTree, element: etree._Element) -> Iterator[int]:
    outline = tree.outline
    index = outline.positions[element]
    yield from range(outline.leaf_starts[index], outline.leaf_ends[index])


def bare_tag(expression: str) -> str | None:
    """Return the tag that an XPath ends with, if nothing but its position qualifies it.

    >>> bare_tag("//main[@id='main']//a"), bare_tag("//figure[2]"), bare_tag("//a[@class='x']")
    ('a', 'figure', None)
    """
    step = _LAST_STEP.search(_POSITIONS.sub("", expression))
    return step[1] if step else None
