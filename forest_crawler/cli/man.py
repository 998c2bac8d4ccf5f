"""`forest man`: the manual page, made from the commands as they are."""

from __future__ import annotations

import click

from forest_crawler.cli._man_page import write_manual
from forest_crawler.cli._terminal import echo_data
from forest_crawler.cli.main import main


@click.command()
def command() -> None:
    """Print the manual page of all commands.

    `forest man | man -l -` shows it. To have it as `man forest`, write it to
    ~/.local/share/man/man1/forest.1.
    """
    echo_data(write_manual(main))
