"""The headline of an article: a field of its own, so its text begins with the body.

Pages show the headline inside the element that holds the article, so a selection often begins with
it. It is dropped from the blocks, or put in front of them for those who want it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from forest_crawler.article.content.blocks import Block, Run
from forest_crawler.article.content.plain import join_runs
from forest_crawler.metadata.titles import title_parts
from forest_crawler.text.comparison import comparable

MAX_LEAD_BLOCKS = 12
"""Blocks at the beginning that may be the headline: kicker, date, author, share bar, picture."""

MIN_BODY_LETTERS = 200
"""Letters of a paragraph with which the body has begun; a headline comes before it."""

MIN_TITLE_SHARE = 0.5
"""Min share of a heading's letters that the title has; the rest is a kicker or a label."""

_KINDS = ("heading", "paragraph")


def drop_headline(blocks: Sequence[Block], titles: Iterable[str]) -> tuple[Block, ...]:
    """Remove the blocks at the beginning that only repeat one of the article's titles.

    A heading may add a kicker to the title. Pictures in a headline stay, and so does a headline
    without which nothing would be left, as in a post that is its own title.

    >>> blocks = [Block("heading", (Run("Rain!"),), 1), Block("paragraph", (Run("It rained."),))]
    >>> [join_runs(block.runs) for block in drop_headline(blocks, ["Rain"])]
    ['It rained.']
    """
    stated = [part for title in titles for part in (title, *title_parts(title))]
    wanted = frozenset(filter(None, map(comparable, stated)))
    found = set(_headlines(blocks, wanted)) if wanted else set()
    kept = [_images_of(block) if index in found else block for index, block in enumerate(blocks)]
    left = tuple(block for block in kept if block is not None)
    has_text = any(block.rows or join_runs(block.runs).strip() for block in left)
    return left if has_text else tuple(blocks)


def find_heading(blocks: Sequence[Block]) -> str | None:
    """Find the first heading of level 1 before the body, for pages that state no title."""
    for block in blocks[:MAX_LEAD_BLOCKS]:
        if block.kind == "heading" and block.level == 1:
            return " ".join(join_runs(block.runs).split()) or None
        if len(comparable(join_runs(block.runs))) >= MIN_BODY_LETTERS:
            return None
    return None


def put_headline(blocks: Sequence[Block], title: str | None) -> tuple[Block, ...]:
    """Put the title in front of an article's blocks, as its first heading."""
    return (Block("heading", (Run(title),), 1), *blocks) if title else tuple(blocks)


def _headlines(blocks: Sequence[Block], titles: frozenset[str]) -> Iterator[int]:
    """Yield the positions of the blocks before the body that repeat a title."""
    for index, block in enumerate(blocks[:MAX_LEAD_BLOCKS]):
        letters = comparable(join_runs(block.runs))
        if block.kind in _KINDS and (
            letters in titles or (block.kind == "heading" and _has_kicker(letters, titles))
        ):
            yield index
        elif block.kind == "paragraph" and len(letters) >= MIN_BODY_LETTERS:
            return


def _has_kicker(letters: str, titles: frozenset[str]) -> bool:
    """Whether a heading is a title with something shorter before or after it."""
    return any(
        len(title) >= MIN_TITLE_SHARE * len(letters)
        and (letters.startswith(title) or letters.endswith(title))
        for title in titles
    )


def _images_of(block: Block) -> Block | None:
    """Return the pictures of a headline as a paragraph; `None` if it has none."""
    images = tuple(run for run in block.runs if run.image)
    return replace(block, kind="paragraph", level=0, runs=images) if images else None
