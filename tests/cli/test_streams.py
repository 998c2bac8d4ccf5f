"""Standard streams that are full, closed or endless: one line, an exit code, no device replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import _files, main
from forest_crawler.datasets import json_fields, labelled_pages
from forest_crawler.export.whole_file import find_target, replace_file
from forest_crawler.store import open_store
from tests.cli.test_outputs import archive

FULL = Path("/dev/full")
COMMANDS = (["--help"], ["export"], ["status"])


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    """Make a directory with a store of one article, and a page."""
    with open_store(f"sqlite:///{tmp_path}/forest.db") as store:
        archive(store, "one")
    (tmp_path / "page.html").write_text("<p>Rain")
    return tmp_path


def run(
    directory: Path, arguments: list[str], stdout: int, prepare: Callable[[], None] | None = None
) -> tuple[int, str]:
    command = [sys.executable, "-m", "forest_crawler", *arguments]
    done = subprocess.run(
        command, cwd=directory, stdout=stdout, stderr=subprocess.PIPE, text=True,
        preexec_fn=prepare, check=False,
    )  # fmt: skip
    return done.returncode, done.stderr


@pytest.mark.skipif(not FULL.is_char_device(), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_full_stdout_is_one_line(arguments: list[str], directory: Path) -> None:
    with FULL.open("wb") as full:
        code, shown = run(directory, arguments, full.fileno())
    assert (code, len(shown.splitlines())) == (4, 1), shown
    assert shown.startswith("forest: standard output cannot be written: No space left")


@pytest.mark.parametrize(
    ("encoding", "expected"),
    [("latin-1", b"\\u96e8 \xe9t\xe9\n"), ("utf-8", "雨 été\n".encode())],
    ids=["latin-1", "utf-8"],
)
def test_characters_that_stdout_cannot_encode_are_escaped(encoding: str, expected: bytes) -> None:
    command = [sys.executable, "-m", "forest_crawler", "page", "--method", "plain", "-"]
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    page = "<meta charset=utf-8><p>雨 été".encode()
    done = subprocess.run(command, input=page, capture_output=True, env=environment, check=False)
    assert (done.returncode, done.stdout) == (0, expected), done.stderr


def test_wrong_usage_of_the_module_names_the_command_that_helps(directory: Path) -> None:
    code, shown = run(directory, ["wrappers", "show"], subprocess.DEVNULL)
    assert (code, shown.partition("; ")[2]) == (2, "see `forest wrappers show --help`\n")


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_closed_stdout_is_one_line_and_no_file_gets_its_number(
    arguments: list[str], directory: Path
) -> None:
    before = (directory / "forest.db").read_bytes()
    code, shown = run(directory, arguments, subprocess.DEVNULL, lambda: os.close(1))
    assert (code, len(shown.splitlines())) == (4, 1), shown
    assert (directory / "forest.db").read_bytes() == before


def test_reader_that_leaves_is_no_error(directory: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code, shown = run(directory, ["export"], writing)
    os.close(writing)
    assert (code, shown) == (1, "")


@pytest.mark.parametrize("command", ["status", "crawl http://127.0.0.1:1/"])
def test_directory_that_is_gone_is_one_line(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    result = CliRunner().invoke(main, command.split())
    assert result.exit_code == 4, (result.output, result.exception)
    assert result.stderr == "forest: the current directory was removed; change to another one\n"


@pytest.mark.parametrize("command", [["export"], ["feed", "gazette.example"]])
def test_device_is_not_replaced_by_a_file(
    command: list[str], directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(directory)
    os.mkfifo("pipe")
    before = sorted(Path().iterdir())
    result = CliRunner().invoke(main, [*command, "-o", "pipe"])
    assert (result.exit_code, len(result.stderr.splitlines())) == (4, 1)
    assert "it isn't a regular file" in result.stderr
    assert Path("pipe").is_fifo()
    assert sorted(Path().iterdir()) == before


def test_link_that_a_user_names_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    replace_file(find_target(tmp_path / "link"), b"Rain")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_bytes() == b"Rain"


@pytest.mark.parametrize("command", ["page", "tree", "induce"])
@pytest.mark.parametrize("name", ["/dev/zero", "page.html"])
def test_endless_input_is_refused(
    command: str, name: str, directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(directory)
    monkeypatch.setattr(_files, "MAX_FILE_SIZE", 6)
    monkeypatch.setattr(json_fields, "MAX_FILE_SIZE", 6)
    monkeypatch.setattr(labelled_pages, "MAX_LINE", 6)
    result = CliRunner().invoke(main, [command, name])
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "6 bytes" in result.stderr


def test_endless_pipe_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labelled_pages, "MAX_STREAM", 6)
    result = CliRunner().invoke(main, ["page", "-"], input="<p>Rain")
    assert (result.exit_code, len(result.stderr.splitlines())) == (2, 1)
    assert "longer than 6 bytes" in result.stderr
