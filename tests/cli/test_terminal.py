"""Control characters of pages, stores and file names reach no terminal, in any command."""

from __future__ import annotations

import logging
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import forest_crawler.cli
from forest_crawler.cli import main
from forest_crawler.cli._crawl_log import JsonFormatter, LineFormatter
from forest_crawler.cli._terminal import printable
from forest_crawler.store import open_store
from forest_crawler.wrapper.wrapper import Wrapper

EVIL = "\x1b]0;owned\x07\x1b[2J\x9b2J\x9d0;owned\x9c\r\x7f"
SITE = f"gazette{EVIL}.example"
OWN_STYLES = re.compile("\x1b\\[[0-9;]*m")
CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")

STORED = {
    "check": ["check"],
    "list": ["wrappers", "list"],
    "show": ["wrappers", "show", SITE],
    "export-json": ["wrappers", "export"],
    "export-scrapy": ["wrappers", "export", "--format", "scrapy"],
    "unknown-site": ["wrappers", "show", f"other{EVIL}"],
    "feed": ["feed", f"other{EVIL}"],
    "rm": ["wrappers", "rm", f"other{EVIL}"],
}
FILES = {
    "page": ["page", "--method", "plain"],
    "page-explained": ["page", "--explain"],
    "page-figures": ["page", "--method", "cetd-ds", "--explain"],
    "tree": ["tree"],
    "induce": ["induce", "--explain"],
    "unknown-method": ["page", "--method", f"nope{EVIL}"],
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Make a store with a wrapper whose every text is hostile."""
    url = f"sqlite:///{tmp_path_factory.mktemp('store')}/forest.db"
    wrapper = Wrapper(
        site=SITE, method=f"by hand{EVIL}", form="portable", body=("//div[@id='a\x9b2J']",)
    )
    with open_store(url) as opened:
        opened.pin(SITE, wrapper)
    return url


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Write a page with control characters in its text, its names and its own name."""
    path = tmp_path / f"page{EVIL.replace('/', '')}.html"
    text = f"<p class='a{EVIL}' id='b\x9b2J'>Rain {EVIL} and fog, said the mayor on Monday. " * 9
    path.write_text(f"<html><title>{EVIL}</title><body>{text}</body></html>")
    return path


@pytest.mark.parametrize("name", STORED)
def test_nothing_of_a_store_is_shown_raw(name: str, store: str) -> None:
    result = CliRunner().invoke(main, [*STORED[name], "--store", store])
    assert isinstance(result.exception, SystemExit | None)
    assert result.output
    assert CONTROLS.findall(result.output) == []


@pytest.mark.parametrize("name", ["wrappers list", "wrappers export --format fivefilters"])
def test_terminal_gets_no_escapes_but_our_own_styles(name: str, store: str) -> None:
    shown = run_on_terminal([*name.split(), "--store", store])
    assert "gazette" in shown
    assert CONTROLS.findall(OWN_STYLES.sub("", shown)) == []


def test_file_gets_the_data_as_they_are(store: str) -> None:
    arguments = ["wrappers", "export", "--format", "fivefilters", "--store", store]
    assert "body: //div[@id='a\x9b2J']" in CliRunner().invoke(main, arguments).stdout


@pytest.mark.parametrize("name", FILES)
def test_nothing_of_a_page_is_shown_raw(name: str, page: Path) -> None:
    result = CliRunner().invoke(main, [*FILES[name], str(page)])
    assert isinstance(result.exception, SystemExit | None)
    assert result.output
    assert CONTROLS.findall(result.output) == []


def test_log_has_no_control_characters() -> None:
    record = logging.LogRecord("n", logging.ERROR, "", 0, f"http://x/{EVIL}", None, None)
    assert CONTROLS.findall(LineFormatter().format(record)) == []


@pytest.mark.parametrize("formatter", [LineFormatter(), JsonFormatter()], ids=["lines", "json"])
def test_log_has_no_login_of_a_url(formatter: logging.Formatter) -> None:
    error = ValueError("no feed at https://bo:pony@b.example/feed")
    args = ("https://ann:horse@a.example/feed",)
    record = logging.LogRecord("n", logging.ERROR, "", 0, "%s", args, (ValueError, error, None))
    shown = formatter.format(record)
    assert "https://ann:***@a.example/feed" in shown
    assert "https://bo:***@b.example/feed" in shown
    assert "horse" not in shown
    assert "pony" not in shown


def test_tabs_and_line_feeds_stay() -> None:
    assert printable("a\tb\nc") == "a\tb\nc"


def test_commands_write_through_one_module_only() -> None:
    raw = re.compile(r"click\.(?:se)?echo\(|\bConsole\(|\bprint\(|sys\.stdout\.")
    modules = Path(forest_crawler.cli.__file__).parent.glob("*.py")
    allowed = re.compile(r"\.print\(|>>> print\(")  # a console's, and examples in docstrings
    found = {path.name for path in modules if raw.search(allowed.sub("", path.read_text()))}
    assert found == {"_terminal.py", "_messages.py"}


def run_on_terminal(arguments: list[str]) -> str:
    """Run a command whose stdout and stderr are a terminal; return what it shows."""
    terminal, its_end = pty.openpty()
    command = [sys.executable, "-m", "forest_crawler", *arguments]
    with subprocess.Popen(command, stdout=its_end, stderr=its_end) as process:
        os.close(its_end)
        pieces = []
        try:
            while piece := os.read(terminal, 65536):
                pieces.append(piece)
        except OSError:  # the command has ended
            pass
        finally:
            os.close(terminal)
    assert process.returncode in (0, 1, 2, 3)
    return b"".join(pieces).decode().replace("\r\n", "\n")
