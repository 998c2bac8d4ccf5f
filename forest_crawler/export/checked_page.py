"""`CheckedPage`: a stored page by which an export checks what another program will show."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from lxml import etree
from lxml import html as lxml_html

from forest_crawler.export.consumers.documents import parse_html5, parse_libxml2
from forest_crawler.export.consumers.graby import parse_graby
from forest_crawler.page.outline import Outline
from forest_crawler.page.tree import INLINE_TAGS, PageTree, parse_page
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import clean_text
from forest_crawler.text.comparison import comparable
from forest_crawler.text.terms import tokenize
from forest_crawler.wrapper.element_names import PageNames


@dataclass(frozen=True, eq=False)
class CheckedPage:
    """A page's source, and the article that we have made of it."""

    url: str
    source: str
    text: str  # of the article, without its title
    title: str | None = None

    @cached_property
    def tree(self) -> PageTree:
        """The page as our own wrappers see it."""
        return parse_page(self.source, url=self.url)

    @cached_property
    def names(self) -> PageNames:
        """The names of the page's elements."""
        return PageNames(self.tree.outline)

    @cached_property
    def words(self) -> Counter[str]:
        """The words of the article."""
        return Counter(tokenize(self.text))

    @cached_property
    def wanted(self) -> list[int]:
        """Per element of the tree, how many text leaves in it the article contains."""
        letters = comparable(self.text)
        return self._count(lambda own: own in letters)

    @cached_property
    def unwanted(self) -> list[int]:
        """Per element of the tree, how many text leaves in it the article doesn't contain."""
        letters = comparable(self.text)
        return self._count(lambda own: own not in letters)

    @property
    def outline(self) -> Outline:
        """The tree's numbered elements and leaves."""
        return self.tree.outline

    def libxml2(self) -> Element:
        """Parse the page as PHP programs do; a copy that may be changed."""
        return copy.deepcopy(self._libxml2)

    def html5(self) -> Element:
        """Parse the page by the HTML standard; a copy that may be changed."""
        return copy.deepcopy(self._html5)

    def graby(self) -> Element:
        """Parse the page as graby does; a copy that may be changed."""
        return copy.deepcopy(self._graby)

    def score(self, shown: str) -> float:
        """Return the F1 of the words of shown HTML and of the article; both empty is 1."""
        words = Counter(words_of(shown))
        size = words.total() + self.words.total()
        return 2 * (words & self.words).total() / size if size else 1.0

    def _count(self, is_counted: Callable[[str], bool]) -> list[int]:
        """Count leaves per element by their letters; leaves without any count nowhere."""
        letters = map(comparable, self.outline.leaf_texts)
        sums = [0, *accumulate(int(bool(own) and is_counted(own)) for own in letters)]
        pairs = zip(self.outline.leaf_starts, self.outline.leaf_ends, strict=True)
        return [sums[end] - sums[start] for start, end in pairs]

    @cached_property
    def _libxml2(self) -> Element:
        return parse_libxml2(self.source)

    @cached_property
    def _html5(self) -> Element:
        return parse_html5(self.source)

    @cached_property
    def _graby(self) -> Element:
        return parse_graby(self.source)


def words_of(markup: str) -> list[str]:
    """Return the words that HTML shows; every element that starts a line ends a word.

    >>> words_of("<p>One<b>s</b><p>two")
    ['ones', 'two']
    """
    if not markup.strip():
        return []
    root = lxml_html.fragment_fromstring(clean_text(markup), create_parent="div")
    pieces: list[str] = []
    for event, element in etree.iterwalk(root, events=("start", "end", "comment")):
        is_block = element.tag not in INLINE_TAGS
        if is_block:
            pieces.append("\n")
        text = element.text if event == "start" else element.tail
        pieces.append(text or "")
    return tokenize("".join(pieces))
