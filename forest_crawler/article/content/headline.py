"""The headline of an article: a field of its own, so its text begins with the body.

Pages show the headline inside the element that holds the article, so a selection often begins with
it. It is dropped from the blocks, or put in front of them for those who want it there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

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


def drop_headline(blocks: Sequence[Block], title: str | None) -> tuple[Block, ...]:
    """Remove the blocks at the beginning that only repeat the article's title, or a part of it.

    A heading may add a kicker to the title. Pictures in a headline stay, and so does a headline
    without which nothing would be left, as in a post that is its own title.

    >>> blocks = [Block("heading", (Run("Rain!"),), 1), Block("paragraph", (Run("It rained."),))]
    >>> [join_runs(block.runs) for block in drop_headline(blocks, "Rain")]
    ['It rained.']
    """
    found = set(_headlines(blocks, _letters_of([title or ""])))
    kept = [_images_of(block) if index in found else block for index, block in enumerate(blocks)]
    left = tuple(block for block in kept if block is not None)
    has_text = any(block.rows or join_runs(block.runs).strip() for block in left)
    return left if has_text else tuple(blocks)


def find_headline(
    blocks: Sequence[Block], titles: Sequence[str], outside: Iterable[str] = ()
) -> str | None:
    """Find the title that an article shows; without any stated, its first heading.

    The most trusted title wins if the article shows it, or if its headings repeat no other one: a
    page's first heading may be the name of the site, and its headline another stated title. If a
    heading is the larger part of that title, the rest is the name of the site or a book. But what
    follows a colon is no name if a heading, be it one `outside` the article, shows all of it.
    """
    if not titles:
        return next((text for level, text in _headings(blocks) if level == 1), None)
    trusted = _letters_of(titles[:1])
    if any(True for _ in _headlines(blocks, trusted)):
        whole = comparable(titles[0])
        headings = [(text, comparable(text)) for _, text in _headings(blocks)]
        parts = trusted - {whole}
        if whole in chain((own for _, own in headings), map(comparable, outside)):
            parts -= _before_colons(titles[0])
        larger = (text for text, own in headings if own in parts and 2 * len(own) > len(whole))
        return next(larger, titles[0])
    stated = _letters_of(titles[1:])
    shown = (text for _, text in _headings(blocks) if comparable(text) in stated)
    return next(shown, titles[0])


def put_headline(blocks: Sequence[Block], title: str | None) -> tuple[Block, ...]:
    """Put the title in front of an article's blocks, as its first heading."""
    return (Block("heading", (Run(title),), 1), *blocks) if title else tuple(blocks)


def _letters_of(titles: Iterable[str]) -> frozenset[str]:
    """Return the letters of titles and of their parts."""
    stated = (part for title in titles for part in (title, *title_parts(title)))
    return frozenset(filter(None, map(comparable, stated)))


def _before_colons(title: str) -> frozenset[str]:
    """Return the letters of the parts of a title that a colon follows."""
    found = (it for it in title_parts(title) if title.startswith(it))
    return frozenset(comparable(it) for it in found if title[len(it) :].lstrip()[0] in ":：")


def _headings(blocks: Sequence[Block]) -> Iterator[tuple[int, str]]:
    """Yield level and text of the headings before the body."""
    for block in blocks[:MAX_LEAD_BLOCKS]:
        text = " ".join(join_runs(block.runs).split())
        if block.kind == "heading" and text:
            yield block.level, text
        elif len(comparable(text)) >= MIN_BODY_LETTERS:
            return


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
