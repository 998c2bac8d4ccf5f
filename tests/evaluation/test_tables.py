"""Results become tables, tab-separated values, and files of texts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from forest_crawler.datasets.labelled_pages import LabelledPage
from forest_crawler.errors import InputError
from forest_crawler.evaluation.results import EvaluationResult, Failure, PageResult, RunResult
from forest_crawler.evaluation.score import Score
from forest_crawler.evaluation.sets import PageSet, make_names_unique, read_set, select_pages
from forest_crawler.evaluation.tables import format_markdown, format_text, make_table
from forest_crawler.evaluation.texts import drop_texts, keep_texts, text_files
from forest_crawler.evaluation.tsv import format_tsv


def page(
    name: str, f1: float, *, failure: Failure | None = None, text: str | None = None
) -> PageResult:
    scores = {"bigrams": Score(0.5, 0.25, f1), "set": Score(1, 1, 1)}
    return PageResult(name, "s", 2000, 0.004, scores, failure=failure, text=text)


def result(*runs: RunResult, measures: tuple[str, ...] = ("bigrams",)) -> EvaluationResult:
    return EvaluationResult("0.1", measures, runs)


PLAIN = RunResult("big", "plain", "page", (page("a", 0.2, text="x"), page("b", 0.4, text="y")))


def cells(line: str) -> list[str]:
    return line.split()


def test_a_row_summarizes_a_run() -> None:
    header, row, *_ = format_text(make_table(result(PLAIN))).splitlines()
    assert cells(header) == (
        "set method protocol pages sites P R F1 sd Q1 median Q3 ms/kB failed".split()
    )
    # mean of 0.2 and 0.4; deviation 0.1·√2; quartiles 0.25, 0.3, 0.35; 8 ms over 4 kB
    assert cells(row) == ("big plain page 2 1 50.0 25.0 30.0 14.1 25.0 30.0 35.0 2.00 -".split())


def test_columns_are_aligned_and_repeated_names_are_omitted() -> None:
    other = RunResult("big", "forest-paper", "unseen", (page("a", 1),))
    header, first, second, *_ = format_text(make_table(result(PLAIN, other))).splitlines()
    assert second.startswith("     forest-paper  unseen")
    assert header.index("F1") + len("F1") == first.index("30.0") + len("30.0")
    assert len(header) == len(first) == len(second)


def test_each_measure_has_a_row() -> None:
    table = make_table(result(PLAIN, measures=("bigrams", "set")))
    assert [row[3] for row in table.rows] == ["bigrams", "set"]
    assert [row[8] for row in table.rows] == ["30.0", "100.0"]


def test_a_study_has_a_column_for_what_it_varies() -> None:
    runs = [RunResult("s", "m", "unseen", (page("a", 1),), setting={"pages": n}) for n in (1, 2)]
    table = make_table(result(PLAIN, *runs))
    assert table.header[:5] == ("set", "method", "protocol", "sample pages", "pages")
    assert [row[3] for row in table.rows] == ["", "1", "2"]


def test_failures_are_counted_in_the_table_by_reason() -> None:
    pages = (page("a", 0, failure="timeout"), page("b", 0, failure="crash"), page("c", 0))
    table = make_table(result(RunResult("s", "m", "page", pages)))
    assert table.rows[0][-1] == "1 crash, 1 timeout"


def test_versions_and_entries_from_metadata_are_marked() -> None:
    made = PageResult("a", "s", 1, 0, {"bigrams": Score(1, 1, 1)}, entry="metadata")
    table = make_table(result(RunResult("s", "m", "page", (made,), version="2.3")))
    assert table.rows[0][1] == "m* 2.3"
    assert any("made from the pages' metadata" in note for note in table.notes)


def test_without_entries_from_metadata_there_is_no_note_on_them() -> None:
    assert not any("entry" in note for note in make_table(result(PLAIN)).notes)


def test_markdown_is_a_table_with_right_aligned_numbers() -> None:
    named = RunResult("big", "cmd:a|b", "page", (page("a", 1),))
    header, rule, row, *_ = format_markdown(make_table(result(named))).splitlines()
    assert header.startswith("| set | method | protocol | pages |")
    assert rule.startswith("| --- | --- | --- | ---: |")
    assert row.startswith("| big | cmd:a\\|b | page | 1 |")


def test_markdown_notes_are_one_paragraph_with_escaped_marks() -> None:
    made = PageResult("a", "s", 1, 0, {"bigrams": Score(1, 1, 1)}, entry="metadata")
    text = format_markdown(make_table(result(RunResult("s", "m", "page", (made,)))))
    _, notes = text.split("\n\n")
    assert "\\* feed entries made from the pages' metadata" in notes


def test_tsv_has_a_row_per_page_and_then_the_summary() -> None:
    documents, summary = format_tsv(result(PLAIN)).split("\n\n")
    header, first, second = (line.split("\t") for line in documents.splitlines())
    row = dict(zip(header, first, strict=True))
    assert (row["id"], row["kB"], row["seconds"]) == ("a", "2.000000", "0.004000")
    assert row["bigrams f1"] == "0.200000"
    assert second[header.index("id")] == "b"
    names, figures = (line.split("\t") for line in summary.splitlines())
    total = dict(zip(names, figures, strict=True))
    assert (total["measure"], total["count"], total["f1"]) == ("bigrams", "2", "0.300000")
    # sd of 0.2 and 0.4: 0.1·√2
    assert total["deviation"] == "0.141421"
    assert total["seconds/kB"] == "0.002000"


def test_tsv_has_the_flags_of_every_page() -> None:
    pages = (replace(page("a", 1), fragmented=True, multiple=False), page("b", 1))
    header, first, second = (
        line.split("\t")
        for line in format_tsv(result(RunResult("s", "m", "page", pages))).splitlines()[:3]
    )
    start = header.index("fragmented")
    assert header[start + 1] == "multiple"
    assert first[start : start + 2] == ["yes", "no"]
    assert second[start : start + 2] == ["", ""]


def test_tabs_and_line_breaks_in_names_do_not_break_the_tsv() -> None:
    odd = RunResult("s", "m", "page", (page("a\tb\nc", 1),))
    header, row, *_ = format_tsv(result(odd)).splitlines()
    assert row.count("\t") == header.count("\t")
    assert "a b c" in row


def test_texts_become_a_file_per_run() -> None:
    ((name, content),) = text_files(result(PLAIN))
    assert name == "big.plain.jsonl"
    assert [json.loads(line) for line in content.splitlines()] == [
        {"id": "a", "text": "x"},
        {"id": "b", "text": "y"},
    ]


def test_runs_of_one_method_do_not_share_a_file() -> None:
    pages = (page("a", 1),)
    runs = (
        RunResult("s", "cmd:../x y", "in-sample", pages, setting={"pages": 2}),
        RunResult("s", "cmd:../x y", "unseen", pages),
    )
    assert [name for name, _ in text_files(result(*runs))] == [
        "s.cmd_.._x_y.in-sample.pages-2.jsonl",
        "s.cmd_.._x_y.unseen.jsonl",
    ]


def test_texts_are_kept_with_their_gold_or_dropped() -> None:
    golds = tuple(LabelledPage(name, "s", None, "", gold=f"gold {name}") for name in "ab")
    (kept,) = keep_texts(result(PLAIN), [PageSet("big", golds)]).runs
    assert [(page.text, page.gold) for page in kept.pages] == [("x", "gold a"), ("y", "gold b")]
    (dropped,) = drop_texts(result(PLAIN)).runs
    assert [page.text for page in dropped.pages] == [None, None]


def labelled(name: str, site: str, kind: str | None = None) -> LabelledPage:
    return LabelledPage(name, site, None, "<p>x", gold="x", kind=kind)


def test_sites_with_too_few_pages_are_skipped() -> None:
    pages = PageSet("s", (labelled("a", "x"), labelled("b", "y"), labelled("c", "x")))
    assert [page.id for page in select_pages(pages, min_pages=2).pages] == ["a", "c"]


def test_kinds_are_selected_before_pages_are_counted() -> None:
    pages = PageSet("s", (labelled("a", "x", "forum"), labelled("b", "x"), labelled("c", "y")))
    assert [page.id for page in select_pages(pages, kinds=["forum"]).pages] == ["a"]
    with pytest.raises(InputError, match="s: no page is left"):
        select_pages(pages, kinds=["forum"], min_pages=2)


def test_flags_are_required_or_excluded_and_an_unknown_flag_is_not_set() -> None:
    pages = PageSet(
        "s",
        (
            replace(labelled("a", "x"), fragmented=True, multiple=False),
            replace(labelled("b", "x"), fragmented=True, multiple=True),
            replace(labelled("c", "x"), fragmented=False),
            labelled("d", "x"),
        ),
    )
    chosen = select_pages(pages, only=["fragmented"], without=["multiple"])
    assert [page.id for page in chosen.pages] == ["a"]
    assert [page.id for page in select_pages(pages, without=["fragmented"]).pages] == ["c", "d"]
    with pytest.raises(InputError, match="s: no page is left"):
        select_pages(pages, only=["multiple"], min_pages=2)


def test_sets_of_the_same_name_are_numbered() -> None:
    pages = (labelled("a", "x"),)
    named = make_names_unique([PageSet("s", pages), PageSet("t", pages), PageSet("s", pages)])
    assert [pages.name for pages in named] == ["s", "t", "s-2"]


def test_a_page_without_gold_is_refused_with_its_id(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    path.write_text('{"html": "<p>x", "id": "a", "gold": ""}\n{"html": "<p>x", "id": "b"}\n')
    with pytest.raises(InputError, match=r"set\.jsonl: page 'b' has no gold"):
        read_set(str(path))


@pytest.mark.parametrize("name", ["news.jsonl", "news.jsonl.gz", "news"])
def test_a_set_has_the_name_of_its_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"html": "<p>x", "gold": "x"}\n')
    assert read_set(str(path)).name == "news"
