"""`Block`: the unit of an article's content, whatever form it is written in.

Between the reader of a page's nodes and the three writers. Text, HTML and Markdown are written
from the same blocks, so that they cannot disagree on a word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

BlockKind = Literal["paragraph", "heading", "caption", "code", "table", "media"]
ContainerKind = Literal["quote", "list", "ordered", "item", "figure"]
Mark = Literal["strong", "em", "code", "sub", "sup", "del"]
MediaType = Literal["video", "audio", "embed", "object"]

LINE_BREAK = "\n"
"""The text of a run that ends a line inside a block."""

MEDIA_LABEL = "▶"
"""The text of a link to a medium: not a word, so that all forms have the same words."""


CAPTION_SIGN = "▣"
"""What a caption begins with in text and Markdown: not a word either."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture; its URL is absolute where the page's is known."""

    src: str
    alt: str = ""


@dataclass(frozen=True, slots=True)
class ListedImage:
    """A picture in the list of an article's images."""

    url: str
    alt: str | None = None
    caption: str | None = None


@dataclass(frozen=True, slots=True)
class Media:
    """A video, a sound or an embedded document; its URL is absolute like an image's."""

    type: MediaType
    url: str
    caption: str | None = None


class Run(NamedTuple):
    """A piece of a block's text with the same marks, a line break, or an image.

    A tuple, because most objects of an article are runs, and records take three times as long.
    """

    text: str
    marks: frozenset[Mark] = frozenset()
    link: str | None = None
    image: Image | None = None


@dataclass(frozen=True, slots=True)
class Container:
    """A quote, a list, an item or a figure around blocks; the number identifies it."""

    kind: ContainerKind
    number: int
    start: int = 1  # the first item's number


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table."""

    runs: tuple[Run, ...]
    is_head: bool = False


Row: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a caption, a piece of code, a table or a medium."""

    kind: BlockKind
    runs: tuple[Run, ...] = ()
    level: int = 0  # of a heading
    inside: tuple[Container, ...] = ()  # outermost first
    rows: tuple[Row, ...] = ()  # of a table
    media: Media | None = None  # without its caption, which is a block of its own
