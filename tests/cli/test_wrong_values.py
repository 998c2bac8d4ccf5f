"""Every option with wrong values: one line that names it, exit code 2, nothing written.

Options are found, not listed: one that is new and takes free text fails here until its wrong values
are in the table, or it is said that it has none.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from forest_crawler import settings as own_settings
from forest_crawler.cli import main
from forest_crawler.store import open_store
from tests.support.crawl_process import Crawl

HUGE = "9" * 30
STORES = ("nonsense", "", "postgresql://h:abc/d", "mysql://h/d", "sqlite:///s.db?timeout=soon")

ANY_TEXT: tuple[str, ...] = ()
"""For options that take any text."""

OUTPUT = ("", "directory", "a\0b")
ARCHIVE = ("", "a\0b", "a.parquet.gz")
FREE_TEXT: dict[str, tuple[str, ...]] = {
    # option, or command and option where commands differ → wrong values
    "--store": STORES,
    "--store-bodies": ("", "file.txt", "a\0b"),
    "--allow-network": ("abc", "", "127.0.0.0/99", "1.2.3.4/8"),
    "--allow-port": ("abc", "", "0", "65536", "-1", "80.5", HUGE, "٣"),
    "--every": ("", "soon", "5", "59s", "8d", "-5m", HUGE),
    "--websub": ("", "gazette.example", "ftp://gazette.example/"),
    "--contact": ANY_TEXT,
    "--proxy": ("", "socks5://a:1080", "http://a:99999", "http://"),
    "--site-headers": ("missing.toml", "", "directory", "file.txt"),
    "wrappers import --site-headers": OUTPUT,
    "--cookies": ("missing.txt", "", "directory", "file.txt"),
    "--render": ("", "gazette.example/news", "http://a", "a b"),
    "--accept-language": ("", "English!", "de;q=2", "de,,en", "de\r\nX: 1"),
    "--fallback": ("nope", ""),
    "--full-text-feeds": ("file.txt",),
    "--feeds-url": ("", "rss.example", "ftp://rss.example/"),
    "--warc": ("file.txt",),
    "batch --warc": ("missing.warc", "", "directory", "a\0b"),
    "--from-warc": ("missing.warc", "", "directory"),
    "--set": ("", "=1", "NAME", "FOREST_NOPE=1"),
    "--output": OUTPUT,
    "crawl --output": ARCHIVE,
    "export --output": ARCHIVE,
    "batch --output": ("", "file.txt", "a\0b"),
    "demo --output": ("file.txt",),
    "wrappers export --output": ANY_TEXT,  # a file or a directory, by the format
    "--method": ("nope", ""),
    "--data": ("missing", ""),
    "--kind": ("nope",),
    "--outputs": ("file.txt",),
    "--report": ("", "file.txt", "a\0b"),
    "batch --wrappers": ("", "file.txt", "a\0b"),
    "--wrappers": ("missing.json", "", "directory", "file.txt"),
    "--site": ANY_TEXT,
    "--lang": ("", "English", "e", "en_GB"),
    "--since": ("", "soon", "2026-13-01"),
    "--until": ("", "soon", "2026-02-30"),
    "--url": ("", "gazette.example", "ftp://gazette.example/", "https://"),
    "--match": ("", "(", "*"),
    "--reject": ("", "[", "(?P<a"),
    "--keywords": ANY_TEXT,
    "--fields": ("nope", "title,nope"),
    "--address": ANY_TEXT,
    "--xpath": ("", "//p[", "count(//p)"),
    "--css": ("", "p["),
    "--option": ("", "nope=1", "c"),
    "--body": ("", " ", "//p[1]", "|", "not(", HUGE * 100),
    "--strip": ("", "//p[1]"),
    "--title": ("", "//p[1]", "|"),
    "--author": ("", "//p[1]"),
    "--date": ("", "//p[1]"),
    "--host": ("", "192.0.2.7", "0.0.0.0"),  # noqa: S104  others could connect, without a token
    "--token": ("", "short"),
    "--cors": ("", "reader.example", "https://reader.example/", "https://a@reader.example"),
    "publish miniflux --token": ("", " ", "a\nb"),
    "--user": ("", " "),
    "--password": ("", "a\r\nb"),
    "--labels": ("", "file.txt"),
    "--export": ("", "file.txt"),
    "--rss-bridge": ("", "nope", "ftp://bridge.example/"),
}

NEEDED: dict[str, list[str]] = {
    # what a command needs besides, so that the value is what is wrong
    "batch": ["pages.warc", "-o", "made"],
    "check": [],
    "completion": ["bash"],
    "crawl": ["http://127.0.0.1:1/", "-q"],
    "demo": [],
    "duplicates": [],
    "evaluate": ["--data", "pages", "--method", "page"],
    "export": [],
    "extract": ["--wrappers", "file.txt", "page.html"],
    "feed": ["gazette.example"],
    "induce": ["page.html"],
    "man": [],
    "package": ["made", "page.html"],
    "page": ["page.html"],
    "publish freshrss": ["--url", "http://127.0.0.1:1/", "--user", "a", "--password", "b"],
    "publish miniflux": ["--url", "http://127.0.0.1:1/", "--token", "a"],
    "serve": ["--no-browser"],
    "sources": [],
    "status": [],
    "store migrate": [],
    "store status": [],
    "store vacuum": [],
    "studio": ["--no-browser"],
    "tree": ["page.html"],
    "wrappers export": [],
    "wrappers import": ["rules.json"],
    "wrappers list": [],
    "wrappers pin": ["gazette.example"],
    "wrappers rm": ["gazette.example"],
    "wrappers show": ["gazette.example"],
}


BESIDE: dict[str, list[str]] = {
    # options without which an option means nothing
    **{
        f"wrappers pin {it}": ["--body", "//p"]
        for it in ("--strip", "--title", "--author", "--date")
    },
    "wrappers export --rss-bridge": ["--format", "rss-bridge"],
    "page --option": ["--method", "r4"],
    "crawl --feeds-url": ["--full-text-feeds", "feeds"],
    "crawl --metrics-port": ["--watch"],
    "package --limit": ["--store", "sqlite:///forest.db"],
}


def find_commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(main)
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {sub}", it) for sub, it in command.commands.items())
        else:
            yield name, command


def wrong_values(command: str, option: click.Parameter) -> tuple[str, ...]:
    name = max(option.opts, key=len)
    if isinstance(option.type, click.IntRange):
        return ("abc", "", "1.5", "0", "-1", HUGE)
    if isinstance(option.type, click.FloatRange):
        return ("abc", "", "nan", "inf", "-1", "1e999")
    if isinstance(option.type, click.Choice):
        return ("nope", "")
    return FREE_TEXT.get(f"{command} {name}", FREE_TEXT.get(name, ("",)))


CASES = [
    (command, max(option.opts, key=len), value)
    for command, made in find_commands()
    for option in made.params
    if isinstance(option, click.Option) and not option.is_flag
    for value in wrong_values(command, option)
]


@pytest.fixture
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a directory with a page, a text, a directory and a store."""
    monkeypatch.chdir(tmp_path)
    Path("page.html").write_text("<p>Rain")
    Path("file.txt").write_text("These are my notes.\n")
    Path("pages.warc").write_bytes(b"")
    Path("directory").mkdir()
    Path("pages").mkdir()
    Path("pages/a.html").write_text("<p>Rain")
    Path("pages/a.txt").write_text("Rain")
    open_store("sqlite:///forest.db").close()
    return tmp_path


