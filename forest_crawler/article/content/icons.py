"""Drop the images that an article repeats: icons, and placeholders of lazy loading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from forest_crawler.article.content.blocks import Block, Run

MIN_REPEATS = 3
"""Occurrences from which an image isn't a picture: an article shows one twice at most, such as at
its top and in a gallery."""


def drop_icons(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Remove images that occur `MIN_REPEATS` times or more; their blocks may have text."""
    counts = Counter(run.image.src for block in blocks for run in _all_runs(block) if run.image)
    icons = {url for url, number in counts.items() if number >= MIN_REPEATS}
    if not icons:
        return tuple(blocks)
    cleaned = (_without(block, icons) for block in blocks)
    return tuple(block for block in cleaned if block.runs or block.rows or block.media)


def _all_runs(block: Block) -> Iterable[Run]:
    yield from block.runs
    for row in block.rows:
        for cell in row:
            yield from cell.runs


def _without(block: Block, icons: Collection[str]) -> Block:
    rows = tuple(tuple(replace(it, runs=_keep(it.runs, icons)) for it in row) for row in block.rows)
    return replace(block, runs=_keep(block.runs, icons), rows=rows)


def _keep(runs: Iterable[Run], icons: Collection[str]) -> tuple[Run, ...]:
    return tuple(run for run in runs if not run.image or run.image.src not in icons)
