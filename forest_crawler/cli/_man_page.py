"""Write click commands as a manual page in roff."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version

import click

from forest_crawler.cli._command_groups import GROUPS, OTHERS, SUMMARIES

_EXIT_CODES = (
    ("0", "Done."),
    ("1", "Some pages, sources or sites failed."),
    ("2", "Wrong usage, or unusable input."),
    ("3", "Nothing was extracted."),
    ("4", "Trouble with store or disk, or lost workers."),
    ("130", "Interrupted; the next run continues."),
)
_SEE = "The documents in docs/ of the project: tutorial, how-to, reference, explanation."


def write_manual(group: click.Group, name: str = "forest") -> str:
    """Return the manual page of a group of commands.

    >>> @click.group()
    ... def sail(): "Sail."
    >>> @sail.command()
    ... @click.option("--wind", metavar="N", help="Its force.")
    ... def home(wind): "Sail home."
    >>> print(write_manual(sail, "sail").partition(".SS ")[2])
    sail home [OPTIONS]
    Sail home.
    .TP
    \\fB\\-\\-wind\\fR \\fIN\\fR
    Its force.
    .SH EXIT STATUS
    ...
    """
    context = click.Context(group, info_name=name)
    lines = [
        f'.TH "{name.upper()}" "1" "" "forest-crawler {version("forest-crawler")}"',
        *(".ad l", ".nh"),  # lines are neither justified nor hyphenated
        *(".SH NAME", f"{name} \\- {_first_sentence(group)}"),
        *(".SH SYNOPSIS", f"\\fB{name}\\fR COMMAND [OPTIONS] [ARGUMENTS]"),
        *(".SH DESCRIPTION", *_paragraphs(group.help or "")),
        *_write_commands(group, context),
        *(".SH EXIT STATUS", *_write_terms(_EXIT_CODES)),
        *(".SH SEE ALSO", _escape(_SEE)),
    ]
    return "\n".join(lines) + "\n"


def _write_commands(group: click.Group, context: click.Context) -> Iterator[str]:
    names = group.list_commands(context)
    listed = {title: [it for it in rows if it in names] for title, rows in GROUPS.items()}
    listed[OTHERS] = [name for name in names if name not in SUMMARIES]
    for title, some in listed.items():
        if some:
            yield f".SH {_escape(title.upper())}"
        for name in some:
            command = group.get_command(context, name)
            if command is not None:
                yield from _write_command(command, click.Context(command, context, info_name=name))


def _write_command(command: click.Command, context: click.Context) -> Iterator[str]:
    usage = " ".join(command.collect_usage_pieces(context))
    yield f".SS {_escape(f'{context.command_path} {usage}')}"
    yield from _paragraphs(command.help or "")
    for option in command.get_params(context):
        record = option.get_help_record(context)
        if record is not None and "--help" not in option.opts:
            yield from (".TP", _mark_option(record[0]), _escape(_join(record[1])))
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            if inner is not None:
                yield from _write_command(inner, click.Context(inner, context, info_name=name))


def _write_terms(rows: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for term, text in rows:
        yield from (".TP", f"\\fB{term}\\fR", _escape(text))


def _mark_option(text: str) -> str:
    """Set names in bold, and values in italics."""
    escaped = _escape(text)
    bold = re.sub(r"(?<![\w-])((?:\\-){1,2}[A-Za-z][A-Za-z\\-]*)", r"\\fB\1\\fR", escaped)
    head, _, value = bold.rpartition(" ")
    return f"{head} \\fI{value}\\fR" if head and not value.startswith("\\fB") else bold


def _paragraphs(text: str) -> Iterator[str]:
    for number, paragraph in enumerate(re.split(r"\n\s*\n", text.strip())):
        if number:
            yield ".PP"
        yield _escape(_join(paragraph.removeprefix("\b")))


def _first_sentence(group: click.Group) -> str:
    sentence = (group.help or "").strip().split("\n\n")[0]
    return _escape(_join(sentence).rstrip("."))


def _join(text: str) -> str:
    return " ".join(text.split())


def _escape(text: str) -> str:
    """Escape what roff would read as a command."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    escaped = escaped.replace("|", "|\\:")  # where a line may break
    return f"\\&{escaped}" if escaped.startswith((".", "'")) else escaped
