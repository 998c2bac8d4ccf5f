"""Labels of advertisements are recognised as whole lines, in many languages."""

from __future__ import annotations

import pytest

from forest_crawler.text.ad_labels import is_ad_label


@pytest.mark.parametrize(
    ("text", "is_label"),
    [
        ("Advertisement", True),
        ("ADVERTISEMENT", True),
        ("— Anzeige —", True),
        ("[Publicité]", True),
        ("Реклама", True),
        ("広告", True),
        ("Sponsored content", True),
        ("Story continues below advertisement", True),
        ("Article continues after this ad", True),
        ("Continue reading below the advertisement", True),
        ("Story continues below", False),
        ("Werbung wirkt", False),
        ("The pub", False),
        ("12", False),
        ("", False),
    ],
)
def test_a_line_is_a_label_only_as_a_whole(text: str, is_label: bool) -> None:
    assert is_ad_label(text) is is_label
