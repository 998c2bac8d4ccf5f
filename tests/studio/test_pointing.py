"""Clicks on elements become rules that strip what was meant, and nothing else."""

from __future__ import annotations

from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.studio.pointing import Click, Rules, apply_clicks
from forest_crawler.wrapper.locators import write_css

ROWS = (
    "<main><div class='row text'>It rained.</div><div class='row share'>Share</div>"
    "<div class='row tags'>Rain</div>{}</main>"
)


def strip(pages: list[PageTree], *numbers: tuple[int, int]) -> list[str]:
    """Point at `main` of the first page, then strip elements; return the strip rules as CSS."""
    clicks = [Click(0, 2, "body"), *(Click(page, dfs, "strip") for page, dfs in numbers)]
    rules = apply_clicks(pages, Rules(), clicks)
    assert [write_css(it) for it in rules.body] == ["main"]
    assert rules.notes == []
    return sorted(write_css(it) for it in rules.strip)


# dfs numbers: body 1, main 2, the rows 3, 4 and 5, what follows 6
def test_two_names_are_better_than_one_that_the_text_has_too() -> None:
    pages = [parse_page(ROWS.format("")) for _ in range(3)]
    assert strip(pages, (0, 4), (0, 5)) == ["div.share", "div.tags"]


def test_the_same_name_on_another_page_with_clicks_is_not_a_mistake() -> None:
    advert = "<div class='row advert'>Buy</div>"
    pages = [parse_page(ROWS.format(it)) for it in ("", advert, advert)]
    assert strip(pages, (0, 4), (1, 6)) == ["div.advert", "div.share"]


def test_a_name_of_one_page_is_better_than_a_position_that_content_has() -> None:
    caption, advert = "<div>A caption.</div>", "<div class='advert'>Buy</div>"
    pages = [parse_page(f"<main><p>It rained.</p>{it}</main>") for it in (advert, caption, caption)]
    assert strip(pages, (0, 4)) == ["div.advert"]
