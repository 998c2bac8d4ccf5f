"""`forest page` prints the article of a single page, or explains its blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main

STORY = (
    "<nav><a href=/a>Home</a> <a href=/b>Sport</a></nav><h1>Ferry returns</h1>"
    + "".join(
        f"<p>The ferry came back to the old pier on day {n}, as it was told.</p>" for n in "1234"
    )
    + "<footer>All rights reserved</footer>"
)


@pytest.fixture
def story(tmp_path: Path) -> Path:
    path = tmp_path / "story.html"
    path.write_text(f"<title>Ferry returns</title>{STORY}", encoding="utf-8")
    return path


def test_the_article_of_a_page_is_printed(story: Path) -> None:
    result = CliRunner().invoke(main, ["page", str(story)])
    assert result.exit_code == 0
    assert "the old pier on day 1" in result.stdout
    assert "All rights reserved" not in result.stdout


def test_every_block_is_explained_with_its_score_and_whether_it_is_kept(story: Path) -> None:
    result = CliRunner().invoke(main, ["page", "--explain", str(story)], env={"COLUMNS": "200"})
    assert result.exit_code == 0
    rows = {
        key: line.split()
        for line in result.stdout.splitlines()
        for key in ("on day 1", "All rights")
        if key in line
    }
    assert rows["on day 1"][0] == "yes"
    assert 0.5 < float(rows["on day 1"][1]) <= 1
    assert 0 <= float(rows["All rights"][0]) < 0.5  # nothing in the column "kept"
    assert "(-" in " ".join(rows["All rights"])


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        pytest.param(["--method", "none-such"], 2, "unknown", id="unknown-method"),
        pytest.param(["--method", "sigfeed"], 2, "needs feed entries", id="needs-an-entry"),
        pytest.param(["--method", "bte", "--explain"], 2, "blocks to explain", id="no-blocks"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(
    story: Path, arguments: list[str], code: int, message: str
) -> None:
    result = CliRunner().invoke(main, ["page", *arguments, str(story)])
    assert result.exit_code == code
    assert message in result.stderr


def test_pages_without_an_article_are_reported_and_counted(story: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.html"
    empty.write_text("<!-- nothing -->", encoding="utf-8")
    some = CliRunner().invoke(main, ["page", str(story), str(empty)])
    assert some.exit_code == 1
    assert "no article found" in some.stderr
    assert CliRunner().invoke(main, ["page", str(empty)]).exit_code == 3
