"""The language of a sample is what its pages declare, or what its words say."""

from __future__ import annotations

import pytest

from forest_crawler.induction import sample as sample_module
from forest_crawler.induction.sample import SamplePage, sample_analyzer
from forest_crawler.page.tree import parse_page

ENGLISH = "It rained on the town and in the hills for a week, and then it was over."
GERMAN = "Es regnete in der Stadt und auf den Hügeln eine Woche lang, und dann war es vorbei."
RUSSIAN = (
    "Дождь шёл над городом и на холмах всю неделю, а потом он кончился, и это было хорошо. " * 9
)


def language_of(*pages: str) -> str:
    return sample_analyzer([SamplePage(parse_page(page)) for page in pages]).language


def test_english_that_nobody_declares_needs_no_detection(monkeypatch: pytest.MonkeyPatch) -> None:
    def detect_language(_text: str) -> str:
        raise AssertionError("detected")

    monkeypatch.setattr(sample_module, "detect_language", detect_language)
    assert language_of(f"<p>{ENGLISH}", f"<p>{ENGLISH}") == "en"


def test_other_languages_are_detected_once(monkeypatch: pytest.MonkeyPatch) -> None:
    detected: list[str] = []

    def detect_language(text: str) -> str:
        detected.append(text)
        return "de"

    monkeypatch.setattr(sample_module, "detect_language", detect_language)
    assert language_of(f"<p>{GERMAN}", f"<p>{GERMAN}") == "de"
    assert len(detected) == 1


def test_a_declared_language_is_tried_before_english() -> None:
    assert language_of(f"<html lang=de><p>{GERMAN}", f"<p>{GERMAN}") == "de"


def test_a_declared_language_that_the_words_contradict_is_corrected() -> None:
    assert language_of(*[f"<html lang=en><p>{RUSSIAN}"] * 2) == "ru"


def test_a_declared_language_stays_where_the_words_show_no_other() -> None:
    names = " ".join(f"Oskar{n} Lindqvist{n}" for n in "abcdefghijklmnopqrstuvwxyzåäöü")
    assert language_of(*[f"<html lang=sv><p>{names}"] * 2) == "sv"
