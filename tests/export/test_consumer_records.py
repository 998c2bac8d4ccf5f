"""The simulations show the words that the real programs have shown of the bundled pages.

`tests/data/consumers/shown.json` has the rules and digests of the words, as `make consumers` has
recorded them from the programs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.datasets.labelled_pages import read_pages
from forest_crawler.export.checked_page import CheckedPage, words_of
from forest_crawler.export.targets import (
    FEEDIRON,
    FRESHRSS,
    MINIFLUX,
    RSS_BRIDGE,
    CssRules,
    show_site_config,
)
from forest_crawler.page.encoding import decode_page

RECORDS = Path(__file__).parents[1] / "data" / "consumers" / "shown.json"
RECORDED: dict[str, Any] = json.loads(RECORDS.read_bytes())
PAGES_PER_SITE = 4  # of the ten or so: the others are compared by `make consumers`


def _by_css(target: Any) -> Callable[[CheckedPage, Any], str]:
    return lambda page, rules: str(target.show(page, CssRules(*rules)))


SIMULATIONS: dict[str, Callable[[CheckedPage, Any], str]] = {
    "graby": show_site_config,
    "Miniflux": _by_css(MINIFLUX),
    "FreshRSS": _by_css(FRESHRSS),
    "RSS-Bridge": _by_css(RSS_BRIDGE),
    "FeedIron": FEEDIRON.show,
}


@pytest.fixture(scope="module")
def pages() -> dict[str, dict[str, CheckedPage]]:
    found: dict[str, dict[str, CheckedPage]] = {}
    for directory in bundled_sites():
        for page in read_pages(directory):
            source = page.source if isinstance(page.source, str) else decode_page(page.source)[1]
            found.setdefault(directory.name, {})[page.id] = CheckedPage("", source, "")
    return found


@pytest.mark.parametrize("program", SIMULATIONS)
def test_a_simulation_shows_the_words_of_the_real_program(
    program: str, pages: dict[str, dict[str, CheckedPage]]
) -> None:
    recorded = RECORDED[program]["sites"]
    assert set(recorded) == set(pages)
    different = [
        f"{site}/{name}"
        for site, it in recorded.items()
        for name, expected in list(it["pages"].items())[:PAGES_PER_SITE]
        if _digest(SIMULATIONS[program](pages[site][name], it["rules"])) != expected
    ]
    assert different == []


def _digest(markup: str) -> str:
    return hashlib.sha256(" ".join(words_of(markup)).encode()).hexdigest()[:16]
