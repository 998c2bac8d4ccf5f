"""Join the parts of an article over several pages, without repetition."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forest_crawler.article.content.blocks import Block, Container


def join_parts(parts: Sequence[Sequence[Block]]) -> tuple[Block, ...]:
    """Join the blocks of all parts, without those that an earlier part has.

    This drops the headline, lead and author box of later parts.
    """
    joined = list(parts[0]) if parts else []
    for part in parts[1:]:
        known = {_content(block) for block in joined}
        highest = max((it.number for block in joined for it in block.inside), default=0)
        joined += [_renumber(block, highest) for block in part if _content(block) not in known]
    return tuple(joined)


def _content(block: Block) -> tuple[object, ...]:
    return block.kind, block.level, block.runs, block.rows, block.media


def _renumber(block: Block, offset: int) -> Block:
    """Renumber containers, so that no list of one part continues in the next."""
    return replace(block, inside=tuple(_renumber_containers(block.inside, offset)))


def _renumber_containers(inside: Iterable[Container], offset: int) -> list[Container]:
    return [replace(container, number=container.number + offset) for container in inside]
