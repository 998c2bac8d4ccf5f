"""The document slope curve finds stretches with few tags, perhaps several."""

from __future__ import annotations

import numpy as np
import pytest

from forest_crawler.extraction.methods.dsc import DocumentSlopeExtractor, low_slope_tokens
from forest_crawler.page.tree import parse_page


def spans(flags: list[bool]) -> list[tuple[int, int]]:
    """Return the runs of true flags as (start, end), end excluded."""
    edges = np.flatnonzero(np.diff([False, *flags, False]))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


# Windows of 4 tokens start at 0, 2, 4, ...; T is a tag, w a word.
@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        # Slope 12/24, low is below 0.25. Low: the windows at 6, 8, 10, 12, 14 (no tag in them);
        # those at 4 and 16 have 2/4. The windows at 6, 8, 10 open, those at 16, 18, 20 close.
        pytest.param("T" * 6 + "w" * 12 + "T" * 6, [(6, 18)], id="one-area"),
        # Only the windows at 6 and 8 are without a tag: two do not open an area.
        pytest.param("T" * 6 + "w" * 6 + "T" * 6, [], id="two-low-windows-are-too-few"),
        # Slope 22/38, low is below 0.29. High in between: the windows at 16 and 18, with 2/4.
        # Two do not close; those at 26, 28, 30 do, and the one at 24 ends at 28.
        pytest.param(
            "T" * 10 + "w" * 8 + "TT" + "w" * 8 + "T" * 10,
            [(10, 28)],
            id="two-high-windows-do-not-close",
        ),
        # Slope 28/44, low is below 0.32. High: 16 (2/4), 18 (4/4), 20 (4/4): closed at 18.
        pytest.param(
            "T" * 10 + "w" * 8 + "T" * 8 + "w" * 8 + "T" * 10,
            [(10, 18), (26, 34)],
            id="two-areas",
        ),
        # The area is still open at the end; the last window, at 16, has its 4 tokens.
        pytest.param("T" * 10 + "w" * 10, [(10, 20)], id="open-at-the-end"),
        # Every window of "TwTw" has 1/2, as the document: not below half of it.
        pytest.param("Tw" * 10, [], id="even-slope"),
        # Slope 1/2, and every window of "Twww" has 1/4: exactly half is not low.
        pytest.param("T" * 8 + "Twww" * 4, [], id="half-the-slope-is-not-low"),
        pytest.param("Tw", [], id="shorter-than-a-window"),
    ],
)
def test_low_slope_areas(tokens: str, expected: list[tuple[int, int]]) -> None:
    is_tag = np.array([kind == "T" for kind in tokens])
    assert spans(low_slope_tokens(is_tag, 4).tolist()) == expected


def test_the_paragraph_after_a_menu_is_found() -> None:
    # Tokens: 0 <body>, 1 <ul>, five times <li><a>Link</a></li> at 2..26, 27 </ul>, 28 <p>,
    # 29..44 words, 45 </p>, 46 </body>: slope 26/47 = 0.55, low is below 0.277, at most 1 tag in 4.
    # In the menu every window has at least 3 tags. Those from 28 to 42 have at most 1.
    words = " ".join(f"w{i}" for i in range(16))
    tree = parse_page(
        "<body><ul>" + "<li><a href=/>Link</a></li>" * 5 + f"</ul><p>{words}</p></body>"
    )
    assert DocumentSlopeExtractor(window=4).extract(tree).text == words


def test_the_window_length_decides_how_short_a_text_may_be() -> None:
    # The same page: 47 tokens are three windows of 24, of which the first two contain the menu.
    words = " ".join(f"w{i}" for i in range(16))
    tree = parse_page(
        "<body><ul>" + "<li><a href=/>Link</a></li>" * 5 + f"</ul><p>{words}</p></body>"
    )
    assert not DocumentSlopeExtractor(window=24).extract(tree)
