"""`forest tree --store`: the tree of a page that a crawl's store keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli import main
from forest_crawler.store import FetchedPage, open_store
from tests.support.store_builders import article, schedule

SITE = "gazette.example"
LATIN = "text/html; charset=iso-8859-1"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """Make a store with a held page, an archived page, and a page that wasn't fetched."""
    store_url = f"sqlite:///{tmp_path}/forest.db"
    with open_store(store_url) as store:
        schedule(store, ["held", "archived", "new"])
        bodies = {"held": b"<p>Caf\xe9", "archived": b"<div><p>Rain"}
        pages = [FetchedPage(f"{SITE}/{name}", body, 200, LATIN) for name, body in bodies.items()]
        store.hold(pages)
        store.archive([article(f"{SITE}/archived")])
    return store_url


def tree(page: str, store: str) -> Result:
    return CliRunner().invoke(main, ["tree", "--store", store, page])


def test_a_held_page_is_printed_in_the_encoding_of_its_header(url: str) -> None:
    result = tree(f"https://{SITE}/held", url)
    assert (result.exit_code, result.stderr) == (0, "")
    assert '<p dfs="2" level="2">Café</p>' in result.stdout


@pytest.mark.parametrize("address", [f"https://{SITE}/archived", f"http://www.{SITE}/archived/"])
def test_an_archived_page_is_found_by_any_spelling_of_its_url(url: str, address: str) -> None:
    assert '<p dfs="3" level="3">Rain</p>' in tree(address, url).stdout


@pytest.mark.parametrize(
    ("page", "message"),
    [
        pytest.param(f"https://{SITE}/new", "doesn't keep this page", id="not-fetched"),
        pytest.param(f"https://{SITE}/other", "doesn't keep this page", id="unknown"),
        pytest.param("page.html", "isn't a URL", id="file"),
    ],
)
def test_a_page_that_is_not_kept_is_named_and_exits_with_2(
    url: str, page: str, message: str
) -> None:
    result = tree(page, url)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"forest: {page}: ")
    assert message in result.stderr


def test_a_missing_store_is_not_created(tmp_path: Path) -> None:
    result = tree(f"https://{SITE}/held", f"sqlite:///{tmp_path}/no.db")
    assert result.exit_code == 2
    assert "no such store" in result.stderr
    assert list(tmp_path.iterdir()) == []
