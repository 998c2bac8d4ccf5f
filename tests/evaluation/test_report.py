"""The HTML report: what it says is in the result, and what is in the pages stays text."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from lxml import html as lxml_html

from forest_crawler.cli.main import main
from forest_crawler.evaluation.report import write_report
from forest_crawler.evaluation.report.differences import (
    KEPT_DIFFERENT,
    KEPT_SAME,
    MAX_COMPARED,
    MAX_SHOWN,
    Side,
    compare_texts,
)
from forest_crawler.evaluation.report.scale import scale_counts, scale_shares, scale_times
from forest_crawler.evaluation.report.worst import find_worst
from forest_crawler.evaluation.results import (
    EvaluationResult,
    PageResult,
    Protocol,
    RunResult,
)
from forest_crawler.evaluation.score import Score

HOSTILE = (
    "</title></style><script>alert(1)</script><img src=http://evil.example/x onerror=alert(2)>"
)


def a_page(f1: float, name: str = "p", **fields: Any) -> PageResult:
    """A page of 2 kB that took 10 ms, with precision, recall and F1 alike."""
    defaults: dict[str, Any] = {"site": "site", "size": 2000, "seconds": 0.01}
    return PageResult(id=name, scores={"bigrams": Score(f1, f1, f1)}, **{**defaults, **fields})


def a_run(
    method: str, scores: Sequence[float], protocol: Protocol = "page", **fields: Any
) -> RunResult:
    """A run on the set `news`."""
    pages = tuple(a_page(f1, f"p{i}") for i, f1 in enumerate(scores))
    return RunResult(
        **{"set": "news", "method": method, "protocol": protocol, "pages": pages} | fields
    )


def report_of(tmp_path: Path, *runs: RunResult, measures: tuple[str, ...] = ("bigrams",)) -> Any:
    """The report on some runs, parsed."""
    path = write_report(EvaluationResult("1.2.3", measures, runs), tmp_path)
    return parse(path.read_text(encoding="utf-8"))


def parse(source: str) -> Any:
    """The document of a source."""
    return lxml_html.document_fromstring(source)


def rows_of(section: Any) -> dict[str, list[str]]:
    """The cells of a table's rows, by what stands at the head of the row."""
    return {
        " ".join(row.find("th").text_content().split()): [
            cell.text_content() for cell in row.findall("td")
        ]
        for row in section.iterfind(".//tbody/tr")
        if row.find("td") is not None
    }


def bold_of(section: Any) -> list[tuple[str, str]]:
    """The bold figures, with the head of their row."""
    return [
        (row.find("th").text, bold.text)
        for row in section.iterfind(".//tbody/tr")
        for bold in row.iterfind(".//b")
    ]


def shape_places(page: Any, kind: str, attribute: str) -> list[str]:
    return [shape.get(attribute) for shape in page.iterfind(f".//*[@class='{kind}']")]


# The command


def evaluate(tmp_path: Path, report: Path) -> Result:
    """Evaluate `plain` on a page that has a word too much."""
    data = tmp_path / "news.jsonl"
    data.write_text('{"id": "a", "site": "s", "html": "<p>one two three", "gold": "one two"}')
    options = ["--data", str(data), "--method", "plain", "--jobs", "1", "--report", str(report)]
    return CliRunner().invoke(main, ["evaluate", *options])


