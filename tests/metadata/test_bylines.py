"""A byline's text is read as names, without what says whose work it is."""

from __future__ import annotations

import pytest

from forest_crawler.metadata.bylines import read_names


@pytest.mark.parametrize(
    ("text", "language", "names"),
    [
        ("Fotografie di Elio Zanardi", "it", ("Elio Zanardi",)),
        ("Fotografie di Elio Zanardi e Nives Bortolin", "it", ("Elio Zanardi", "Nives Bortolin")),
        ("Testo e foto di Ida Neri", "it", ("Ida Neri",)),
        ("Photos by Ann Lee", "en", ("Ann Lee",)),
        ("Words and pictures: Ann Lee", "en", ("Ann Lee",)),
        ("Fotos: Bo Ek", "de", ("Bo Ek",)),
        ("Text von Bo Ek", "de", ("Bo Ek",)),
        ("Fotografías de Inés Vega", "es", ("Inés Vega",)),
        ("Foto Ek", "sv", ("Foto Ek",)),  # an agency
        ("Di Maio", "it", ("Di Maio",)),
    ],
)
def test_a_credit_before_the_names_is_not_a_name(
    text: str, language: str, names: tuple[str, ...]
) -> None:
    assert read_names(text, language) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("rain4ever", ("rain4ever",)),
        ("rain4ever 6 March 2026", ("rain4ever",)),
        ("Ann Lee22 Mar 2026", ("Ann Lee",)),
        ("Ann Lee Friday, March 6, 2026", ("Ann Lee",)),
        ("Ann Lee am 06.03.2026", ("Ann Lee",)),
        ("Ann Lee le 6 mars 2026", ("Ann Lee",)),
        ("Ann Lee am", ("Ann Lee",)),
        ("Ann Lee Stand: 06.03.2026", ("Ann Lee",)),
        ("Ann Le, 6 March 2026", ("Ann Le",)),
        ("Joe Friday", ("Joe Friday",)),
    ],
)
def test_a_date_after_the_names_ends_them(text: str, names: tuple[str, ...]) -> None:
    assert read_names(text) == names
