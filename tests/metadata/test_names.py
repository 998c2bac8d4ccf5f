"""Several authors in one string are split; addresses and handles aren't names."""

from __future__ import annotations

import pytest

from forest_crawler.metadata.names import drop_handles, split_names


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Ann Lee and Bo Ek", "en", ["Ann Lee", "Bo Ek"]),
        ("Ann Lee, Bo Ek and Cy Dee", "en", ["Ann Lee", "Bo Ek", "Cy Dee"]),
        ("Anna Meier und Bo Ek, Nairobi", "de", ["Anna Meier", "Bo Ek"]),
        ("Anna Meier und Bo Ek, New York", "de", ["Anna Meier", "Bo Ek"]),
        ("Jean Dupont et Marie Roy, à Paris", "fr", ["Jean Dupont", "Marie Roy"]),
        ("Anna Nowak i Jan Kowal", "pl", ["Anna Nowak", "Jan Kowal"]),
        ("Anna Nowak i Jan Kowal", "en", ["Anna Nowak i Jan Kowal"]),
        ("José Ortega y Gasset", "es", ["José Ortega y Gasset"]),
        ("Иван Петров и Анна Белова", "ru", ["Иван Петров", "Анна Белова"]),
        ("Ann Lee & Bo Ek", None, ["Ann Lee", "Bo Ek"]),
        ("Ann Lee; Bo Ek", None, ["Ann Lee", "Bo Ek"]),
        ("Linny and Peter", None, ["Linny", "Peter"]),
        ("Ann Lee, Rome", None, ["Ann Lee"]),
        ("Ann Lee, MS, Ph.D.", None, ["Ann Lee, MS, Ph.D."]),
        ("Reyes, Callum", None, ["Reyes, Callum"]),
        ("Department of Health and Social Care", "en", ["Department of Health and Social Care"]),
        ("Lee & Lee", None, ["Lee & Lee"]),
        ("Ann Lee a.lee@gazette.example", None, ["Ann Lee"]),
        ("a.lee@gazette.example", None, ["a.lee@gazette.example"]),
        ("Ann Lee | The Gazette", None, ["Ann Lee"]),
        ("Ann Lee and Bo Ek |", None, ["Ann Lee", "Bo Ek"]),
        ("| Ann Lee", None, ["Ann Lee"]),
        ("Ann Lee<br>The Gazette", None, ["Ann Lee"]),
        ("<a href='/ann'>Ann Lee</a>", None, ["Ann Lee"]),
        ("<b>Ann Lee</b>, The Gazette", None, ["Ann Lee"]),
        ("<a.lee@gazette.example>", None, ["a.lee@gazette.example"]),
        ("The Gazette (", None, ["The Gazette"]),
        ("(Ann Lee)", None, ["Ann Lee"]),
        ("Ann Lee (Nairobi)", None, ["Ann Lee (Nairobi)"]),
        ("|", None, []),
        ("", None, []),
    ],
)
def test_names_are_split_in_their_language(
    text: str, language: str | None, names: list[str]
) -> None:
    assert list(split_names(text, language)) == names


@pytest.mark.parametrize(
    ("names", "kept"),
    [
        (["Emma Mackenzie", "emma-mackenzie"], ["Emma Mackenzie"]),
        (["d.kuckelkorn@gazette.example", "Dora Kuckelkorn"], ["Dora Kuckelkorn"]),
        (["emma-mackenzie"], ["emma-mackenzie"]),
        (["Prince", "@prince"], ["Prince"]),
        ([], []),
    ],
)
def test_handles_and_addresses_are_no_second_authors(names: list[str], kept: list[str]) -> None:
    assert list(drop_handles(names)) == kept
