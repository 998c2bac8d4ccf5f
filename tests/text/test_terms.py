"""Terms are tokens without stop words, stemmed; the language may be detected."""

from __future__ import annotations

import socket

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.text import terms as terms_module
from forest_crawler.text.terms import (
    MAX_TOKEN_LENGTH,
    analyzer_for,
    detect_language,
    is_foreign,
    is_language,
    tokenize,
)


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        # Stems as the published Snowball vocabularies have them.
        pytest.param(
            "en", "The consignment was consisting of it", ["consign", "consist"], id="english"
        ),
        pytest.param("en", "Knightly, KNIGHTS!", ["knight", "knight"], id="english-case"),
        pytest.param("en", "it's don't we've", [], id="english-contractions"),
        pytest.param(
            "de", "Die Häuser sind kategorischer", ["haus", "kategor"], id="german-umlaut"
        ),
        pytest.param("de", "und der aber nicht auch", [], id="german-stop-words"),
        pytest.param("fr", "les continuellement", ["continuel"], id="french"),
        pytest.param("fr", "L'école, qu'elles", ["écol"], id="french-elision"),
        pytest.param("ru", "и в Корабли", ["корабл"], id="russian"),
        # Pairs of characters; those in Hiragana alone are grammar.
        pytest.param("ja", "これは 灯台 です", ["灯台"], id="japanese-grammar"),
        pytest.param("ja", "東京タワー", ["東京", "京タ", "タワ", "ワー"], id="japanese-pairs"),
        # 我们 (we) is a stop word; the pairs across it stay.
        pytest.param("zh", "我们学生", ["们学", "学生"], id="chinese-pairs"),
        pytest.param("zh", "书", ["书"], id="single-character"),
        pytest.param("zh", "北京2024大学", ["北京", "大学"], id="chinese-number-between"),
        pytest.param("th", "ไทย", ["ไท", "ทย"], id="thai-pairs"),
        # No stemmer: Greek has stop words, `xx` has neither.
        pytest.param("el", "και Εφημερίδες", ["εφημερίδες"], id="no-stemmer"),
        pytest.param("xx", "The ferries", ["the", "ferries"], id="unknown-language"),
    ],
)
def test_terms_are_tokens_without_stop_words_stemmed(
    language: str, text: str, expected: list[str]
) -> None:
    assert analyzer_for(language).terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("One, two—three!", ["one", "two", "three"], id="punctuation"),
        pytest.param("x86 3rd a_b", ["x86", "3rd", "a_b"], id="digits-inside"),
        pytest.param("हिन्दी भाषा।", ["हिन्दी", "भाषा"], id="hindi-vowel-signs"),
        pytest.param("cafe\u0301s", ["cafe\u0301s"], id="combining-accent"),
        pytest.param("בַּיִת־ספר", ["בַּיִת", "ספר"], id="hebrew-points"),
        pytest.param("می\u200cخواهم", ["می\u200cخواهم"], id="persian-joiner"),
        pytest.param("Schiff\u00adfahrt", ["schifffahrt"], id="soft-hyphen"),
        pytest.param("👨\u200d👩 \u0301", [], id="no-letter"),
        pytest.param("", [], id="empty"),
    ],
)
def test_words_are_not_cut_at_their_marks(text: str, expected: list[str]) -> None:
    assert tokenize(text) == expected


def test_numbers_are_not_terms() -> None:
    assert analyzer_for("en").terms("In 1984 and 2,000 ٣٤") == []


def test_a_token_that_is_too_long_is_dropped() -> None:
    word = "x" * MAX_TOKEN_LENGTH
    assert tokenize(f"a {word} {word}x b") == ["a", word, "b"]


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_a_text_has_the_same_words_whatever_script_follows_it(text: str) -> None:
    thai = "\u0e01"  # without it most texts take the fast path
    assert tokenize(f"{text} {thai}") == [*tokenize(text), thai]


def test_the_declared_language_wins() -> None:
    assert detect_language("Das ist unverkennbar ein deutscher Satz.", "fr") == "fr"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Das Schiff ist gestern Abend in den Hafen zurückgekehrt.", "de"),
        ("Le bateau est rentré au port hier soir après la tempête.", "fr"),
        ("The ship returned to the harbour yesterday after the storm.", "en"),
        ("昨日の夜、船は港に戻りました。", "ja"),
        (" \n ", "en"),
    ],
    ids=["german", "french", "english", "japanese", "blank"],
)
def test_the_language_is_detected_if_the_page_does_not_declare_it(text: str, expected: str) -> None:
    assert detect_language(text) == expected


