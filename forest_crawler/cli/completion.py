"""`forest completion`: the script by which a shell completes our commands and options."""

from __future__ import annotations

import click
from click.shell_completion import ShellComplete, get_completion_class

from forest_crawler.cli._terminal import echo_data
from forest_crawler.cli.main import main

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print the script that lets a shell complete commands and options.

    For bash, add `eval "$(forest completion bash)"` to ~/.bashrc; for zsh, the same with zsh to
    ~/.zshrc; for fish, write it to ~/.config/fish/completions/forest.fish.
    """
    kind = get_completion_class(shell)
    if kind is None:
        raise click.BadParameter(f"click knows no {shell}", param_hint="SHELL")
    # Not the method of the class itself: that of bash starts a bash, to look at its version.
    echo_data(ShellComplete.source(kind(main, {}, "forest", "_FOREST_COMPLETE")))
