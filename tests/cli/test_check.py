"""`forest check` distinguishes drifted wrappers from good ones by stored pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.store import Candidate, FetchedPage, NewArticle, Store, open_store
from forest_crawler.wrapper.wrapper import Wrapper
from tests.support.fault_sites import SitePlan, serve_page

GOOD, DRIFTED = "127.1.0.1", "127.1.0.2"


def archive_pages(store: Store, site: str, wrapper: str) -> None:
    """Archive six pages of a generated site, with a wrapper for them."""
    keys = [f"{site}/article/{n}" for n in range(1, 7)]
    store.schedule([Candidate(key, f"http://{key}", site) for key in keys])
    bodies = {key: page_body(site, int(key.rpartition("/")[2])) for key in keys}
    store.hold([FetchedPage(key, body) for key, body in bodies.items()])
    store.archive(
        [NewArticle(f"id {k}", k, site, f"http://{k}", "wrapper", None, "", "{}") for k in keys]
    )
    store.replace_wrappers(site, [Wrapper(site, "forest", "portable", (wrapper,))], "test")


def page_body(site: str, number: int) -> bytes:
    return serve_page(site, f"/article/{number}", {}, SitePlan(family=0)).partition(b"\r\n\r\n")[2]


@pytest.fixture
def url(tmp_path: Path) -> str:
    store_url = f"sqlite:///{tmp_path}/store.db"
    with open_store(store_url) as store:
        archive_pages(store, GOOD, "//body")
        archive_pages(store, DRIFTED, "//div[@id='before-the-redesign']")
    return store_url


def test_check_shows_each_site_and_exits_with_one_on_drift(url: str) -> None:
    result = CliRunner().invoke(main, ["check", "--store", url])
    assert result.exit_code == 1, result.output
    rows = {line.split()[0]: line.split()[1:] for line in result.stdout.splitlines() if line}
    assert rows[GOOD] == ["1", "6", "6", "–", "fits"]
    assert rows[DRIFTED] == ["1", "6", "0", "–", "drift"]


def test_a_rule_that_takes_content_is_named_with_the_agreement(tmp_path: Path) -> None:
    url, rule = f"sqlite:///{tmp_path}/store.db", "//p[@id='second']"
    line = "The chain ferry carried its first passengers across the narrows on Wednesday morning. "
    story = f"<h1>Ferry {{}}</h1><div id=story><p>{line * 4}</p><p id=second>{line * 4}</p></div>"
    learnt = Wrapper(
        GOOD, "forest", "portable", ("//div[@id='story']",), (rule,), confidence=0.9, support=9
    )
    keys = [f"{GOOD}/article/{n}" for n in range(3)]
    with open_store(url) as store:
        store.schedule([Candidate(key, f"http://{key}", GOOD) for key in keys])
        store.hold([FetchedPage(key, story.format(key).encode()) for key in keys])
        store.archive(
            [NewArticle(f"id {k}", k, GOOD, f"http://{k}", "wrapper", None, "", "{}") for k in keys]
        )
        store.replace_wrappers(GOOD, [learnt], "test")
    result = CliRunner().invoke(main, ["check", "--store", url])
    assert result.exit_code == 1, result.output
    (row,) = (line.split() for line in result.stdout.splitlines() if line.startswith(GOOD))
    assert row[:4] == [GOOD, "1", "3", "3"]
    assert row[4].isdecimal()
    assert row[6:] == ["loses", "text"]
    assert f"{GOOD}: the strip rule {rule} takes content on 3 pages" in result.stderr


def test_check_of_one_site_ignores_the_others(url: str) -> None:
    result = CliRunner().invoke(main, ["check", GOOD, "--store", url])
    assert result.exit_code == 0, result.output
    assert DRIFTED not in result.stdout


def test_an_unknown_site_is_reported_with_the_known_ones(url: str) -> None:
    result = CliRunner().invoke(main, ["check", "nowhere.example", "--store", url])
    assert result.exit_code == 2
    assert GOOD in result.stderr
