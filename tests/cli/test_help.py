"""Help, completion and manual have every command, and cost no imports."""

from __future__ import annotations

import shutil
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.cli._command_groups import GROUPS, SUMMARIES
from tests.cli.test_wrong_values import find_commands

HEAVY = {
    "lxml",
    "nltk",
    "numpy",
    "rich",
    "scrapy",
    "sklearn",
    "sqlalchemy",
    "twisted",
    "tldextract",
}


def imported_by(code: str, environment: dict[str, str] | None = None) -> set[str]:
    """The heavy packages that a new process imports for some code."""
    script = (
        f"import sys\ntry:\n    {code}\nexcept SystemExit: pass\n"
        f"print('imported', *({HEAVY!r} & sys.modules.keys()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return set(done.stdout.splitlines()[-1].split()) - {"imported"}


@pytest.mark.parametrize(
    ("code", "environment"),
    [
        ("import forest_crawler", None),
        ("from forest_crawler.cli import main; main(['--help'])", None),
        ("from forest_crawler.cli import main; main(['crwal'])", None),
        (
            "from forest_crawler.cli import main; main([], 'forest')",
            {"_FOREST_COMPLETE": "bash_complete", "COMP_WORDS": "forest s", "COMP_CWORD": "1"},
        ),
    ],
    ids=["package", "help", "typing-error", "completion"],
)
def test_starting_imports_nothing_heavy(code: str, environment: dict[str, str] | None) -> None:
    assert imported_by(code, environment) == set()


def test_the_check_of_imports_can_fail() -> None:
    assert imported_by("import lxml.html") == {"lxml"}


def test_every_command_is_in_one_group_with_its_own_first_sentence() -> None:
    context = click.Context(main)
    assert sorted(name for group in GROUPS.values() for name in group) == main.list_commands(
        context
    )
    for name, sentence in SUMMARIES.items():
        command = main.get_command(context, name)
        assert command is not None
        assert " ".join((command.help or "").split("\n\n")[0].split()) == sentence
        assert sentence.endswith(".")
    assert len({*SUMMARIES.values()}) == len(SUMMARIES)


def test_help_is_grouped_by_task_in_whole_sentences() -> None:
    shown = CliRunner().invoke(main, ["--help"], env={"COLUMNS": "100"}).stdout
    assert "\nCrawl:\n  crawl       Crawl feeds and sites into an archive of articles.\n" in shown
    assert "..." not in shown.partition("Options:")[2]
    assert [shown.index(f"\n{title}:") for title in GROUPS] == sorted(
        shown.index(f"\n{title}:") for title in GROUPS
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_of_the_shell(shell: str) -> None:
    result = CliRunner().invoke(main, ["completion", shell])
    assert result.exit_code == 0
    assert f"_FOREST_COMPLETE={shell}_complete" in result.stdout
    if program := shutil.which(shell):
        subprocess.run([program, "-n"], input=result.stdout, text=True, check=True)


def test_the_completion_of_a_command_has_its_summary() -> None:
    found = main.shell_complete(click.Context(main), "wra")
    assert [(it.value, it.help) for it in found] == [("wrappers", SUMMARIES["wrappers"])]


def test_the_manual_has_every_command_and_option() -> None:
    shown = CliRunner().invoke(main, ["man"]).stdout
    for name, command in find_commands():
        assert f"\n.SS forest {name} " in shown.replace("\\-", "-")
        for option in command.params:
            if isinstance(option, click.Option):
                assert max(option.opts, key=len) in shown.replace("\\-", "-")
    if shutil.which("groff"):
        form = ["groff", "-man", "-Tutf8", "-ww"]
        done = subprocess.run(form, input=shown, text=True, capture_output=True, check=True)
        assert done.stderr == ""
        assert "Crawl feeds and sites into an archive of articles." in done.stdout
