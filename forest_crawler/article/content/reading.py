"""Selected nodes → blocks, in one walk over the elements.

The reader distinguishes paragraphs, headings, lists, tables, quotes and code, and never loses text,
whatever the markup around it. Elements may nest to any depth, containers to `MAX_CONTAINERS`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TypeAlias

from lxml import etree

from forest_crawler.article.content.blocks import (
    LINE_BREAK,
    Block,
    BlockKind,
    Cell,
    Container,
    ContainerKind,
    Image,
    Mark,
    Media,
    Run,
)
from forest_crawler.article.content.captions import is_caption, keep_figure
from forest_crawler.article.content.images import read_image
from forest_crawler.article.content.links import Resolver
from forest_crawler.article.content.media import read_media
from forest_crawler.article.content.share_bars import is_share_bar
from forest_crawler.article.content.tables import cell_elements, find_data_tables
from forest_crawler.page.media import MediaNode
from forest_crawler.page.outline import TextLeaf
from forest_crawler.page.pictures import PicturesBeside
from forest_crawler.page.selection import Selection, line_gap
from forest_crawler.page.tree import INLINE_TAGS, PageTree
from forest_crawler.page.xpath import Element
from forest_crawler.text.cleaning import FORBIDDEN, SOFT_HYPHEN, UNSEEN, clean_text

MAX_CONTAINERS = 12
"""Max containers around a block: six levels of lists. It bounds the depth of the HTML, on which
the sanitiser takes quadratic time."""

MAX_HEADING_LENGTH = 300
"""Max characters of a heading; a longer one is unclosed, or a section styled as a heading."""

_MARKS: dict[str, Mark] = {
    "b": "strong", "strong": "strong", "i": "em", "em": "em", "cite": "em", "dfn": "em",
    "var": "em", "code": "code", "kbd": "code", "samp": "code", "tt": "code",
    "sub": "sub", "sup": "sup", "del": "del", "s": "del", "strike": "del",
}  # fmt: skip
_CONTAINERS: dict[str, ContainerKind] = {
    "blockquote": "quote", "ul": "list", "menu": "list", "dir": "list", "ol": "ordered",
    "li": "item", "figure": "figure",
}  # fmt: skip
_IMAGE_TAGS = frozenset("img amp-img picture".split())
_CODE_TAGS = frozenset("pre listing xmp plaintext".split())
_HEADING = re.compile("h([1-6])")
_WITHIN_LINES = INLINE_TAGS | {"br"}
# Every other element without a class opens nothing: most of an article's are paragraphs.
_SPECIAL_TAGS = frozenset(["a", "br", "figcaption", *(f"h{level}" for level in range(1, 7))]).union(
    _MARKS, _CONTAINERS, _IMAGE_TAGS, _CODE_TAGS
)
_ODD_BLANKS = re.compile(r"[^\S \t\n]")  # in code: some programs take these blanks for line ends
_LINE_ENDS = re.compile(r"\r\n?")
# Quotation marks in windows-1252 are control characters in Unicode; many pages mix them up.
_MISREAD = {code: bytes([code]).decode("cp1252", "ignore") or " " for code in range(0x80, 0xA0)}
_REPLACED = _MISREAD | {ord(SOFT_HYPHEN): ""}
_UNCLEAN = re.compile(
    f"{FORBIDDEN.pattern}|[\x80-\x9f{SOFT_HYPHEN}]"
)  # most text is clean, so test first
_MediaByText: TypeAlias = Mapping[tuple[Element, bool], Sequence[MediaNode]]
_NO_MARKS: frozenset[Mark] = frozenset()
_Depths: TypeAlias = tuple[int, int, int, int]
"""How many containers, kinds, marks and links are open."""
_TEXT_LENGTH = etree.XPath("string-length()", regexp=False)  # EXSLT is slow to set up


def read_content(selection: Selection, beside: PicturesBeside | None = None) -> tuple[Block, ...]:
    """Read the blocks of a selection; `beside` are its pictures, if somebody has them already.

    >>> from forest_crawler.page.selection import select_elements
    >>> from forest_crawler.page.tree import parse_page
    >>> tree = parse_page("<h2>Rain</h2><p>It <b>rained</b>.<ul><li>Fog")
    >>> [block.kind for block in read_content(select_elements(tree, [tree.body]))]
    ['heading', 'paragraph', 'paragraph']
    """
    reader = _Reader(Resolver(selection.tree), selection.stripped, _group_media(selection.media))
    between: dict[int, list[MediaNode | Element]] = {}
    for index, medium in selection.between:
        between.setdefault(index, []).append(medium)
    for index, picture in (beside or PicturesBeside(selection)).elements:
        between.setdefault(index, []).append(picture)
    next_of = dict(enumerate(selection.nodes[1:]))
    for index, node in enumerate((*selection.nodes, None)):
        for other in between.get(index, ()):
            reader.add_beside(other)
        if node is None:
            break
        if isinstance(node, TextLeaf):
            reader.add_piece(node.element, node.text, is_tail=node.is_tail)
        else:
            reader.read(node)
        gap = None if index + 1 in between else line_gap(node, next_of.get(index))
        if gap is None:
            reader.end_block()
        else:
            reader.add_text(gap)
    return tuple(reader.blocks)


def read_picture(tree: PageTree, element: Element) -> tuple[Block, ...]:
    """Read the blocks of a picture or a figure."""
    reader = _Reader(Resolver(tree), frozenset(), {})
    reader.add_beside(element)
    return tuple(reader.blocks)


class _Reader:
    """Walks over elements and collects the runs of one block after the other."""

    def __init__(
        self, resolver: Resolver, stripped: frozenset[Element], media: _MediaByText
    ) -> None:
        self.blocks: list[Block] = []
        self._resolver = resolver
        self._stripped = stripped
        self._media = media
        self._waiting: list[Media] = []  # for the end of the block that they are in
        self._runs: list[Run] = []
        self._kinds: list[tuple[BlockKind, int]] = [("paragraph", 0)]
        self._containers: list[Container] = []
        self._marks: list[Mark] = []
        self._links: list[str | None] = [None]
        self._made = 0  # number of the last container
        self._loose: dict[Element | None, Container] = {}  # lists made for items outside any list

    def add_beside(self, node: MediaNode | Element) -> None:
        """Add a medium or a picture that is between two nodes, or after the last one."""
        if isinstance(node, MediaNode):
            self.add_media(node)
            return
        start = len(self.blocks)
        self.read(node)
        self.end_block()
        self.blocks[start:] = keep_figure(self.blocks[start:])

    def read(self, node: Element) -> None:
        """Read an element with its whole subtree; a hot loop, so it avoids needless calls."""
        data_tables = find_data_tables(node, self._stripped)
        stripped, add_piece = self._stripped, self.add_piece
        undo: list[_Depths | None] = []
        walk = etree.iterwalk(node, events=("start", "end"))
        for event, element in walk:
            tag = str(element.tag)
            if tag not in _WITHIN_LINES and (self._runs or self._waiting):
                self._pass_boundary(tag)
            if event == "end":
                if depths := undo.pop():
                    self._close(depths)
                if element is not node:
                    add_piece(element, element.tail, is_tail=True)
                continue
            names = element.get("class")
            if element in stripped or (names and is_share_bar(element)):
                undo.append(None)
                walk.skip_subtree()
            elif element in data_tables:
                undo.append(None)
                self._read_table(element)
                walk.skip_subtree()
            else:
                is_special = tag in _SPECIAL_TAGS or (names and tag not in INLINE_TAGS)
                undo.append(self._open(tag, element) if is_special else None)
                add_piece(element, element.text, is_tail=False)

    def add_piece(self, element: Element, text: str | None, *, is_tail: bool) -> None:
        """Add an element's text or tail, and the media in it.

        Media are blocks of their own, but don't divide a paragraph: they come after it.
        """
        media = self._media.get((element, is_tail)) if self._media else None
        if not media:
            # Most texts are the blanks between two blocks.
            if text and (self._runs or not _is_blank(text) or self._kinds[-1][0] == "code"):
                self.add_text(text)
            return
        blanks = len(text) - len(text.lstrip()) if text else 0
        for node in media:
            if node.offset <= blanks:
                self.add_media(node)
        self.add_text(text)
        for node in media:
            if node.offset > blanks:
                self.add_media(node)

    def add_text(self, text: str | None) -> None:
        """Add text to the current block."""
        if not text:
            return
        if _UNCLEAN.search(text):
            text = clean_text(text.translate(_REPLACED))
        if self._kinds[-1][0] == "code":
            self._runs.append(Run(_ODD_BLANKS.sub(" ", _LINE_ENDS.sub("\n", text))))
            return
        text = _fold_blanks(text)
        if not self._runs or self._runs[-1].text.endswith((" ", LINE_BREAK)):
            text = text.lstrip(" ")
        if text:
            marks = frozenset(self._marks) if self._marks else _NO_MARKS
            self._runs.append(Run(text, marks, self._links[-1]))

    def end_block(self) -> None:
        """Make a block of the runs since the last one, if there are any."""
        if not self._runs:
            if self._waiting:
                self._write_media()
            return
        kind, level = self._kinds[-1]
        if kind == "code":
            code = "".join(run.text for run in self._runs).strip("\n").rstrip()
            self._runs = [Run(code)] if code.strip() else []
        else:
            self._trim()
        if self._runs:
            if kind == "heading" and all(run.image for run in self._runs):
                kind, level = "paragraph", 0
            runs = tuple(self._runs if len(self._runs) == 1 else _join_alike(self._runs))
            self.blocks.append(Block(kind, runs, level, tuple(self._containers)))
        self._runs = []
        self._write_media()

    def add_media(self, node: MediaNode) -> None:
        """Add what a media element shows, after the current block."""
        if media := read_media(node, self._resolver.image):
            self._waiting.append(media)
            if not self._runs:
                self._write_media()

    def _write_media(self) -> None:
        if not self._waiting:
            return
        inside = tuple(self._containers)
        self.blocks += [Block("media", inside=inside, media=media) for media in self._waiting]
        self._waiting = []

    def _trim(self) -> None:
        """Remove blanks and line breaks from the end of the runs."""
        while self._runs and not self._runs[-1].image:
            last = self._runs.pop()
            if text := last.text.rstrip(" \n"):
                self._runs.append(Run(text, last.marks, last.link))
                return

    def _depths(self) -> _Depths:
        return len(self._containers), len(self._kinds), len(self._marks), len(self._links)

    def _close(self, depths: _Depths) -> None:
        containers, kinds, marks, links = depths
        del self._containers[containers:], self._kinds[kinds:]
        del self._marks[marks:], self._links[links:]

    def _pass_boundary(self, tag: str) -> None:
        """End the current block at the start or end of a block element."""
        if self._kinds[-1][0] == "code" and tag not in _CODE_TAGS:
            if self._runs and not self._runs[-1].text.endswith("\n"):
                self._runs.append(Run("\n"))
        else:
            self.end_block()

    def _open(self, tag: str, element: Element) -> _Depths:
        """Open what begins with an element; return the depths before, for its end."""
        depths = self._depths()
        if tag == "br":
            self._break_line()
        elif tag in _IMAGE_TAGS:
            self._add_image(element)
        elif tag == "a" and element.get("href"):
            self._links.append(self._resolver.link(element.get("href", "")))
        elif mark := _MARKS.get(tag):
            self._marks.append(mark)
        elif self._kinds[-1][0] != "code":
            self._open_block(tag, element)
        return depths

    def _open_block(self, tag: str, element: Element) -> None:
        if kind := _CONTAINERS.get(tag):
            self._enter(kind, element)
        elif tag in _CODE_TAGS:
            self._kinds.append(("code", 0))
        elif is_caption(element):
            self._kinds.append(("caption", 0))
        elif (match := _HEADING.fullmatch(tag)) and _is_short(element):
            self._kinds.append(("heading", int(match[1])))

    def _enter(self, kind: ContainerKind, element: Element) -> None:
        around = self._containers[-1].kind if self._containers else None
        if kind == "figure" and any(it.kind == "figure" for it in self._containers):
            return
        if kind == "item" and around not in ("list", "ordered"):
            parent = element.getparent()
            if parent not in self._loose:
                self._loose[parent] = self._number("list")
            self._push(self._loose[parent])
        start = element.get("start", "").strip() if kind == "ordered" else ""
        is_number = start.isascii() and start.isdigit() and len(start) < 7
        self._push(self._number(kind, int(start) if is_number else 1))

    def _number(self, kind: ContainerKind, start: int = 1) -> Container:
        self._made += 1
        return Container(kind, self._made, start)

    def _push(self, container: Container) -> None:
        if len(self._containers) < MAX_CONTAINERS:
            self._containers.append(container)

    def _break_line(self) -> None:
        if self._kinds[-1][0] == "code":
            self._runs.append(Run("\n"))
        elif self._runs and self._runs[-1].text == LINE_BREAK:
            self.end_block()  # two in a row: old pages separate paragraphs so
        elif self._runs:
            self._trim()
            if self._runs:
                self._runs.append(Run(LINE_BREAK))

    def _add_image(self, element: Element) -> None:
        if element.tag == "picture" and next(element.iter("img", "amp-img"), None) is not None:
            return
        if self._kinds[-1][0] != "code" and (image := read_image(element, self._resolver.image)):
            self._runs.append(Run("", link=self._links[-1], image=image))

    def _read_table(self, table: Element) -> None:
        self.end_block()
        for caption in table.iterchildren("caption"):
            self.blocks += self._read_separately(caption)
        rows = []
        for row in cell_elements(table, self._stripped):
            cells = [Cell(self._cell_runs(cell), cell.tag == "th") for cell in row]
            if any(cell.runs for cell in cells):
                rows.append(tuple(cells))
        if rows:
            self.blocks.append(Block("table", inside=tuple(self._containers), rows=tuple(rows)))
        self._write_media()

    def _cell_runs(self, cell: Element) -> tuple[Run, ...]:
        runs: list[Run] = []
        for block in self._read_separately(cell):
            if block.media:
                self._waiting.append(block.media)
                continue
            if runs:
                runs.append(Run(LINE_BREAK))
            runs.extend(block.runs)
        return tuple(runs)

    def _read_separately(self, element: Element) -> list[Block]:
        """Read an element's blocks separately, inside the containers open around it."""
        inner = _Reader(self._resolver, self._stripped, self._media)
        inner._containers = list(self._containers)
        inner._marks, inner._links = list(self._marks), list(self._links)
        inner._made = self._made
        inner.read(element)
        inner.end_block()
        self._made = inner._made
        return inner.blocks