def test_nothing_is_downloaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(nltk.data, "path", [])
    terms_module._terms.cache_clear()
    for language in terms_module._SNOWBALL:
        assert analyzer_for(language).terms("xylofonist")
    assert detect_language("Das Schiff ist in den Hafen zurückgekehrt.") == "de"


def test_a_stem_does_not_depend_on_the_words_before_it() -> None:
    # Arabic: 'your house' carries a suffix that nltk's stemmer remembers, and 'he calls' ends in
    # waw, which it then takes for an ending too.
    words = ["بيتك", "يدعو"]
    terms_module._terms.cache_clear()
    forwards = analyzer_for("ar").terms(" ".join(words))
    terms_module._terms.cache_clear()
    assert analyzer_for("ar").terms(" ".join(reversed(words))) == forwards[::-1]


ANY_TEXT = st.text() | st.text(
    st.characters(
        min_codepoint=0x41, max_codepoint=0x6FF, categories=["Lu", "Ll", "Lo", "Mn", "Zs"]
    )
)


@given(st.sampled_from([*terms_module._SNOWBALL, "ja", "zh", "hi", "xx", ""]), ANY_TEXT, ANY_TEXT)
def test_any_text_in_any_language_gives_terms_line_by_line(
    language: str, first: str, second: str
) -> None:
    analyzer = analyzer_for(language)
    both = analyzer.terms(f"{first}\n{second}")
    assert both == analyzer.terms(first) + analyzer.terms(second)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        # Stop words: the, is, to, and, on, of, the, in, the: 9 of 13.
        ("The ferry is back to stay and sails on most of the days", "en", True),
        ("Die Fähre ist zurück und fährt an den meisten der Tage in der Woche", "en", False),
        ("Die Fähre ist zurück und fährt an den meisten der Tage in der Woche", "de", True),
        ("Ferry is back", "en", False),  # too few words to be sure
        # By their scripts: Kana beside Han, Han alone, Greek, Hangul.
        ("東京の灯台は新しい光で海を照らしています", "ja", True),
        ("東京の灯台は新しい光で海を照らしています", "zh", False),
        ("北京的灯塔用新的光照亮了整个大海和海岸", "zh", True),
        ("北京的灯塔用新的光照亮了整个大海和海岸", "ja", False),
        ("Το πλοίο γύρισε και σαλπάρει τις πιο πολλές μέρες της εβδομάδας", "el", True),
        ("The ferry Ελλη is back to stay and sails on most of the days", "el", False),
        ("배가 돌아와서 일주일 가운데 거의 모든 날에 다시 바다로 나간다", "ko", True),
    ],
    ids=(
        "english not-english german too-short japanese not-chinese chinese not-japanese greek "
        "not-greek korean"
    ).split(),
)
def test_a_language_is_confirmed_by_its_stop_words_or_script(
    text: str, language: str, expected: bool
) -> None:
    assert is_language(tokenize(text), language) is expected


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("Дождь шёл над городом и на холмах. " * 9, "en", True),
        ("Дождь шёл над городом и на холмах. " * 9, "ru", False),
        ("Die Fähre ist zurück und fährt an den meisten der Tage. " * 9, "en", True),
        ("北京的灯塔用新的光照亮了整个大海和海岸。" * 9, "el", True),
        ("The ferry is back to stay. " * 9, "zh", True),  # 54 tokens without any Han
        ("Дождь шёл над городом.", "en", False),  # too few words to be sure
        ("Дождь шёл над городом и на холмах. " * 9, "xx", False),  # no stop words are known
    ],
    ids="cyrillic russian german not-greek not-chinese too-short unknown".split(),
)
def test_a_language_is_contradicted_by_its_stop_words_or_script(
    text: str, language: str, expected: bool
) -> None:
    assert is_foreign(tokenize(text), language) is expected


def test_known_terms_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms_module._Terms, "MAX_SIZE", 3)
    terms = terms_module._Terms("en")
    assert [terms[word] for word in ("ferries", "the", "sails", "houses")] == [
        *("ferri", None, "sail", "hous")
    ]
    assert dict(terms) == {"houses": "hous"}
