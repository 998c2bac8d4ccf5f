"""htmldate finds in a small page what it finds in the whole one."""

import pytest
from htmldate import find_date

from forest_crawler.metadata import date_search
from forest_crawler.metadata.date_search import guess_date
from forest_crawler.page.tree import PageTree, parse_page

URL = "http://gazette.example/2026/03/06/rain.html"


def guess_day(tree: PageTree) -> str | None:
    found = guess_date(tree)
    return found.date().isoformat() if found else None


PAGES = {
    "meta": ("<meta name=pdate content=2026-03-06><p>It rained.", "2026-03-06"),
    "class": ("<p>It rained.<div class=post-meta><b>6</b> March 2026</div>", "2026-03-06"),
    "itemprop": ("<p>It rained.<span itemprop=uploadDate>March 6, 2026</span>", "2026-03-06"),
    "footer": ("<p>It rained.<footer>6 March 2026</footer>", "2026-03-06"),
    "heading": ("<h1>News of 6 March 2026</h1><p>It rained.", "2026-03-06"),
    "time": ("<p>It rained.<time datetime=2026-03-06>on Friday</time>", "2026-03-06"),
    "abbr": ("<p><abbr class=published title=2026-03-06>then</abbr>", "2026-03-06"),
    "a moment in an attribute": ("<p><i title='2026-03-06 07:30:00'>then</i>", "2026-03-06"),
    "an argument of a link": ("<p><a href='?date=16/03/2026'>print</a>", "2026-03-16"),
    "a word before numbers": ("<p>Posted on 16.03.2026 by Ann", "2026-03-16"),
    "numbers in the text": ("<p>It rained.<p>Gazette 2026-03-06 edition", "2026-03-06"),
    "the first of two": ("<p>2026-03-06</p><p>2026-03-09</p>", "2026-03-06"),
    "digits that aren't a date": ("<p>Call 555-1234.<div class=meta>12 comments</div>", None),
    "a text before an attribute": (
        "<p>Printed 2026-03-06 07:30:00</p><p><a href='?at=2026-03-09 07:30:00'>more</a>",
        "2026-03-06",
    ),
    "an attribute before a date line": (
        "<p><i title='2026-03-06 07:30:00'>then</i></p><p>More: <b>2026-03-09 07:30:00</b>",
        "2026-03-06",
    ),
    "a label": ("<p>It rained.<label>Printed 2026-03-06</label>", None),
    "a date line in a map": ("<p>It rained.<map><i class=date>2026-03-06</i></map>", None),
    "a moment in a picture": ("<picture data-at='2026-03-06 07:30:00'></picture>", None),
    "a text after a label": ("<p><label>Printed</label> 2026-03-06 at noon", "2026-03-06"),
    "a label in a date line": (
        "<p class=date><label>Until 2026-09-01</label> 6 March 2026</p>",
        "2026-03-06",
    ),
    "only a label in a date line": ("<p class=date><label>2026-03-06</label></p>", None),
    "an archive's bar": ("<div id=wm-ipp><b>2026-03-06</b></div><p>It rained.", None),
    "a time with another element": ("<p>Next: <time><b>6 March 2026</b></time>", None),
    "a named time with another element": (
        "<p>It rained.<time class=date><b>6 March 2026</b></time>",
        "2026-03-06",
    ),
    "nothing": ("<p>It rained.", None),
}


@pytest.mark.parametrize(("body", "day"), PAGES.values(), ids=PAGES)
def test_the_date_is_guessed(body: str, day: str | None) -> None:
    assert guess_day(parse_page(body)) == day


@pytest.mark.parametrize("body", [body for body, _ in PAGES.values()], ids=PAGES)
def test_it_is_the_one_that_htmldate_finds_in_the_whole_page(body: str) -> None:
    page = f"<!doctype html><html>{body}</html>"
    whole = find_date(page, extensive_search=False, original_date=True)
    assert guess_day(parse_page(page)) == whole


def test_the_date_is_guessed_from_the_url() -> None:
    assert guess_day(parse_page("<p>It rained.", url=URL)) == "2026-03-06"


def test_guessing_a_date_does_not_change_the_tree() -> None:
    tree = parse_page("<script>1</script><p>It rained.<p class=date>2026-03-06")
    before = tree.annotated_xml()
    guess_date(tree)
    assert tree.annotated_xml() == before


def test_only_the_beginning_of_a_long_text_is_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = parse_page(f"<p>{100 * 'It rained. '}<p>Published on 2026-03-06 at noon.")
    assert guess_day(tree) == "2026-03-06"
    monkeypatch.setattr(date_search, "MAX_TEXT", 1000)
    assert guess_day(tree) is None


def test_nested_date_lines_are_read_in_bounded_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    nested = 50 * "<span class=date>" + 50 * "</span>"
    tree = parse_page(f"{nested}<p class=date><b>March 6, 2026</b>")
    assert guess_day(tree) == "2026-03-06"
    monkeypatch.setattr(date_search, "MAX_ALL_STEPS", 1000)  # 2500 and more for the 50
    assert guess_day(tree) is None


@pytest.mark.parametrize("name", ["a:b", "x&y", '"', "1"])
def test_odd_attributes_and_control_characters_are_survived(name: str) -> None:
    page = (
        f"<meta {name}=1 name=pdate content='2026-03-06\x07'><p {name}=2 class=date>\x02 5/5/2026"
    )
    assert guess_day(parse_page(page)) == "2026-03-06"