def _group_media(media: Iterable[MediaNode]) -> _MediaByText:
    found: dict[tuple[Element, bool], list[MediaNode]] = {}
    for node in media:
        found.setdefault((node.anchor, node.is_tail), []).append(node)
    return found


def _is_blank(text: str) -> bool:
    if text.isspace():
        return "\x85" not in text  # to Python a blank, but a misread ellipsis
    return not text.strip(UNSEEN)


def _join_alike(runs: Iterable[Run]) -> Iterator[Run]:
    """Join consecutive runs with the same marks and link."""
    for (marks, link, image, text), alike in groupby(runs, key=_style):
        if image or text:
            yield from alike
        else:
            yield Run("".join(run.text for run in alike), marks, link)


def _style(run: Run) -> tuple[frozenset[Mark], str | None, Image | None, str]:
    return run.marks, run.link, run.image, LINE_BREAK if run.text == LINE_BREAK else ""


def _is_short(heading: Element) -> bool:
    length = _TEXT_LENGTH(heading)
    return isinstance(length, float) and length <= MAX_HEADING_LENGTH


def _fold_blanks(text: str) -> str:
    """Fold each run of blanks to one, also at the ends.

    >>> _fold_blanks(" It\\n rained \\t")
    ' It rained '
    """
    words = text.split()
    if not words:
        return " "
    lead = " " if text[0].isspace() else ""
    return lead + " ".join(words) + (" " if text[-1].isspace() else "")