def run(command: str, *arguments: str) -> Result:
    needed = [it for it in NEEDED[command] if it not in arguments]
    return CliRunner().invoke(main, [*command.split(), *needed, *arguments])


def assert_one_line(result: Result, named: str = "") -> None:
    assert result.exit_code == 2, (result.exit_code, result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("forest: ")
    assert named in result.stderr
    assert result.stdout == ""


@pytest.mark.parametrize(("command", "option", "value"), CASES)
@pytest.mark.usefixtures("directory")
def test_wrong_value_is_one_line_and_exit_code_two(command: str, option: str, value: str) -> None:
    before = sorted(Path().rglob("*"))
    given = [option, value]
    given += BESIDE.get(f"{command} {option}", [])
    assert_one_line(run(command, *given))
    assert sorted(Path().rglob("*")) == before


def test_every_command_and_every_free_text_is_in_the_table() -> None:
    assert set(NEEDED) == {command for command, _ in find_commands()}
    missing = [
        f"{command} {option.opts}"
        for command, made in find_commands()
        for option in made.params
        if isinstance(option, click.Option) and not option.is_flag
        if wrong_values(command, option) == ("",)
    ]
    assert missing == []


NUMBERS = [
    name
    for name, value in vars(own_settings).items()
    if name.isupper() and isinstance(value, int | float)
]
SETTINGS = [
    *((name, value) for name in NUMBERS for value in ("abc", "", "nan", HUGE, "-1")),
    *((name, "0") for name in ("CONCURRENT_REQUESTS", "FOREST_SITE_PAGES", "DOWNLOAD_TIMEOUT")),
    ("LOG_LEVEL", "LOUD"),
    ("DOWNLOADER_MIDDLEWARES", "abc"),
    ("ITEM_PIPELINES", "[1]"),
]
LATE_SETTINGS = [  # Scrapy reads them when the crawl begins
    ("FOREST_METHOD", "nope"),
    ("FOREST_FALLBACK", "nope"),
    ("FOREST_ALLOW_PORTS", "abc"),
    ("FOREST_ALLOW_NETWORKS", "abc"),
    ("STATS_CLASS", "no.such.Class"),
    ("REFERRER_POLICY", "nope"),
]


@pytest.mark.parametrize(("name", "value"), SETTINGS)
@pytest.mark.usefixtures("directory")
def test_wrong_value_of_a_setting_is_one_line_that_names_it(name: str, value: str) -> None:
    assert_one_line(run("crawl", "-s", f"{name}={value}"), name)


@pytest.mark.parametrize(("name", "value"), LATE_SETTINGS)
def test_setting_with_which_a_crawl_cannot_begin_is_one_line(
    tmp_path: Path, name: str, value: str
) -> None:
    result = Crawl(tmp_path, ("http://127.0.0.1:1/",)).run("-q", "-s", f"{name}={value}")
    assert (result.returncode, len(result.stderr.splitlines())) == (2, 1), result.stderr
    assert value in result.stderr
