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
