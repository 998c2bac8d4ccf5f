"""Examples in the documents run, and print what the documents say.

Three kinds of fenced blocks are run, in a directory that looks like the checkout:

- `python` with prompts: a doctest;
- `python` without: a script, whose output is the `text` block that follows;
- `console`: lines after `$ forest` are commands, what follows them is their output; lines that
  start with `$` and something else are not run.

`...` stands for anything. `python tests/test_documents.py` (`make docs`) writes the outputs anew.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from scrapy.settings import default_settings

from forest_crawler import settings
from forest_crawler.cli import main

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def path_in_checkout(path: Path) -> str:
    return str(path.relative_to(ROOT))


_BLOCK = re.compile(r"^```(python|console|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@contextlib.contextmanager
def checkout_twin() -> Iterator[None]:
    """Stand in a new directory that has the checkout's `data`; what is written there is lost."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "data").symlink_to(ROOT / "data")
        os.chdir(directory)
        try:
            yield
        finally:
            os.chdir(before)


def refresh(text: str) -> str:
    """A document with the outputs of its examples as they are now."""
    blocks = list(_BLOCK.finditer(text))
    pieces, position, printed = [], 0, None
    for block in blocks:
        kind, body = block.groups()
        if kind == "text" and printed is not None:
            body = keep_if_equal(body, printed)
        elif kind == "console":
            body = refresh_console(body)
        printed = run_script(body) if kind == "python" and ">>>" not in body else None
        pieces += [text[position : block.start()], f"```{kind}\n{body}```"]
        position = block.end()
    return "".join([*pieces, text[position:]])


def refresh_console(body: str) -> str:
    made = []
    for part in re.split(r"^(?=\$ )", body, flags=re.MULTILINE):
        command, _, expected = part.partition("\n")
        made.append(f"{command}\n" if command else "")
        made.append(keep_if_equal(expected, run_command(command)) if command else expected)
    return "".join(made)


def keep_if_equal(expected: str, actual: str) -> str:
    """The expected output, with its ellipses, where it is still true."""
    if doctest.OutputChecker().check_output(expected, actual, _FLAGS):
        return expected
    return "".join(f"{line.rstrip()}\n" for line in actual.splitlines())


def run_command(command: str) -> str:
    words = shlex.split(command.removeprefix("$ "), comments=True)
    if words[0] != "forest":
        return ""
    return CliRunner().invoke(main, words[1:], env={"COLUMNS": "80"}).output


def run_script(source: str) -> str:
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(source, "<document>", "exec"), {"__name__": "__main__"})  # noqa: S102
    return output.getvalue()


@pytest.mark.parametrize("document", DOCUMENTS, ids=path_in_checkout)
def test_outputs_in_the_documents_are_what_comes_out(document: Path) -> None:
    with checkout_twin():
        text = document.read_text()
        assert refresh(text) == text, "run `make docs`, and read what changed"


@pytest.mark.parametrize("document", DOCUMENTS, ids=path_in_checkout)
def test_sessions_in_the_documents_run(document: Path) -> None:
    session = "\n".join(
        body for kind, body in _BLOCK.findall(document.read_text()) if ">>>" in body
    )
    test = doctest.DocTestParser().get_doctest(session, {}, document.name, str(document), 0)
    report: list[str] = []
    with checkout_twin():
        doctest.DocTestRunner(optionflags=_FLAGS).run(test, out=report.append)
    assert not report, "".join(report)


def test_reference_of_commands_is_generated_from_all_of_them() -> None:
    reference = (ROOT / "docs" / "reference" / "commands.md").read_text()
    assert "::: mkdocs-click\n    :module: forest_crawler.cli\n    :command: main\n" in reference
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        assert command.name == name  # what the generator calls it
        assert command.help


def read_table(heading: str) -> dict[str, list[str]]:
    """The rows below a heading of the page of settings, by the setting's name."""
    page = (ROOT / "docs" / "reference" / "settings.md").read_text()
    section = page.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = [line.strip("| ").split(" | ") for line in section.splitlines() if "| `" in line]
    return {row[0].strip("`"): row[1:] for row in cells}


def is_simple(value: object) -> bool:
    return value == [] or value is None or isinstance(value, bool | int | float | str)


def test_page_of_settings_has_every_setting_of_ours_with_its_default() -> None:
    rows = read_table("Settings of forest-crawler")
    ours = {name: value for name, value in vars(settings).items() if name.startswith("FOREST_")}
    assert rows.keys() == ours.keys()
    assert {name: row[0] for name, row in rows.items()} == {
        name: f"`{value!r}`" for name, value in ours.items()
    }


def test_page_of_settings_has_every_scrapy_setting_that_we_change() -> None:
    rows = read_table("Scrapy settings that differ")
    ours = {
        name: value
        for name, value in vars(settings).items()
        if name.isupper() and not name.startswith("FOREST_")
    }
    assert rows.keys() == ours.keys()
    for name, (before, here, *_) in rows.items():
        default = getattr(default_settings, name)
        assert ours[name] != default, name
        if is_simple(ours[name]) and "VERSION" not in here:
            assert (before, here) == (f"`{default!r}`", f"`{ours[name]!r}`")


def test_page_of_extras_has_every_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    page = (ROOT / "docs/reference/extras.md").read_text()
    cells = re.findall(r"^\| (`[^|]+) \|", page, re.MULTILINE)
    named = [name for cell in cells for name in re.findall(r"`([\w-]+)`", cell)]
    assert sorted(named) == sorted(project["optional-dependencies"])


def test_citation_and_changelog_name_released_versions() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    releases = re.findall(
        r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$",
        (ROOT / "CHANGELOG.md").read_text(),
        re.MULTILINE,
    )
    citation = (ROOT / "CITATION.cff").read_text()
    version, date = releases[0]
    assert version == project["version"]
    assert f"\nversion: {version}\ndate-released: {date}\n" in citation


def test_changed_output_is_noticed() -> None:
    text = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n"
    assert refresh(text) == text.replace("3", "2")


def test_changed_command_output_is_noticed() -> None:
    text = "```console\n$ forest tree nowhere\nall is well\n```\n"
    assert "no such file" in refresh(text)


@pytest.mark.parametrize("document", DOCUMENTS, ids=path_in_checkout)
def test_links_between_documents_lead_somewhere(document: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", document.read_text())
    assert [link for link in links if not (document.parent / link).exists()] == []


if __name__ == "__main__":
    for path in DOCUMENTS:
        with checkout_twin():
            path.write_text(refresh(path.read_text()))
