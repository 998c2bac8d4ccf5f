"""The options for the content of articles, which several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


def form_options(command: Command) -> Command:
    """Add `--with-title` and `--no-captions` to a command."""
    with_title = click.option(
        "--with-title", is_flag=True, help="Begin text, HTML and Markdown with the headline."
    )
    no_captions = click.option(
        "--no-captions", is_flag=True, help="Leave the captions of pictures out of all three."
    )
    return with_title(no_captions(command))
