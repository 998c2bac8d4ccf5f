"""What reaches a terminal: no control character of a page, a feed, a store or a file's name.

ESC and the C1 controls begin commands: to rename the window, to write elsewhere, with some
terminals to type. Only our own styles may use them.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable

import click
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.segment import Segment

_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and line feed


def printable(text: str) -> str:
    """Replace control characters except tabs and line feeds.

    >>> printable("Rain\\x1b[2J and\\tfog")
    'Rain\ufffd[2J and\\tfog'
    """
    return _CONTROLS.sub("\ufffd", text)


def echo(text: str) -> None:
    """Write a line of text to stdout, for people."""
    click.echo(printable(text))


def echo_data(data: str | bytes) -> None:
    """Write data to stdout as it is, unless stdout is a terminal."""
    if sys.stdout.isatty():
        shown = data if isinstance(data, str) else data.decode("utf-8", "replace")
        click.echo(printable(shown), nl=False)
    else:
        click.echo(data, nl=False)


def make_console(*, stderr: bool = False, soft_wrap: bool = False) -> Console:
    """Make a console that styles what is printed, and prints no control character in it."""
    console = Console(stderr=stderr, soft_wrap=soft_wrap)
    console.push_render_hook(_PrintableHook())
    return console


class _PrintableHook(RenderHook):
    """Wraps everything that a console prints."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Printable(it) for it in renderables]


class _Printable:
    """Something to print, without the control characters of its texts."""

    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from _clean(console.render(self._renderable, options))


def _clean(segments: Iterable[Segment]) -> Iterable[Segment]:
    for segment in segments:
        if segment.control:
            yield segment
        else:
            yield Segment(printable(segment.text), segment.style)
