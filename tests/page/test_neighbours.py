"""What is next to an element is found without numbering the page."""

import pytest

from forest_crawler.page.neighbours import comes_before_text
from forest_crawler.page.tree import parse_page


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<p id=x>It rained.</p><img>", True),
        ("<p id=x>It rained.</p> <div><br><b> <img></b></div>", True),
        ("<p id=x>It rained.</p>Read on <img>", False),
        ("<p id=x>It rained.</p><p>Read on <img></p>", False),
        ("<div><p id=x>It rained.</p></div><img>", True),
        ("<div><p id=x>It rained.</p>Read on</div><img>", False),
        ("<img><p id=x>It rained.</p>", True),
        ("<img> Menu <p id=x>It rained.</p>", False),
        ("<div><img></div><div><p id=x>It rained.</p></div>", True),
        ("<div><img>Menu</div><div><p id=x>It rained.</p></div>", False),
        ("<img><div>Menu<p id=x>It rained.</p></div>", False),
        # A figure counts as a whole, with its caption.
        ("<figure><img><figcaption>Rain</figcaption></figure><p id=x>It rained.</p>", True),
        ("<p id=x>It <img> rained.</p>", False),
        ("<p id=x>It rained.</p>", False),
    ],
)
def test_a_picture_is_next_to_an_element_if_no_text_is_between(page: str, expected: bool) -> None:
    body = parse_page(page).body
    element = next(it for it in body.iter() if it.get("id") == "x")
    assert comes_before_text(element, body, {"img", "figure"}) is expected
