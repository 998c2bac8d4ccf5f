"""The HTML report shows the result in tables, and texts of pages stay text."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from forest_crawler.cli.main import main
from forest_crawler.evaluation.report import write_report
from forest_crawler.evaluation.results import EvaluationResult, PageResult, RunResult
from forest_crawler.evaluation.score import Score
from tests.support.browser import open_browser
from tests.support.report_builders import bold_of, make_page, make_run, parse, report_of, rows_of

HOSTILE = (
    "</title></style><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"
)


# The command


def evaluate(tmp_path: Path, report: Path) -> Result:
    """Evaluate `plain` on a page with a superfluous word."""
    data = tmp_path / "news.jsonl"
    data.write_text('{"id": "a", "site": "s", "html": "<p>one two three", "gold": "one two"}')
    options = ["--data", str(data), "--method", "plain", "--jobs", "1", "--report", str(report)]
    return CliRunner().invoke(main, ["evaluate", *options])


def test_the_command_writes_a_report_with_texts(tmp_path: Path) -> None:
    done = evaluate(tmp_path, tmp_path / "report")
    assert done.exit_code == 0
    assert "plain" in done.stdout
    assert done.stderr == f"forest: see the report in {tmp_path}/report/index.html\n"
    page = parse((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert [mark.text for mark in page.iterfind(".//mark")] == ["three"]


def test_a_file_in_place_of_the_report_is_wrong_usage(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = evaluate(tmp_path, tmp_path / "file")
    assert done.exit_code == 2
    assert "--report" in done.stderr
    assert "is a file" in done.stderr


def test_a_report_that_cannot_be_written_exits_with_4(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", str(self))

    monkeypatch.setattr(Path, "mkdir", fail)
    done = evaluate(tmp_path, tmp_path / "report")
    assert done.exit_code == 4
    assert "choose another --report" in done.stderr


def test_methods_keep_their_names_in_one_piece_on_a_phone(tmp_path: Path) -> None:
    result = EvaluationResult("1", ("bigrams",), (make_run("forest", [1.0, 0.5]),))
    path = write_report(result, tmp_path)
    with open_browser() as browser:
        page = browser.new_page(viewport={"width": 420, "height": 900})
        page.goto(path.as_uri())
        name = page.locator("tbody th", has_text="forest").first
        assert name.bounding_box()["height"] < 40  # a line, not one per letter
        assert page.evaluate("document.documentElement.scrollWidth") == 420


# Tables


def test_the_report_is_one_file_in_a_new_directory(tmp_path: Path) -> None:
    path = write_report(
        EvaluationResult("1", ("bigrams",), (make_run("plain", [1]),)), tmp_path / "new" / "deep"
    )
    assert path == tmp_path / "new" / "deep" / "index.html"
    assert [file.name for file in path.parent.iterdir()] == ["index.html"]


def test_the_table_of_a_set_has_the_numbers_computed_by_hand(tmp_path: Path) -> None:
    # F1 0.5 and 1: mean 75.0; standard deviation sqrt(2 · 0.25²) = 0.354; quartiles by
    # interpolation 62.5, 75.0, 87.5. 20 ms over 4 kB: 5 ms/kB.
    page = report_of(tmp_path, make_run("wlr", [0.5, 1.0]))
    figures = rows_of(page.get_element_by_id("set-news"))
    assert figures == {
        "wlr": ["75.0", "75.0", "75.0", "35.4", "62.5", "75.0", "87.5", "5.0", "–"],
    }


@pytest.mark.parametrize(("pages", "size"), [(1, "1 page of"), (1346, "1,346 pages of")])
def test_the_size_of_a_set_is_written_with_its_nouns(tmp_path: Path, pages: int, size: str) -> None:
    page = report_of(tmp_path, make_run("plain", [1.0] * pages))
    assert page.get_element_by_id("set-news").find("p").text.startswith(size)


def test_the_best_number_of_each_protocol_is_bold(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        make_run("worse", [0.5]),
        make_run("better", [0.8]),
        make_run("forest", [0.7], "unseen"),
        make_run("coverage", [0.6], "unseen"),
    )
    bold = bold_of(page.get_element_by_id("set-news"))
    assert set(bold) == {("better", "80.0"), ("forest", "70.0")}


def test_numbers_that_look_the_same_are_equally_good(tmp_path: Path) -> None:
    page = report_of(tmp_path, *(make_run(f"m{f1}", [f1]) for f1 in (0.80001, 0.80002, 0.7)))
    assert {name for name, _ in bold_of(page)} == {"m0.80001", "m0.80002"}


def test_nothing_is_bold_if_all_numbers_are_equal(tmp_path: Path) -> None:
    assert bold_of(report_of(tmp_path, make_run("one", [0.8]), make_run("other", [0.8]))) == []


def test_the_smallest_deviation_and_time_are_best(tmp_path: Path) -> None:
    slow = tuple(make_page(f1, seconds=0.5) for f1 in (0.8, 0.8))
    page = report_of(tmp_path, make_run("wide", [0.6, 1.0]), make_run("even", [], pages=slow))
    bold = bold_of(page.get_element_by_id("set-news"))
    assert ("even", "0.0") in bold  # deviation; that of the other is 28.3
    assert ("wide", "5.0") in bold  # ms/kB; the other takes 250
    assert not {text for _, text in bold} & {"28.3", "250"}


def test_methods_are_grouped_by_protocol_best_first(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        make_run("low", [0.1]),
        make_run("forest", [0.2], "in-sample"),
        make_run("high", [0.9]),
    )
    heads = [row.find("th").text_content() for row in page.iterfind(".//tbody/tr")]
    assert [head.split(":")[0] for head in heads] == [
        "each page alone",
        "high",
        "low",
        "in-sample",
        "forest",
    ]


def test_the_points_of_a_study_stay_in_its_order(tmp_path: Path) -> None:
    runs = [make_run("f", [f1], "unseen", setting={"pages": n}) for n, f1 in ((1, 0.2), (2, 0.9))]
    rows = rows_of(report_of(tmp_path, *runs).get_element_by_id("set-news"))
    assert list(rows) == ["f sample pages 1", "f sample pages 2"]


def test_versions_settings_entries_and_failures_are_shown(tmp_path: Path) -> None:
    failed = (
        make_page(0, failure="crash", detail="ValueError: no"),
        make_page(1, entry="metadata"),
    )
    page = report_of(
        tmp_path,
        make_run("peer", [1], version="4.5"),
        make_run("forest", [1], "in-sample", setting={"pages": 3}),
        make_run("sigfeed", [], pages=failed),
    )
    rows = rows_of(page.get_element_by_id("set-news"))
    assert set(rows) == {"peer 4.5", "forest sample pages 3", "sigfeed*"}
    assert rows["sigfeed*"][-1] == "1 crash"
    assert "made from the pages' metadata" in page.text_content()


def test_each_further_measure_has_a_column(tmp_path: Path) -> None:
    scores = {"bigrams": Score(0.5, 0.5, 0.5), "bag": Score(0.25, 0.25, 0.25)}
    both = PageResult("p", "site", 2000, 0.01, scores)
    page = report_of(tmp_path, make_run("m", [], pages=(both,)), measures=("bigrams", "bag"))
    heads = [cell.text for cell in page.iterfind(".//thead/tr/th")]
    assert rows_of(page)["m"][heads.index("F1 bag") - 1] == "25.0"


def test_several_sets_are_compared_at_a_glance(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        make_run("a", [0.9]),
        make_run("b", [0.5]),
        make_run("a", [0.4], set="blogs"),
        make_run("b", [0.6], set="blogs"),
        make_run("c", [0.1], set="blogs"),
    )
    glance = page.get_element_by_id("glance")
    # Means over the sets: a 65, b 55, c 10.
    assert list(rows_of(glance).items()) == [
        ("a", ["90.0", "40.0"]),
        ("b", ["50.0", "60.0"]),
        ("c", ["–", "10.0"]),
    ]
    assert bold_of(glance) == [("a", "90.0"), ("b", "60.0")]


def test_a_single_set_has_no_table_at_a_glance(tmp_path: Path) -> None:
    page = report_of(tmp_path, make_run("a", [0.9]))
    assert "At a glance" not in page.text_content()


# Safety


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """Write a report in which every name and text is an attack; return its source."""
    page = make_page(
        0.5,
        HOSTILE,
        site=HOSTILE,
        url=f"javascript:{HOSTILE}",
        failure="crash",
        detail=HOSTILE,
        gold=HOSTILE,
        text=f"{HOSTILE} more \x00\x1b[31m\ud800\u202e",
    )
    run = RunResult(HOSTILE, HOSTILE, "unseen", (page,), HOSTILE, {HOSTILE: HOSTILE})
    path = write_report(EvaluationResult(HOSTILE, ("bigrams",), (run,)), tmp_path)
    return path.read_text(encoding="utf-8")


def test_texts_and_names_of_pages_stay_text(hostile: str) -> None:
    page = parse(hostile)
    assert not page.xpath("//script | //img | //link | //iframe | //object | //*[@onerror]")
    assert page.xpath("count(//style)") == 1
    assert HOSTILE in page.find_class("where")[0].text
    assert HOSTILE in page.text_content()


def test_nothing_is_loaded_and_no_link_leaves_the_file(hostile: str) -> None:
    page = parse(hostile)
    links = page.xpath("//@href | //@src | //@srcset | //@action | //@data")
    assert links
    assert all(link.startswith("#") for link in links)
    (style,) = page.xpath("//style/text()")
    assert "url(" not in style
    assert "@import" not in style


def test_control_and_direction_characters_are_replaced(hostile: str) -> None:
    assert not set(hostile) & set("\x00\x1b\u202e\ud800")
    assert "\ufffd" in hostile


def test_the_policy_allows_the_style_sheet_and_nothing_else(hostile: str) -> None:
    page = parse(hostile)
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (style,) = page.xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'"
    assert not page.xpath("//@style")


def test_links_within_the_report_have_targets(hostile: str) -> None:
    page = parse(hostile)
    assert all(
        page.get_element_by_id(link.lstrip("#")) is not None for link in page.xpath("//@href")
    )
