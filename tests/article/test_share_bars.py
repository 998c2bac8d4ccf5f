"""Share bars after the updates of a live blog are left out; everything else stays."""

from __future__ import annotations

import pytest

from forest_crawler.article.content.forms import read_parts, write_blocks
from forest_crawler.page.selection import select_elements
from forest_crawler.page.tree import parse_page


def text_of(body: str) -> str:
    tree = parse_page(f"<body>{body}", url="http://gazette.example/live")
    return write_blocks(read_parts(select_elements(tree, [tree.body]))).text


@pytest.mark.parametrize(
    "bar",
    [
        "<div class=share-bar><a href=/f>Facebook</a> <a href=/t>X</a></div>",
        "<ul class='update__share'><li><a href=/f>Facebook</a><li><button>Copy link</button></ul>",
        "<div class=social><a href=/f>Share</a></div>",
    ],
)
def test_a_share_bar_after_each_update_goes(bar: str) -> None:
    updates = "".join(f"<h2>{n}:00</h2><p>The ferry leaves.</p>{bar}" for n in range(7, 9))
    assert text_of(updates) == "7:00\n\nThe ferry leaves.\n\n8:00\n\nThe ferry leaves."


def test_links_that_repeat_are_buttons_whatever_they_say() -> None:
    updates = "".join(f"<p>Update {n}</p><p><a href=/s?{n}>Partager</a></p>" for n in range(3))
    assert text_of(updates) == "Update 0\n\nUpdate 1\n\nUpdate 2"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        ("<p class=share-price>Shares <a href=/x>fell</a>.", "Shares fell."),
        ("<p class=share>We share what we have.", "We share what we have."),
        (f"<div class=social><a href=/x>@ann</a> {'said so ' * 20}</div>", None),
        ("<p><a href=/a>Part</a><p>One<p><a href=/b>Part</a>", "Part\n\nOne\n\nPart"),
        ("<p>Again!<p>Again!<p>Again!", "Again!\n\nAgain!\n\nAgain!"),
    ],
    ids="price sentence embedded-post two-links no-links".split(),
)
def test_other_text_stays(body: str, text: str | None) -> None:
    assert text_of(body) == (text or "@ann " + ("said so " * 20).strip())
