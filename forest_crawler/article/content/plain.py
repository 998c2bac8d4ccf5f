"""Blocks as plain text: a blank line between blocks, one line per item and row."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from forest_crawler.article.content.blocks import CAPTION_SIGN, LINE_BREAK, Block, Container, Run

_INDENT = "  "
_MARKER = "- "


def write_text(blocks: Iterable[Block]) -> str:
    """Write blocks as text.

    Items of numbered lists get a dash too: the number isn't a word of the article.
    """
    pieces: list[str] = []
    last: Block | None = None
    for block in blocks:
        if not _has_text(block):  # images alone
            continue
        if last:
            pieces.append("\n" if is_next_item(last, block) else "\n\n")
        pieces.append("\n".join(_lines(block, last)))
        last = block
    return "".join(pieces)


def is_next_item(last: Block, block: Block) -> bool:
    """Check whether two paragraphs are consecutive items of one list."""
    one, other = last.inside, block.inside
    return (
        len(one) == len(other) > 1
        and last.kind == block.kind == "paragraph"
        and one[:-1] == other[:-1]
        and one[-1].kind == other[-1].kind == "item"
        and one[-1] != other[-1]
    )


def join_runs(runs: Iterable[Run]) -> str:
    """Join the text of runs, with their line breaks."""
    return "".join(run.text for run in runs)


def _has_text(block: Block) -> bool:
    return bool(block.rows) or any(not run.text.isspace() for run in block.runs if run.text)


def _lines(block: Block, last: Block | None) -> list[str]:
    first, rest = _prefixes(block.inside, last.inside if last else ()) if block.inside else ("", "")
    if block.kind == "caption":
        first += f"{CAPTION_SIGN} "
    return [(rest if i else first) + line for i, line in enumerate(_own_lines(block))]


def _own_lines(block: Block) -> Sequence[str]:
    if block.kind == "code":
        return block.runs[0].text.split(LINE_BREAK)
    if block.kind != "table":
        return [line.strip(" ") for line in join_runs(block.runs).split(LINE_BREAK)]
    rows = ([join_runs(cell.runs).replace(LINE_BREAK, " ") for cell in row] for row in block.rows)
    return [" | ".join(row) for row in rows if any(row)]


def _prefixes(inside: Iterable[Container], opened: Collection[Container]) -> tuple[str, str]:
    first = rest = ""
    depth = 0
    for item in inside:
        if item.kind == "item":
            first = _INDENT * depth + (_MARKER if item not in opened else _INDENT)
            rest = _INDENT * (depth + 1)
            depth += 1
    return first, rest
