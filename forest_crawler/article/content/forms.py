"""The three forms of an article's content, made from the same blocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from forest_crawler.article.content.blocks import Block, Image, ListedImage, Media
from forest_crawler.article.content.captions import find_captions, pair_captions
from forest_crawler.article.content.headline import drop_headline, put_headline
from forest_crawler.article.content.html import write_html
from forest_crawler.article.content.icons import drop_icons
from forest_crawler.article.content.markdown import write_markdown
from forest_crawler.article.content.media import list_media
from forest_crawler.article.content.parts import join_parts
from forest_crawler.article.content.plain import write_text
from forest_crawler.article.content.reading import read_content
from forest_crawler.article.content.share_bars import drop_buttons
from forest_crawler.page.pictures import PicturesBeside
from forest_crawler.page.selection import Selection


@dataclass(frozen=True, slots=True)
class FormOptions:
    """What the three forms of an article contain besides its body."""

    with_title: bool = False  # begin with the headline, which is also the field `title`
    captions: bool = True  # of pictures and media


DEFAULT_FORMS = FormOptions()


@dataclass(frozen=True, slots=True)
class Forms:
    """An article's content as text, HTML and Markdown; the same words in each."""

    text: str
    html: str
    markdown: str
    images: tuple[ListedImage, ...]  # each URL once
    media: tuple[Media, ...] = ()


def read_parts(
    selection: Selection, further: Iterable[Selection] = (), beside: PicturesBeside | None = None
) -> tuple[Block, ...]:
    """Read the blocks of an article's first and further pages, without icons and buttons."""
    return pair_captions(drop_icons(drop_buttons(_join(selection, further, beside))))


def write_forms(selection: Selection, further: Iterable[Selection] = ()) -> Forms:
    """Write all text of the selections of an article's first and further pages."""
    return write_blocks(pair_captions(_join(selection, further)))


def _join(
    selection: Selection, further: Iterable[Selection], beside: PicturesBeside | None = None
) -> tuple[Block, ...]:
    return join_parts([read_content(selection, beside), *map(read_content, further)])


def write_blocks(
    blocks: tuple[Block, ...],
    title: str | None = None,
    options: FormOptions = DEFAULT_FORMS,
) -> Forms:
    """Write the blocks of the article with this title in three forms."""
    blocks = drop_headline(blocks, title)
    if options.with_title:
        blocks = put_headline(blocks, title)
    shown = blocks if options.captions else drop_captions(blocks)
    return Forms(
        write_text(shown),
        write_html(shown),
        write_markdown(shown),
        list_images(blocks),
        list_media(blocks),
    )


def drop_captions(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Remove the captions of pictures and media."""
    return tuple(block for block in blocks if block.kind != "caption")


def list_images(blocks: tuple[Block, ...]) -> tuple[ListedImage, ...]:
    """List the images in blocks, each URL once, with the captions of their figures."""
    found = [_images_of(block) for block in blocks]
    if not any(found):
        return ()
    unique: dict[str, ListedImage] = {}
    for images, caption in zip(found, find_captions(blocks), strict=True):
        for image in images:
            unique.setdefault(image.src, ListedImage(image.src, image.alt or None, caption))
    return tuple(unique.values())


def _images_of(block: Block) -> list[Image]:
    images = [run.image for run in block.runs if run.image]
    for row in block.rows:
        images += [run.image for cell in row for run in cell.runs if run.image]
    return images
