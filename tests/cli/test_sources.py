"""`forest sources` shows how the polls of every source end, in plain words."""

from __future__ import annotations

import json
import time
from io import StringIO

import pytest
from click.testing import CliRunner
from rich.console import Console

from forest_crawler.cli import main
from forest_crawler.cli.sources import show_sources
from forest_crawler.crawl.poll_words import describe_status
from forest_crawler.store import Source, open_store

GOOD, DEAD, GONE, FRESH = (f"https://{name}.example/" for name in ("good", "dead", "gone", "fresh"))


@pytest.fixture
def url(store_url: str) -> str:
    now = time.time()
    polls = {
        GOOD: {"status": "ok", "feed_url": f"{GOOD}feed", "entries": 20, "new": 3, "failures": 0},
        DEAD: {"status": "unknown-host", "failures": 4, "new": 0},
        GONE: {"status": "gone", "disabled": True},
        FRESH: {},
    }
    with open_store(store_url) as store:
        for source, changes in polls.items():
            number = store.add_source(source).id
            if changes:
                times = {"last_poll": now - 7300, "next_poll": now + 7300}
                store.update_source(number, **times, **changes)
    return store_url


def list_sources(url: str, *arguments: str) -> list[dict[str, object]]:
    result = CliRunner().invoke(main, ["sources", "--store", url, "--json", *arguments])
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_source_has_its_feed_and_polls(url: str) -> None:
    good, dead, gone, fresh = list_sources(url)
    assert (good["feed"], good["entries"], good["new"]) == (f"{GOOD}feed", 20, 3)
    assert (dead["status"], dead["label"], dead["failures"]) == ("unknown host", "unknown-host", 4)
    assert (gone["status"], gone["next_poll"], gone["gone"]) == (
        "gone for good (HTTP 410)",
        None,
        True,
    )
    assert (fresh["status"], fresh["last_poll"]) == ("not polled yet", None)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--failing"], [DEAD, GONE]),
        (["--due"], [FRESH]),
        (["--sort", "failures"], [GONE, DEAD, GOOD, FRESH]),
        (["--sort", "url", "--failing"], [DEAD, GONE]),
        (["--sort", "new"], [GOOD, DEAD, GONE, FRESH]),
    ],
    ids=" ".join,
)
def test_sources_are_filtered_and_sorted(
    url: str, arguments: list[str], expected: list[str]
) -> None:
    assert [row["url"] for row in list_sources(url, *arguments)] == expected


def test_table_shows_times_and_counts_the_failing(url: str) -> None:
    result = CliRunner(env={"COLUMNS": "160"}).invoke(main, ["sources", "--store", url])
    rows = {line.split()[0]: line for line in result.stdout.splitlines() if line.strip()}
    assert rows[DEAD].split()[1:] == "2 h ago in 2 h – 0 4 unknown host".split()
    assert "never" in rows[GONE]
    assert "4 sources, 2 failing" in result.stderr


LONG = f"https://news.example/{'category/' * 12}feed.xml"


def test_a_pipe_gets_every_url_in_one_piece(url: str) -> None:
    with open_store(url) as store:
        store.add_source(LONG)
    result = CliRunner(env={"COLUMNS": "80"}).invoke(main, ["sources", "--store", url])
    assert LONG in result.stdout


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (80, f"{GOOD}\n  read, 1 entry, 1 new; last poll 2 min ago, next poll in 2 min\n"),
        (120, f"{GOOD}   2 min ago  in 2 min        1    1         0  read"),
    ],
    ids=["narrow", "wide"],
)
def test_a_terminal_too_narrow_for_the_table_gets_two_lines_per_source(
    width: int, expected: str
) -> None:
    good = Source(1, GOOD, status="ok", entries=1, new=1, last_poll=1000.0, next_poll=1240.0)
    dead = Source(2, LONG[:60], status="http-404", failures=1, last_poll=1000.0, next_poll=1240.0)
    console = Console(width=width, file=StringIO(), force_terminal=True, color_system=None)
    show_sources([good, dead], 1120.0, console)
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert " ".join(expected.split()) in " ".join(shown.split())
    assert LONG[:60] in shown


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("http-500", "HTTP 500"),
        ("robots-http-500", "robots.txt: HTTP 500"),
        ("connection-refused", "connection refused"),
        ("robots-too-large", "robots.txt: too large"),
        ("robots", "forbidden by robots.txt"),
        ("not a feed", "not a feed"),
    ],
)
def test_status_is_in_plain_words(label: str, words: str) -> None:
    assert describe_status(Source(1, GOOD, status=label)) == words
