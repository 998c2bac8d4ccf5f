"""Blocks as Markdown: CommonMark with GitHub's tables.

The writer escapes whatever a Markdown parser would take for markup, and leaves out a mark that the
parser would not recognise at its position, so that the rendered words are the article's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby, zip_longest
from operator import attrgetter

from forest_crawler.article.content.blocks import (
    CAPTION_SIGN,
    LINE_BREAK,
    MEDIA_LABEL,
    Block,
    Container,
    Run,
)
from forest_crawler.article.content.plain import is_next_item

# Special at any position; an underscore inside a word isn't a mark.
_SPECIAL = re.compile(r"[\\`*\[\]~]|(?<![^\W_])_|_(?![^\W_])|<(?=[A-Za-z/!?]|$)|&(?=[#\w]|$)")
_MAYBE_SPECIAL = re.compile(r"[\\`*\[\]~_<&]")  # ten times as fast, and most text has none
# Before these a backslash isn't enough: Python-Markdown shows it and takes what follows for a tag,
# and renderers that make links of bare URLs take it for the URL's end.
_ENTITIES = {"<": "&lt;", "&": "&amp;"}
_LINE_START = tuple("#>+=|:-")  # headings, quotes, items, rules, tables
_NUMBER = re.compile(r"([0-9]{1,9})([.)](?:\s|$))")
_URL_UNSAFE = re.compile(r"[\s()<>\\`|\[\]\"'*]")
_BACKTICKS = re.compile("`+")


def write_markdown(blocks: Iterable[Block]) -> str:
    """Write blocks as Markdown.

    >>> write_markdown([Block("paragraph", (Run("2 * 3", frozenset(["strong"])),))])
    '**2 \\\\* 3**'
    """
    pieces: list[str] = []
    items = _Items()
    last: Block | None = None
    for block in blocks:
        if last:
            pieces.append("\n" if is_next_item(last, block) else items.gap(last, block))
        first, rest = items.prefixes(block)
        lines = [(rest if i else first) + line for i, line in enumerate(_lines(block))]
        pieces.append("\n".join(line.rstrip(" ") for line in lines))
        last = block
    return "".join(pieces)


class _Items:
    """The markers of the items so far, whose widths indent an item's further lines."""

    def __init__(self) -> None:
        self._widths: dict[Container, int] = {}
        self._counts: dict[Container, int] = {}

    def prefixes(self, block: Block) -> tuple[str, str]:
        """Return the prefix of a block's first line, and that of its other lines."""
        first = rest = ""
        around: Container | None = None
        for container in block.inside:
            if container.kind == "quote":
                first, rest = first + "> ", rest + "> "
            elif container.kind == "item":
                is_new = container not in self._widths
                marker = self._marker(container, around) if is_new else ""
                width = self._widths[container]
                first, rest = first + (marker or " " * width), rest + " " * width
            around = container
        return first, rest

    def gap(self, last: Block, block: Block) -> str:
        """Return the empty line between two blocks, prefixed inside a quote."""
        prefix = ""
        for one, other in zip(last.inside, block.inside, strict=False):
            if one != other:
                break
            if one.kind == "quote":
                prefix += "> "
            elif one.kind == "item":
                prefix += " " * self._widths[one]
        return f"\n{prefix.rstrip()}\n"

    def _marker(self, item: Container, around: Container | None) -> str:
        marker = "- "
        if around and around.kind == "ordered":
            number = self._counts.get(around, around.start)
            self._counts[around] = number + 1
            marker = f"{number}. "
        self._widths[item] = len(marker)
        return marker


def _lines(block: Block) -> Sequence[str]:
    if block.kind == "table":
        return _table_lines(block)
    if block.kind == "code":
        return _code_lines(block.runs[0].text)
    if block.media:
        return [f"[{MEDIA_LABEL}]({_safe_url(block.media.url)})"]
    if block.kind == "heading":
        text = _runs_markdown(block.runs).replace(LINE_BREAK, " ")
        return ["#" * block.level + " " + re.sub(r"#$", r"\#", text)]
    lines = [_safe_start(line.strip(" ")) for line in _runs_markdown(block.runs).split(LINE_BREAK)]
    if block.kind == "caption":
        lines[0] = f"{CAPTION_SIGN} {lines[0]}"
    return [line + "\\" for line in lines[:-1]] + lines[-1:]


