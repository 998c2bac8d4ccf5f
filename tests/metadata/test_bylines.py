"""A byline's text is read as names, without what says whose work it is."""

from __future__ import annotations

import pytest

from forest_crawler.metadata.bylines import read_bylines, read_names
from forest_crawler.page.tree import parse_page


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


@pytest.mark.parametrize(
    "text",
    [
        "von Ann Lee",
        "Ein Beitrag von Ann Lee",
        "Erstellt von: Ann Lee",
        "Zeige alle Beiträge von Ann Lee",
        "Publié par Ann Lee",
        "Escrito por Ann Lee",
        "Posted on March 6, 2026 by Ann Lee",
        "Published Friday 6 March 2026 by Ann Lee",
        "Autorin: Ann Lee",
        "Interview: Ann Lee",
        "Redaktion: Ann Lee (Gazette)",
    ],
)
def test_what_announces_the_names_is_not_a_name(text: str) -> None:
    assert read_names(text) == ("Ann Lee",)


@pytest.mark.parametrize("text", ["Name *", "Benutzername", "Registrieren", "Veröffentlicht am"])
def test_labels_of_forms_and_dates_are_not_names(text: str) -> None:
    assert read_names(text) == ()


def test_a_reader_s_comment_and_its_form_are_not_bylines() -> None:
    comments = (
        "<div class=comment-author>Bo Ek</div><p>Rain, too</p>"
        "<p class=comment-form-author><label>Your alias</label>"
    )
    assert read_bylines(parse_page(f"<h1>Rain</h1><p>It rained</p>{comments}")) == ()
    byline = "<p class=author>Ann Lee</p>"
    found = read_bylines(parse_page(f"<h1>Rain</h1><p>It rained</p>{comments}{byline}"))
    assert found == ("Ann Lee",)


@pytest.mark.parametrize(
    ("body", "names"),
    [
        pytest.param("<p><b>March 6 | By</b> <b>Ann Lee</b> <b>Gazette", (), id="with more"),
        pytest.param("<p><b>March 6</b> <i>by</i> <b>Ann Lee</b>", ("Ann Lee",), id="by"),
        pytest.param("<p>Gazette</p><p>Autor:</p><p>Bo Ek/dpa</p>", ("Bo Ek",), id="label"),
        pytest.param("<p>Some rain" * 50 + "<p>by<p>Ann Lee", (), id="by, far away"),
        pytest.param(
            "<p>Some rain" * 50 + "<p>Written by<p>Ann Lee", ("Ann Lee",), id="label, far away"
        ),
        pytest.param("<p>by</p><p>the sea</p>", (), id="no name"),
        pytest.param("<aside><b>by</b> <b>Bo Ek</b></aside>", (), id="aside"),
    ],
)
def test_the_text_after_a_label_names_the_authors(body: str, names: tuple[str, ...]) -> None:
    assert read_bylines(parse_page(f"<h1>Rain</h1><p>It rained</p>{body}")) == names
