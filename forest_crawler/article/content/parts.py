"""The parts of an article over several pages as one: what each page repeats is there once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from forest_crawler.article.content.blocks import Block, Container


def join_parts(parts: Sequence[Sequence[Block]]) -> tuple[Block, ...]:
    """Blocks of all parts in order; headline, lead and author box of later ones are left out.

    A block of a later part goes where an earlier part has the same one.
    """
    joined = list(parts[0]) if parts else []
    for part in parts[1:]:
        known = {_look(block) for block in joined}
        highest = max((it.number for block in joined for it in block.inside), default=0)
        joined += [_renumber(block, highest) for block in part if _look(block) not in known]
    return tuple(joined)


def _look(block: Block) -> tuple[object, ...]:
    return block.kind, block.level, block.runs, block.rows


def _renumber(block: Block, offset: int) -> Block:
    """A list of one part does not go on in the next."""
    return replace(block, inside=tuple(_moved(block.inside, offset)))


def _moved(inside: Iterable[Container], offset: int) -> list[Container]:
    return [replace(container, number=container.number + offset) for container in inside]
