"""Blocks as HTML, sanitised: no script, style, class or handler of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from html import escape
from itertools import groupby
from operator import attrgetter

import nh3

from forest_crawler.article.content.blocks import (
    LINE_BREAK,
    MEDIA_LABEL,
    Block,
    Cell,
    Container,
    Mark,
    Media,
    Run,
)
from forest_crawler.article.content.media import is_player

TAGS = frozenset(
    "p h1 h2 h3 h4 h5 h6 blockquote ul ol li figure figcaption pre code table tr td th "
    "a img br strong em sub sup del video audio iframe".split()
)
"""The elements allowed in an article's HTML."""

SANDBOX = "allow-scripts allow-same-origin allow-presentation"
"""What the frame of a player may do: run its own scripts, but not leave its frame or the page."""

ATTRIBUTES = {
    "a": {"href"},
    "img": {"src", "alt"},
    "ol": {"start"},
    "video": {"src", "controls", "preload"},
    "audio": {"src", "controls", "preload"},
    "iframe": {"src"},
}
SCHEMES = frozenset({"http", "https", "mailto"})

_CONTAINERS = {
    "quote": "blockquote", "list": "ul", "ordered": "ol", "item": "li", "figure": "figure"
}  # fmt: skip
_MARKS: tuple[Mark, ...] = ("strong", "em", "del", "sub", "sup", "code")


def write_html(blocks: Iterable[Block]) -> str:
    """Write blocks as HTML, one line per block.

    >>> write_html([Block("heading", (Run("Rain & fog"),), level=2)])
    '<h2>Rain &amp; fog</h2>'
    """
    # Our own writer makes allowed elements only; nh3 guards against a bug in it.
    # nh3 takes quadratic time on depth, which `MAX_CONTAINERS` bounds.
    html = "".join(_pieces(blocks)).strip("\n")
    return _cleaner(has_frames="<iframe" in html).clean(html)


@cache
def _cleaner(*, has_frames: bool) -> nh3.Cleaner:
    """Make a sanitiser, which takes as long as to sanitise a short article.

    Only frames need a function that is called with every attribute.
    """
    return nh3.Cleaner(
        tags=set(TAGS),
        attributes={tag: set(names) for tag, names in ATTRIBUTES.items()},
        attribute_filter=_filter_attribute if has_frames else None,
        set_tag_attribute_values={"iframe": {"sandbox": SANDBOX}},
        url_schemes=set(SCHEMES),
        link_rel=None,
    )


def _filter_attribute(tag: str, name: str, value: str) -> str | None:
    """Remove the URL of a frame that isn't a player's."""
    return None if tag == "iframe" and name == "src" and not is_player(value) else value


def _pieces(blocks: Iterable[Block]) -> Iterator[str]:
    opened: tuple[Container, ...] = ()
    for block in blocks:
        shared = _shared(opened, block.inside)
        yield from (f"</{_CONTAINERS[it.kind]}>" for it in reversed(opened[shared:]))
        yield "\n"
        yield from map(_opening, block.inside[shared:])
        starts_item = len(block.inside) > shared and block.inside[-1].kind == "item"
        yield _block_html(block, starts_item=starts_item)
        opened = block.inside
    yield from (f"</{_CONTAINERS[it.kind]}>" for it in reversed(opened))


def _shared(one: tuple[Container, ...], other: tuple[Container, ...]) -> int:
    count = 0
    while count < min(len(one), len(other)) and one[count] == other[count]:
        count += 1
    return count


def _opening(container: Container) -> str:
    tag = _CONTAINERS[container.kind]
    return f'<{tag} start="{container.start}">' if container.start != 1 else f"<{tag}>"


def _block_html(block: Block, *, starts_item: bool) -> str:
    if block.kind == "table":
        rows = "\n".join(f"<tr>{''.join(map(_cell_html, row))}</tr>" for row in block.rows)
        return f"<table>\n{rows}\n</table>"
    if block.kind == "code":
        return f"<pre><code>{escape(block.runs[0].text, quote=False)}</code></pre>"
    if block.media:
        return _media_html(block.media)
    inner = runs_html(block.runs)
    if block.kind == "heading":
        return f"<h{block.level}>{inner}</h{block.level}>"
    if block.kind == "caption" and block.inside and block.inside[-1].kind == "figure":
        return f"<figcaption>{inner}</figcaption>"
    return inner if starts_item else f"<p>{inner}</p>"


def _media_html(media: Media) -> str:
    """Write an element that loads nothing before it is played; a link if none is safe."""
    url = escape(media.url)
    if media.type in ("video", "audio"):
        return f'<{media.type} controls preload="none" src="{url}"></{media.type}>'
    if is_player(media.url):
        return f'<iframe src="{url}"></iframe>'  # nh3 adds the sandbox
    return f'<p><a href="{url}">{MEDIA_LABEL}</a></p>'


def _cell_html(cell: Cell) -> str:
    tag = "th" if cell.is_head else "td"
    return f"<{tag}>{runs_html(cell.runs)}</{tag}>"


def runs_html(runs: Iterable[Run]) -> str:
    """Write runs as HTML; consecutive runs of one link share an element."""
    pieces = []
    for link, linked in groupby(runs, key=attrgetter("link")):
        inner = "".join(map(_run_html, linked))
        pieces.append(f'<a href="{escape(link)}">{inner}</a>' if link else inner)
    return "".join(pieces)


def _run_html(run: Run) -> str:
    if run.image:
        return f'<img src="{escape(run.image.src)}" alt="{escape(run.image.alt)}">'
    if run.text == LINE_BREAK:
        return "<br>"
    inner = escape(run.text, quote=False)
    for mark in _MARKS if run.marks else ():
        if mark in run.marks:
            inner = f"<{mark}>{inner}</{mark}>"
    return inner
