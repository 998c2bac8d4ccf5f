"""Whether an element is inside a sentence; the element is <i>."""

from __future__ import annotations

import pytest
from lxml import html

from forest_crawler.page.sentences import MAX_STEPS, is_within_sentence


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>before <i>x</i> after</p>", True),
        ("<p><b>before</b><i>x</i><b>after</b></p>", True),
        ("<p>before <b><i>x</i></b> after</p>", True),
        ("<p>before <b>and <i>x</i></b></p>", False),
        ("<p>before <i>x</i></p>", False),
        ("<p><i>x</i> after</p>", False),
        ("<p>before – <i>x</i> (!)</p>", False),
        ("<p>before<br><i>x</i><br>after</p>", False),
        ("<p>before<br>and <i>x</i> after</p>", True),
        ("<div>before<p>and</p><i>x</i> after</div>", False),
        ("<div><p>before</p> and <i>x</i> after<p>more</p></div>", True),
        ("<div>before <i>x</i><p>after</p></div>", False),
        ("<p>сначала <i>x</i> потом</p>", True),
    ],
)
def test_words_before_and_after_on_the_same_line_make_a_sentence(
    source: str, expected: bool
) -> None:
    (element,) = html.fromstring(source).iter("i")
    assert is_within_sentence(element) is expected


def test_a_block_is_never_within_a_sentence() -> None:
    box = html.fromstring("<div>before <section>x</section> after</div>")[0]
    assert not is_within_sentence(box)


def test_words_that_are_dropped_too_do_not_count() -> None:
    line = html.fromstring("<p>Share: <a>one</a> | <i>x</i> | <a>two</a></p>")
    first, inside, last = line
    assert is_within_sentence(inside)
    assert not is_within_sentence(inside, {first, inside, last})


def test_a_long_row_of_links_costs_a_bounded_number_of_steps() -> None:
    row = html.fromstring("<p>one " + "<i></i>" * 4 * MAX_STEPS + " two</p>")
    assert not is_within_sentence(row[2 * MAX_STEPS])
    assert is_within_sentence(html.fromstring("<p>one " + "<i></i>" * 9 + " two</p>")[4])
