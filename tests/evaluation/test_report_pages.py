"""The report shows each method's worst pages and their differences from the gold."""

from __future__ import annotations

from pathlib import Path

import pytest

from forest_crawler.evaluation.report.differences import (
    MAX_COMPARED,
    MAX_DIFFERENT,
    MAX_SAME,
    MAX_SHOWN,
    Side,
    compare_texts,
)
from forest_crawler.evaluation.report.worst import find_worst
from tests.support.report_builders import make_page, make_run, report_of


def test_the_worst_pages_are_those_of_lowest_f1_worst_first() -> None:
    run = make_run("m", [0.9, 0.2, 1.0, 0.5, 0.2])
    assert [page.id for page in find_worst(run, "bigrams", max_pages=3)] == ["p1", "p4", "p3"]


def test_a_perfect_page_is_not_among_the_worst() -> None:
    assert find_worst(make_run("m", [1.0, 1.0]), "bigrams") == []


def test_worst_pages_show_both_texts_with_their_differences_marked(tmp_path: Path) -> None:
    bad = make_page(0.4, "bad", gold="One two three four.", text="Home page. One two four.")
    page = report_of(tmp_path, make_run("m", [], pages=(make_page(1, "good"), bad)))
    section = page.get_element_by_id("worst")
    assert [mark.text.strip() for mark in section.iterfind(".//mark")] == ["three", "Home page."]
    assert [mark.get("class") for mark in section.iterfind(".//mark")] == ["missing", "superfluous"]
    assert [text.text_content() for text in section.find_class("text")] == [bad.gold, bad.text]
    assert "1 of 4 words missing" in section.text_content()
    assert "2 of 5 words superfluous" in section.text_content()
    assert "good" not in section.text_content()


def test_a_failure_is_shown_beside_its_page(tmp_path: Path) -> None:
    broken = make_page(0, failure="crash", detail="ValueError: no tag", gold="a", text="")
    section = report_of(tmp_path, make_run("m", [], pages=(broken,))).get_element_by_id("worst")
    assert [note.text for note in section.find_class("failure")] == ["crash: ValueError: no tag"]
    assert "no text" in section.text_content()


def test_a_result_without_texts_says_so(tmp_path: Path) -> None:
    section = report_of(tmp_path, make_run("m", [0.5])).get_element_by_id("worst")
    assert "saved without texts" in section.text_content()


# Differences


def kinds(side: Side) -> list[tuple[str, int]]:
    return [(stretch.kind, stretch.words) for stretch in side.stretches]


def test_case_and_marks_are_not_differences() -> None:
    gold, text = compare_texts("“One”, TWO!", "one two")
    assert (gold.different, text.different) == (0, 0)
    assert [stretch.text for stretch in gold.stretches] == ["“One”, TWO!"]


def test_long_stretches_are_cut_in_the_middle() -> None:
    same, other = "same " * 200, "other " * 300
    gold, text = compare_texts(same, same + other)
    half, third = MAX_SAME // 2, MAX_DIFFERENT // 2
    agreeing = [("same", half), ("cut", 200 - MAX_SAME), ("same", half)]
    assert kinds(gold) == agreeing
    differing = [("different", third), ("cut", 300 - MAX_DIFFERENT), ("different", third)]
    assert kinds(text) == agreeing + differing


def test_a_text_of_many_short_stretches_ends_with_a_cut() -> None:
    # Every second word agrees: no stretch is long, but 2,000 words are.
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
