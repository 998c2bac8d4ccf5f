"""`forest page` prints the article of a single page, or explains its blocks."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from forest_crawler.cli import main
from forest_crawler.extraction.methods.options import list_options
from forest_crawler.extraction.methods.registry import extractor_names, get_extractor

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
        pytest.param(
            ["--method", "bte", "--explain"],
            2,
            "method bte cannot explain its choice; these can: cectd-ds, cectd-s, cetd-ds, clr, cnr,"
            " page, r4, wlr, wnr",
            id="cannot-explain",
        ),
        pytest.param(
            ["--method", "r4", "--blocks", "2"],
            2,
            "method r4 finds no further blocks; these can: clr, cnr, wlr, wnr",
            id="no-blocks",
        ),
        pytest.param(
            ["--method", "wlr", "--blocks", "0"], 2, "0 is not in the range", id="0-blocks"
        ),
        pytest.param(
            ["--method", "wlr", "--blocks", "2", "--explain"], 2, "exclude", id="blocks-explained"
        ),
        pytest.param(["--method", "r4", "--option", "c=0"], 2, "c cannot be '0'", id="value"),
        pytest.param(["--method", "r4", "--option", "d=1"], 2, "options: c (", id="unknown-option"),
        pytest.param(["--option", "c=1"], 2, "it has no options", id="no-options"),
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


def test_the_options_of_methods_are_named_in_the_help() -> None:
    shown = " ".join(CliRunner().invoke(main, ["page", "--help"]).stdout.split())
    for name in extractor_names():
        for option in list_options(get_extractor(name)):
            assert name in shown
            assert option.name in shown


def test_options_change_what_a_method_selects(tmp_path: Path) -> None:
    # body: 112 characters, 7 tags, density 16; the links' div has 12 and 3, 4, below that threshold
    links = "<div><a href=1>home</a><a href=2>news</a><a href=3>talk</a></div>"
    line = "x" * 50
    page = tmp_path / "page.html"
    page.write_text(f"{links}<div><p>{line}</p><p>{line}</p></div>", encoding="utf-8")
    arguments = ["page", "--method", "cetd-ds", str(page)]
    assert CliRunner().invoke(main, arguments).stdout == f"{line}\n\n{line}\n"
    result = CliRunner().invoke(main, [*arguments, "--option", "threshold_factor=0"])
    assert "home" in result.stdout


def test_blocks_are_printed_in_order_of_relevance_a_blank_line_between(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    menu = "<ul><li>Home<li>News<li>Sport</ul>"
    page.write_text(
        f"{menu}<div>one two three four five six</div><h4>Copyright and imprint</h4>",
        encoding="utf-8",
    )
    # As in test_word_leaf_ratio: 6 words on one leaf, then 3 on one, then 3 on three.
    result = CliRunner().invoke(main, ["page", "--method", "wlr", "--blocks", "2", str(page)])
    assert result.stdout == "one two three four five six\n\nCopyright and imprint\n"
    more = CliRunner().invoke(main, ["page", "--method", "wlr", "--blocks", "9", str(page)])
    assert more.stdout.endswith("\n\nHome\nNews\nSport\n")


def test_the_best_nodes_are_explained_with_their_figures(story: Path) -> None:
    arguments = ["page", "--method", "cetd-ds", "--explain", str(story)]
    result = CliRunner().invoke(main, arguments, env={"COLUMNS": "160"})
    assert result.exit_code == 0
    # "Ferry returns": 13 characters, no tag, so both density and sum are 13.
    [row] = [line.split() for line in result.stdout.splitlines() if "body > h1" in line]
    assert row[-10:-3] == ["2", "13", "0", "0", "0", "13.00", "13.00"]


def test_a_page_that_is_content_as_a_whole_is_explained(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<p>one</p><p>two</p>", encoding="utf-8")
    result = CliRunner().invoke(main, ["page", "--method", "r4", "--explain", str(page)])
    assert "the whole page" in result.stdout


def test_the_text_begins_with_the_headline_on_request(story: Path) -> None:
    body = CliRunner().invoke(main, ["page", str(story)]).stdout
    with_title = CliRunner().invoke(main, ["page", "--with-title", str(story)]).stdout
    assert body.startswith("The ferry came back")
    assert with_title == f"Ferry returns\n\n{body}"