def _table_lines(block: Block) -> list[str]:
    rows = [[_cell_markdown(cell.runs) for cell in row] for row in block.rows]
    width = max(map(len, rows))
    lines = [f"| {' | '.join(row + [''] * (width - len(row)))} |" for row in rows]
    return [lines[0], "|" + " --- |" * width, *lines[1:]]


def _cell_markdown(runs: Sequence[Run]) -> str:
    return _runs_markdown(runs).replace(LINE_BREAK, " ").replace("|", r"\|")


def _code_lines(code: str) -> list[str]:
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *code.split("\n"), fence]


def _safe_start(line: str) -> str:
    """Escape a line's beginning if a parser would take it for markup."""
    if line[:1] in _LINE_START:
        return "\\" + line
    return _NUMBER.sub(r"\1\\\2", line, count=1) if _NUMBER.match(line) else line


def _runs_markdown(runs: Sequence[Run]) -> str:
    if len(runs) == 1 and _is_plain(runs[0]):
        return runs[0].text
    pieces: list[str] = []
    for link, linked in groupby(runs, key=attrgetter("link")):
        inner = _marked_text(list(linked), pieces)
        if link and inner.strip():
            if pieces and pieces[-1].endswith("!"):
                pieces[-1] = pieces[-1][:-1] + r"\!"  # before a link it would make an image of it
            pieces.append(f"[{inner}]({_safe_url(link)})")
        elif inner:
            pieces.append(inner)
    return "".join(pieces)


def _is_plain(run: Run) -> bool:
    """Whether a run is nothing but text that needs no escape, as most are."""
    return not (run.marks or run.link or run.image or _MAYBE_SPECIAL.search(run.text))


def _marked_text(runs: Sequence[Run], before: Sequence[str]) -> str:
    pieces: list[str] = []
    last = "".join(before[-1:])[-1:]  # the character before a run
    for run, following in zip_longest(runs, runs[1:]):
        if run.image:
            piece = f"![{_escape(run.image.alt)}]({_safe_url(run.image.src)})"
        elif run.text == LINE_BREAK:
            piece = LINE_BREAK
        else:
            piece = _marked_run(run, last, following.text[:1] if following else "")
        pieces.append(piece)
        last = piece[-1:]
    return "".join(pieces)


def _marked_run(run: Run, preceding: str, following: str) -> str:
    bare = run.text.strip(" ")
    lead, _, tail = run.text.partition(bare) if bare else (run.text, "", "")
    if not bare:
        return run.text
    if "code" in run.marks:
        inner, is_code = _code_span(bare), True
    else:
        inner, is_code = _escape(bare), False
    around = (lead or preceding)[-1:], (tail or following)[:1]
    for sign, mark in (("*", "em"), ("**", "strong")) if run.marks else ():
        if mark in run.marks and _can_flank("`" if is_code else bare, *around):
            inner = f"{sign}{inner}{sign}"
    if inner[0] in "*~`" and not lead and preceding in ("*", "~", "`"):
        inner = _escape(bare)  # a parser would join two signs in a row
    return lead + inner + tail


def _can_flank(text: str, preceding: str, following: str) -> bool:
    """Check whether signs around a text are marks (CommonMark's flanking rules)."""
    opens = not _is_sign(text[0]) or _is_edge(preceding)
    closes = not _is_sign(text[-1]) or _is_edge(following)
    return opens and closes


def _is_edge(char: str) -> bool:
    return not char or char.isspace() or _is_sign(char)


def _is_sign(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"


def _code_span(text: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    if not longest:
        return f"`{text}`"
    fence = "`" * (longest + 1)
    return f"{fence} {text} {fence}"


def _escape(text: str) -> str:
    if not _MAYBE_SPECIAL.search(text):
        return text
    return _SPECIAL.sub(lambda match: _ENTITIES.get(it := match.group(), "\\" + it), text)


def _safe_url(url: str) -> str:
    """Escape what would end a URL before the closing parenthesis."""
    return _URL_UNSAFE.sub(lambda match: _percent(match.group()), url)


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode("utf-8"))
