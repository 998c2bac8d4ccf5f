"""`forest status` counts what a store holds, for people, programs and Prometheus."""

from __future__ import annotations

import json
import time
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.cli._prometheus import status_metrics, write_metrics
from forest_crawler.cli._store_status import read_status
from forest_crawler.store import open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.store_builders import FakeClock, archive_held, candidate, fetch, schedule

SITE, OTHER = "gazette.example", "herald.example"
NOON = datetime(2026, 3, 5, 12, tzinfo=UTC).timestamp()
DAY = 86_400.0
ODD = 'say "no"\\\n'


@pytest.fixture
def url(store_url: str) -> str:
    """Fill a store: two articles two days before, one today, and three pages besides."""
    clock = FakeClock(NOON - 2 * DAY)
    with open_store(store_url, now=clock) as store:
        read, failing, _ = (store.add_source(f"https://{name}.example/").id for name in "abc")
        store.update_source(read, status="ok")
        store.update_source(failing, failures=2)
        for names in (["1", "2"], ["3"]):
            schedule(store, names)
            fetch(store)
            archive_held(store)
            clock.time = NOON
        schedule(store, ["4", "5"], OTHER)
        store.skip(candidate("4", OTHER).key, ODD)
        store.fail(candidate("5", OTHER).key, "http-500")
        clock.time = NOON - 600
        schedule(store, ["6"], OTHER)
        (lease,) = store.lease(1)
        store.retry(lease.key, "teaser", NOON + 900)
        found = [Wrapper(SITE, "forest", "portable", ("//p",), confidence=c) for c in (0.95, 0.6)]
        store.replace_wrappers(SITE, found, "test")
        store.record_fits({SITE: [True, False, False, False]})
    return store_url


def run_status(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["status", "--store", url, *arguments])


def test_status_counts_what_the_store_holds(url: str) -> None:
    with open_store(url) as store:
        status = read_status(store, NOON)
    assert status.sources == {"failing": 1, "read": 1, "unpolled": 1}
    assert (status.sites, status.articles) == (2, 3)
    assert status.pages == {"done": 3, "failed": 1, "new": 1, "skipped": 1}
    assert (status.skipped, status.failed) == ({ODD: 1}, {"http-500": 1})
    assert status.postponed == {"teaser": 1}
    days = {f"2026-0{day}": 0 for day in ("2-27", "2-28", "3-01", "3-02", "3-03", "3-04", "3-05")}
    assert status.articles_per_day == days | {"2026-03-03": 2, "2026-03-05": 1}
    assert status.wrappers == {"0.5-0.8": 1, "0.9-1": 1}
    assert (status.drifted, status.queue_age) == ([SITE], 600.0)


def test_metrics_have_help_and_type_and_escaped_labels(url: str) -> None:
    with open_store(url) as store:
        lines = write_metrics(status_metrics(read_status(store, NOON))).splitlines()
    assert 'forest_skipped_pages{reason="say \\"no\\"\\\\\\n"} 1' in lines
    assert 'forest_pages{state="done"} 3' in lines
    assert 'forest_postponed_pages{reason="teaser"} 1' in lines
    assert "forest_queue_age_seconds 600.0" in lines
    assert "forest_articles_today 1" in lines
    samples = {line.partition("{")[0].partition(" ")[0] for line in lines if line[0] != "#"}
    for name in samples:
        at = lines.index(f"# TYPE {name} gauge")
        assert lines[at - 1].startswith(f"# HELP {name} ")
        assert lines[at + 1].startswith(name)


def test_command_prints_text_json_and_metrics(url: str) -> None:
    shown = run_status(url)
    assert shown.exit_code == 0, shown.output
    rows = dict(line.split(":", 1) for line in shown.stdout.splitlines() if ":" in line)
    assert rows["pages"].strip() == "done 3, failed 1, new 1, skipped 1"
    assert rows["postponed"].strip() == "teaser 1"
    assert rows["wrappers"].strip() == "1 of confidence 0.5-0.8, 1 of confidence 0.9-1"
    assert rows["drifted"].strip() == SITE
    assert json.loads(run_status(url, "--json").stdout)["articles"] == 3
    assert "\nforest_sites 2\n" in run_status(url, "--prometheus").stdout
    both = run_status(url, "--json", "--prometheus")
    assert (both.exit_code, both.stdout) == (2, "")


def test_empty_store_has_a_status(store_url: str) -> None:
    open_store(store_url).close()
    with open_store(store_url) as store:
        status = read_status(store, time.time())
    assert (status.sites, status.articles, status.queue_age, status.wrappers) == (0, 0, None, {})
    assert run_status(store_url, "--prometheus").exit_code == 0