def test_the_command_writes_a_report_with_texts(tmp_path: Path) -> None:
    done = evaluate(tmp_path, tmp_path / "report")
    assert done.exit_code == 0
    assert "plain" in done.stdout
    page = parse((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert [mark.text for mark in page.iterfind(".//mark")] == ["three"]


def test_a_report_that_cannot_be_written_exits_with_the_code_of_the_disk(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = evaluate(tmp_path, tmp_path / "file")
    assert done.exit_code == 4
    assert "choose another --report" in done.stderr


# Tables


def test_the_report_is_one_file_in_a_directory_that_is_made(tmp_path: Path) -> None:
    path = write_report(
        EvaluationResult("1", ("bigrams",), (a_run("plain", [1]),)), tmp_path / "new" / "deep"
    )
    assert path == tmp_path / "new" / "deep" / "index.html"
    assert [file.name for file in path.parent.iterdir()] == ["index.html"]


def test_a_sets_table_holds_the_figures_worked_by_hand(tmp_path: Path) -> None:
    # F1 0.5 and 1: mean 75.0; standard deviation sqrt(2 · 0.25²) = 0.354; quartiles by
    # interpolation 62.5, 75.0, 87.5. 20 ms over 4 kB: 5 ms/kB.
    page = report_of(tmp_path, a_run("wlr", [0.5, 1.0]))
    figures = rows_of(page.get_element_by_id("set-news"))
    assert figures == {
        "wlr": ["75.0", "75.0", "75.0", "35.4", "62.5", "75.0", "87.5", "5.0", "–"],
    }


def test_the_best_figure_of_each_protocol_is_bold(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        a_run("worse", [0.5]),
        a_run("better", [0.8]),
        a_run("forest", [0.7], "unseen"),
        a_run("coverage", [0.6], "unseen"),
    )
    bold = bold_of(page.get_element_by_id("set-news"))
    assert set(bold) == {("better", "80.0"), ("forest", "70.0")}


def test_figures_that_are_shown_alike_are_equally_best(tmp_path: Path) -> None:
    page = report_of(tmp_path, *(a_run(f"m{f1}", [f1]) for f1 in (0.80001, 0.80002, 0.7)))
    assert {name for name, _ in bold_of(page)} == {"m0.80001", "m0.80002"}


def test_nothing_is_best_where_all_is_alike(tmp_path: Path) -> None:
    assert bold_of(report_of(tmp_path, a_run("one", [0.8]), a_run("other", [0.8]))) == []


def test_the_smallest_deviation_and_time_are_best(tmp_path: Path) -> None:
    slow = tuple(a_page(f1, seconds=0.5) for f1 in (0.8, 0.8))
    page = report_of(tmp_path, a_run("wide", [0.6, 1.0]), a_run("even", [], pages=slow))
    bold = bold_of(page.get_element_by_id("set-news"))
    assert ("even", "0.0") in bold  # deviation; that of the other is 28.3
    assert ("wide", "5.0") in bold  # ms/kB; the other takes 250
    assert not {text for _, text in bold} & {"28.3", "250"}


def test_methods_stand_under_their_protocol_best_first(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        a_run("low", [0.1]),
        a_run("forest", [0.2], "in-sample"),
        a_run("high", [0.9]),
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
    runs = [a_run("f", [f1], "unseen", setting={"pages": n}) for n, f1 in ((1, 0.2), (2, 0.9))]
    rows = rows_of(report_of(tmp_path, *runs).get_element_by_id("set-news"))
    assert list(rows) == ["f sample pages 1", "f sample pages 2"]


def test_versions_settings_entries_and_failures_are_told(tmp_path: Path) -> None:
    failed = (a_page(0, failure="crash", detail="ValueError: no"), a_page(1, entry="metadata"))
    page = report_of(
        tmp_path,
        a_run("peer", [1], version="4.5"),
        a_run("forest", [1], "in-sample", setting={"pages": 3}),
        a_run("sigfeed", [], pages=failed),
    )
    rows = rows_of(page.get_element_by_id("set-news"))
    assert set(rows) == {"peer 4.5", "forest sample pages 3", "sigfeed*"}
    assert rows["sigfeed*"][-1] == "1 crash"
    assert "entry from page metadata" in page.text_content()


def test_further_measures_have_their_own_column(tmp_path: Path) -> None:
    scores = {"bigrams": Score(0.5, 0.5, 0.5), "bag": Score(0.25, 0.25, 0.25)}
    both = PageResult("p", "site", 2000, 0.01, scores)
    page = report_of(tmp_path, a_run("m", [], pages=(both,)), measures=("bigrams", "bag"))
    heads = [cell.text for cell in page.iterfind(".//thead/tr/th")]
    assert rows_of(page)["m"][heads.index("F1 bag") - 1] == "25.0"


def test_several_sets_are_compared_at_a_glance(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        a_run("a", [0.9]),
        a_run("b", [0.5]),
        a_run("a", [0.4], set="blogs"),
        a_run("b", [0.6], set="blogs"),
        a_run("c", [0.1], set="blogs"),
    )
    glance = page.get_element_by_id("glance")
    # Means over the sets: a 65, b 55, c 10.
    assert list(rows_of(glance).items()) == [
        ("a", ["90.0", "40.0"]),
        ("b", ["50.0", "60.0"]),
        ("c", ["–", "10.0"]),
    ]
    assert bold_of(glance) == [("a", "90.0"), ("b", "60.0")]


def test_a_single_set_has_no_glance(tmp_path: Path) -> None:
    page = report_of(tmp_path, a_run("a", [0.9]))
    assert "At a glance" not in page.text_content()


# Charts


def test_a_box_stands_where_its_percentiles_are(tmp_path: Path) -> None:
    # F1 0, 0.01, …, 1: the 9th percentile is 0.09, the quartiles 0.25, 0.5, 0.75, the 91st 0.91.
    # The axis goes from 0 to 1.
    page = report_of(tmp_path, a_run("m", [i / 100 for i in range(101)]))
    section = page.get_element_by_id("set-news")
    assert shape_places(section, "whisker", "x1") == ["9%", "9%", "91%"]
    assert shape_places(section, "whisker", "x2") == ["91%", "9%", "91%"]
    assert shape_places(section, "median", "x1") == ["50%"]
    # The legend's box comes first.
    assert shape_places(section, "box", "x")[1:] == ["25%"]
    assert shape_places(section, "box", "width")[1:] == ["50%"]
    assert shape_places(section, "mean", "cx") == ["50%"]


def test_times_stand_on_an_axis_of_powers_of_ten(tmp_path: Path) -> None:
    # 2 kB pages: 2 ms make 1 ms/kB, 200 ms make 100.
    runs = [a_run(f"m{ms}", [], pages=(a_page(1, seconds=ms / 1000),)) for ms in (200, 2, 20)]
    section = report_of(tmp_path, *runs).get_element_by_id("time")
    assert [cell.text for cell in section.find_class("label")] == ["m2", "m20", "m200"]
    assert [cell.text for cell in section.find_class("value")] == ["1.0", "10", "100"]
    assert shape_places(section, "point", "cx") == ["0%", "50%", "100%"]


def test_the_time_of_a_method_is_taken_over_all_sets(tmp_path: Path) -> None:
    # 10 ms for 2 kB and 30 ms for 6 kB + 10 ms for 2 kB: 50 ms for 10 kB.
    large = (a_page(1, seconds=0.03, size=6000), a_page(1))
    runs = [a_run("m", [1]), a_run("m", [], set="blogs", pages=large)]
    section = report_of(tmp_path, *runs).get_element_by_id("time")
    assert [cell.text for cell in section.find_class("value")] == ["5.0"]


def test_a_study_of_counts_is_a_curve_with_level_lines_to_compare(tmp_path: Path) -> None:
    page = report_of(
        tmp_path,
        *(
            a_run("forest", [f1], "in-sample", setting={"pages": count})
            for count, f1 in ((1, 0.5), (5, 0.8), (10, 0.9))
        ),
        a_run("plain", [0.7]),
    )
    (plot,) = page.find_class("curves")
    # Axes: 0 to 10 pages; F1 0.5 to 0.9, so 0.8 is a quarter from the top, 0.7 the half.
    assert shape_places(plot, "point", "cx") == ["10%", "50%", "100%"]
    assert shape_places(plot, "point", "cy") == ["100%", "25%", "0%"]
    assert shape_places(plot, "curve", "points") == ["100.0,1000.0 500.0,250.0 1000.0,0.0"]
    assert shape_places(plot, "level", "y1") == ["50%"]


def test_a_study_of_choices_shows_precision_recall_and_f1_of_each(tmp_path: Path) -> None:
    def choice(measure: str, precision: float, recall: float, f1: float) -> RunResult:
        page = PageResult("p", "s", 1, 0.1, {"bigrams": Score(precision, recall, f1)})
        return a_run("forest", [], "unseen", pages=(page,), setting={"measure": measure})

    page = report_of(
        tmp_path,
        choice("J", 0.9, 0.5, 0.6),
        choice("U", 0.6, 0.8, 0.7),
        choice("JU", 0.8, 0.9, 0.85),
    )
    told = {
        title.text.partition(": ")[0]: title.text.partition(": ")[2]
        for title in page.iterfind(".//figure//title")
    }
    assert told == {
        "P · forest, unseen": "J 90.0, U 60.0, J × U 80.0",
        "R · forest, unseen": "J 50.0, U 80.0, J × U 90.0",
        "F1 · forest, unseen": "J 60.0, U 70.0, J × U 85.0",
    }


def test_a_studied_method_stands_in_the_box_chart_once_at_its_best(tmp_path: Path) -> None:
    runs = [a_run("f", [f1], "unseen", setting={"pages": n}) for n, f1 in ((2, 0.9), (3, 0.4))]
    section = report_of(tmp_path, *runs).get_element_by_id("set-news")
    assert [cell.text for cell in section.find_class("label")] == ["f, unseen, sample pages 2"]


@pytest.mark.parametrize(
    ("values", "ticks"),
    [
        ([0.0, 1.0], (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ([0.48, 1.0], (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)),
        ([0.93, 0.95], (0.93, 0.94, 0.95)),
        ([0.5, 0.5], (0.5, 0.51)),
        ([1.0], (1.0, 1.01)),
    ],
    ids=str,
)
def test_an_axis_of_scores_is_no_wider_than_it_needs(
    values: list[float], ticks: tuple[float, ...]
) -> None:
    assert scale_shares(values).ticks == ticks


def test_axes_hold_values_that_are_all_alike_or_nothing() -> None:
    assert scale_counts([0]).place(0) == 0
    assert scale_times([0.0]).place(0.0) == 0
    assert scale_times([1.0]).ticks == (1.0, 10.0)


# Worst pages


def test_the_worst_pages_are_those_of_lowest_f1_worst_first() -> None:
    run = a_run("m", [0.9, 0.2, 1.0, 0.5, 0.2])
    assert [page.id for page in find_worst(run, "bigrams", most=3)] == ["p1", "p4", "p3"]


def test_a_page_without_a_fault_is_not_among_the_worst() -> None:
    assert find_worst(a_run("m", [1.0, 1.0]), "bigrams") == []


def test_worst_pages_show_both_texts_with_their_differences_marked(tmp_path: Path) -> None:
    bad = a_page(0.4, "bad", gold="One two three four.", text="Home page. One two four.")
    page = report_of(tmp_path, a_run("m", [], pages=(a_page(1, "good"), bad)))
    section = page.get_element_by_id("worst")
    assert [mark.text.strip() for mark in section.iterfind(".//mark")] == ["three", "Home page."]
    assert [mark.get("class") for mark in section.iterfind(".//mark")] == ["missing", "superfluous"]
    assert [text.text_content() for text in section.find_class("text")] == [bad.gold, bad.text]
    assert "1 of 4 words missing" in section.text_content()
    assert "2 of 5 words superfluous" in section.text_content()
    assert "good" not in section.text_content()


def test_a_failure_is_told_beside_its_page(tmp_path: Path) -> None:
    broken = a_page(0, failure="crash", detail="ValueError: no tag", gold="a", text="")
    section = report_of(tmp_path, a_run("m", [], pages=(broken,))).get_element_by_id("worst")
    assert [told.text for told in section.find_class("failure")] == ["crash: ValueError: no tag"]
    assert "no text" in section.text_content()


def test_a_result_without_texts_says_so(tmp_path: Path) -> None:
    section = report_of(tmp_path, a_run("m", [0.5])).get_element_by_id("worst")
    assert "saved without texts" in section.text_content()


# Differences


def kinds(side: Side) -> list[tuple[str, int]]:
    return [(stretch.kind, stretch.words) for stretch in side.stretches]


def test_case_and_marks_are_no_difference() -> None:
    gold, text = compare_texts("“One”, TWO!", "one two")
    assert (gold.different, text.different) == (0, 0)
    assert [stretch.text for stretch in gold.stretches] == ["“One”, TWO!"]


def test_long_stretches_are_cut_in_the_middle() -> None:
    same, other = "same " * 200, "other " * 300
    gold, text = compare_texts(same, same + other)
    half, third = KEPT_SAME // 2, KEPT_DIFFERENT // 2
    agreeing = [("same", half), ("cut", 200 - KEPT_SAME), ("same", half)]
    assert kinds(gold) == agreeing
    differing = [("different", third), ("cut", 300 - KEPT_DIFFERENT), ("different", third)]
    assert kinds(text) == agreeing + differing


def test_a_text_of_many_short_stretches_ends_with_a_cut() -> None:
    # Every second word agrees: no stretch is long, 2,000 words are.
    gold, _ = compare_texts("yes no " * 1000, "yes maybe " * 1000)
    shown = sum(stretch.words for stretch in gold.stretches if stretch.kind != "cut")
    assert shown <= MAX_SHOWN
    assert kinds(gold)[-1] == ("cut", 2000 - shown)


def test_words_beyond_the_limit_are_not_compared_but_counted() -> None:
    gold, text = compare_texts("a", "a " * (MAX_COMPARED + 7))
    assert gold.different == 0
    assert text.words == MAX_COMPARED + 7
    assert kinds(text)[-1] == ("cut", 7)


@pytest.mark.parametrize("empty", ["", " \n", "…!"], ids=repr)
def test_a_text_without_words_has_no_stretch(empty: str) -> None:
    gold, text = compare_texts("word", empty)
    assert (gold.different, text.words, text.stretches) == (1, 0, ())


def test_a_capital_that_becomes_two_characters_keeps_the_words_in_step() -> None:
    gold, text = compare_texts("İstanbul is far", "İstanbul is far")
    assert (gold.different, text.different) == (0, 0)


# Safety


@pytest.fixture
def hostile(tmp_path: Path) -> str:
    """The source of a report in which every name and text is an attack."""
    page = a_page(
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


def test_control_characters_and_turned_directions_are_replaced(hostile: str) -> None:
    assert not set(hostile) & set("\x00\x1b\u202e\ud800")
    assert "\ufffd" in hostile


def test_the_policy_allows_the_style_sheet_and_nothing_else(hostile: str) -> None:
    page = parse(hostile)
    (policy,) = page.xpath("//meta[@http-equiv='Content-Security-Policy']/@content")
    (style,) = page.xpath("//style/text()")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'"
    assert not page.xpath("//@style")


def test_links_inside_the_page_have_their_targets(hostile: str) -> None:
    page = parse(hostile)
    assert all(
        page.get_element_by_id(link.lstrip("#")) is not None for link in page.xpath("//@href")
    )
