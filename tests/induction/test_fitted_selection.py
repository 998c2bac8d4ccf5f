"""A fit selects on its sample what its wrapper selects on any page."""

from __future__ import annotations

import pytest

from forest_crawler.induction.fitted_selection import select_fit
from forest_crawler.induction.fitting import Fit
from forest_crawler.page.tree import parse_page
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator, Step, write_xpath
from forest_crawler.wrapper.name_tree import NameTree
from forest_crawler.wrapper.wrapper import Wrapper

STORY: Locator = (Step("//", "div", (("id", "story"),)),)
TITLE: Locator = (Step("//", "h1"),)
NOTE: Locator = (Step("//", "b", (("class", "note"),)),)


@pytest.mark.parametrize(
    ("story", "expected"),
    [
        ("<p>Rain<p><b class=note>Ad</b>", "Head\nRain"),
        ("<p>Rain <b class=note>soaked</b> us", "Head\nRain soaked us"),  # else a hole
        ("<p>Rain<div id=story>Hail</div>", "Head\nRain\nHail"),  # once
    ],
)
def test_a_fit_selects_what_its_wrapper_does(story: str, expected: str) -> None:
    tree = parse_page(f"<h1>Head</h1><div id=story>{story}</div>")
    page = PageNames(tree.outline)
    fit = Fit((STORY, TITLE), (NOTE,))
    found = select_fit(tree, page, NameTree([page], min_pages=1), fit)
    body = tuple(write_xpath(it) for it in fit.body)
    wrapper = Wrapper("site", "forest", "portable", body, (write_xpath(NOTE),))
    assert found.text == wrapper.select(tree).text == expected
