"""The three forms of an article's content, made from the same blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from forest_crawler.article.content.blocks import Block, Media
from forest_crawler.article.content.html import write_html
from forest_crawler.article.content.markdown import write_markdown
from forest_crawler.article.content.media import list_media
from forest_crawler.article.content.parts import join_parts
from forest_crawler.article.content.plain import write_text
from forest_crawler.article.content.reading import read_content
from forest_crawler.page.selection import Selection


@dataclass(frozen=True, slots=True)
class Forms:
    """An article's content as text, HTML and Markdown; the same words in each."""

    text: str
    html: str
    markdown: str
    images: tuple[str, ...]  # URLs, each once
    media: tuple[Media, ...] = ()


def write_forms(selection: Selection, further: Iterable[Selection] = ()) -> Forms:
    """Write the selections of an article's first and further pages in three forms."""
    blocks = join_parts([read_content(it) for it in (selection, *further)])
    return Forms(
        write_text(blocks),
        write_html(blocks),
        write_markdown(blocks),
        list_images(blocks),
        list_media(blocks),
    )


def list_images(blocks: tuple[Block, ...]) -> tuple[str, ...]:
    """List the URLs of the images in blocks, each once."""
    runs = (run for block in blocks for run in block.runs)
    cells = (run for block in blocks for row in block.rows for cell in row for run in cell.runs)
    found = (run.image.src for group in (runs, cells) for run in group if run.image)
    return tuple(dict.fromkeys(found))
