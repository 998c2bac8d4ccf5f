"""The command `forest`: find its subcommands, and turn errors into exit codes.

Each module of this package with a click command named `command` is a subcommand; a new one is a new
file. Modules whose names start with `_` aren't subcommands.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import IO, Any

import click
from click.shell_completion import CompletionItem

from forest_crawler.cli._command_groups import GROUPS, OTHERS, SUMMARIES
from forest_crawler.cli._messages import say, suggest_name
from forest_crawler.cli._streams import (
    EXIT_UNWRITABLE,
    escape_unencodable,
    named_lost_directory,
    named_stdout_errors,
    occupy_closed_streams,
)
from forest_crawler.errors import FatalError, ForestError

EXIT_SOME_FAILED = 1
EXIT_USAGE = 2
EXIT_NOTHING = 3
EXIT_STORE = EXIT_UNWRITABLE
EXIT_INTERRUPTED = 130

_NOT_COMMANDS = {"main", "__main__"}


class _UsageError(click.ClickException):
    """Wrong usage, in one line."""

    exit_code = EXIT_USAGE

    def __init__(self, err: click.UsageError) -> None:
        command = _subcommand(err.ctx) if err.ctx else ""
        shown = " ".join(err.format_message().split()).rstrip(".")
        super().__init__(f"{shown}; see `{f'forest {command}'.strip()} --help`")

    def show(self, file: IO[Any] | None = None) -> None:
        """Write the message as every other one."""
        say(self.message)


def _subcommand(ctx: click.Context) -> str:
    """Name the command without the program's name, which may be `python -m forest_crawler`."""
    return ctx.command_path.removeprefix(ctx.find_root().command_path).strip()


class _Commands(click.Group):
    """Finds subcommands by module name, and imports only the one that runs."""

    def main(self, *args: Any, **extra: Any) -> Any:
        occupy_closed_streams()
        escape_unencodable()
        with named_stdout_errors(), named_lost_directory():
            return super().main(*args, **extra)

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as err:
            raise _UsageError(err) from err

    def list_commands(self, ctx: click.Context) -> list[str]:
        package = importlib.import_module("forest_crawler.cli")
        names = (module.name for module in pkgutil.iter_modules(package.__path__))
        return sorted(name for name in names if name not in _NOT_COMMANDS and name[0] != "_")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module: Any = importlib.import_module(f"forest_crawler.cli.{cmd_name}")
        command: click.Command = module.command
        command.name = cmd_name  # all functions are named `command`; the reference shows this
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        width = max(map(len, names))
        for title, group in GROUPS.items():
            rows = [(name.ljust(width), text) for name, text in group.items() if name in names]
            self._write_section(formatter, title, rows)
        others = [(name, self._summary(ctx, name)) for name in names if name not in SUMMARIES]
        self._write_section(formatter, OTHERS, others)

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._summary(ctx, name)) for name in names]
        return found + click.Command.shell_complete(self, ctx, incomplete)

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = None if name in SUMMARIES else self.get_command(ctx, name)
        return command.get_short_help_str(100) if command else SUMMARIES.get(name, "")

    def _write_section(
        self, formatter: click.HelpFormatter, title: str, rows: list[tuple[str, str]]
    ) -> None:
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        known = self.list_commands(ctx)
        if args and args[0][:1] != "-" and args[0] not in known:
            wrong = args[0]
            ctx.fail(f"No such command {wrong!r}{suggest_name(wrong, known)}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as err:
            raise _UsageError(err) from err
        except ForestError as err:
            say(str(err))
            sys.exit(EXIT_STORE if isinstance(err, FatalError) else EXIT_USAGE)
        except KeyboardInterrupt:
            say("interrupted")
            sys.exit(EXIT_INTERRUPTED)


@click.command(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="forest-crawler", prog_name="forest")
def main() -> None:
    """Turn feeds into clean articles and per-site XPath wrappers.

    `forest COMMAND --help` explains a command and its options.

    Exit codes: 0 done, 1 some failed, 2 wrong usage or unusable input, 3 nothing extracted,
    4 store or disk trouble or lost workers, 130 interrupted.
    """
