"""Show a progress bar on stderr, on a terminal only."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TypeVar

from rich.console import Console
from rich.progress import track

_T = TypeVar("_T")


def show_progress(items: Collection[_T], title: str, console: Console) -> Iterable[_T]:
    """Iterate over items, with a bar if there are several and this is a terminal."""
    if len(items) < 2 or not console.is_terminal:
        return items
    return track(items, title, total=len(items), console=console, transient=True)
