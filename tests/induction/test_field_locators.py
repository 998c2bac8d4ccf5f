"""What sibling pages show of their metadata is located where they show it, or not at all."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from itertools import permutations

import pytest

from forest_crawler.datasets.bundled_sites import bundled_sites
from forest_crawler.feed.reader import read_feed
from forest_crawler.feed.records import FeedEntry
from forest_crawler.induction.field_locators import FieldLocators, locate_fields
from forest_crawler.metadata.page_metadata import PageMetadata, read_metadata
from forest_crawler.page.tree import PageTree, parse_page
from forest_crawler.page.xpath import ElementPath
from forest_crawler.text.dates import find_day
from forest_crawler.wrapper.element_names import PageNames
from forest_crawler.wrapper.locators import Locator, write_xpath

WORDS = ("Rain", "Wind", "Snow", "Hail", "Frost")
AUTHORS = ("Ann Lee", "Bo Ek", "Cy Orr", "Dee Ash", "Eve Im")


def said(number: int) -> PageMetadata:
    """What page `number` of the hand-made site says of itself."""
    return PageMetadata(
        titles=(f"{WORDS[number]} over the hills",),
        authors=(AUTHORS[number],),
        published=datetime(2026, 3, number + 1, tzinfo=UTC),
        description=f"{WORDS[number]} fell on the hills all night, and the sheep came down early.",
        image=f"http://hills.example/img/{WORDS[number]}.jpg",
        sitename="Hill Herald",
    )


def shown(number: int) -> str:
    """The page that shows all of it, each in its own element, amid the same of a neighbour."""
    page, other = said(number), said((number + 1) % len(WORDS))
    return f"""
<div class="top"><a href="/">Hill Herald</a> <img src="/logo.png"></div>
<div class="story">
<h1>{page.title}</h1>
<p class="lead">{page.description}</p>
<p class="by"><b>{page.authors[0]}</b> <i class="day">{number + 1} March 2026</i></p>
<div class="photo"><img src="img/{WORDS[number]}.jpg"></div>
<p>The shepherds had seen it come.</p><p>Nobody else had.</p><p>Nor the dog.</p><p>Again.</p>
</div>
<div class="more"><h2>{other.title}</h2><p>{other.description}</p><b>{other.authors[0]}</b></div>"""


def locate(
    bodies: Sequence[str],
    metadata: Sequence[PageMetadata],
    entries: Sequence[FeedEntry | None] | None = None,
) -> FieldLocators:
    pages = [PageNames(parse_page(f"<body>{body}</body>").outline) for body in bodies]
    return locate_fields(pages, metadata, entries or [None] * len(pages))


def xpath(locator: Locator | None) -> str | None:
    return write_xpath(locator) if locator else None


def of_class(tag: str, name: str) -> str:
    return f"//{tag}[contains(concat(' ',normalize-space(@class),' '),' {name} ')]"


ALL = range(len(WORDS))
PAGES = [shown(number) for number in ALL]
SAID = [said(number) for number in ALL]


def test_each_field_is_located_by_the_least_costly_name_that_selects_it_alone() -> None:
    fields = locate(PAGES, SAID)
    assert xpath(fields.title) == "//h1"
    assert xpath(fields.lead) == of_class("p", "lead")
    assert xpath(fields.author) in (of_class("p", "by") + "/b", of_class("p", "by") + "//b")
    assert xpath(fields.date) == of_class("i", "day")
    assert (xpath(fields.image) or "").startswith(of_class("div", "photo"))


def test_pages_in_any_order_give_the_same_locators() -> None:
    expected = locate(PAGES, SAID)
    for order in list(permutations(ALL))[::17]:
        assert locate([PAGES[i] for i in order], [SAID[i] for i in order]) == expected


def test_a_feed_entry_says_what_the_page_does_not() -> None:
    entries = [
        FeedEntry(
            page.title or "",
            page.description or "",
            published=page.published,
            authors=page.authors,
        )
        for page in SAID
    ]
    without = locate(PAGES, [PageMetadata() for _ in ALL], entries)
    assert without == replace(locate(PAGES, SAID), image=None)


def test_nothing_is_located_from_a_single_page() -> None:
    assert locate(PAGES[:1], SAID[:1]) == FieldLocators()


def test_nothing_is_located_where_nothing_is_said() -> None:
    assert locate(PAGES, [PageMetadata() for _ in ALL]) == FieldLocators()


def test_two_of_five_pages_that_agree_are_too_few_where_the_locator_matches_all() -> None:
    wrong = [replace(page, titles=("Weather",)) for page in SAID[2:]]
    assert locate(PAGES, [*SAID[:2], *wrong]).title is None


def test_three_of_five_pages_that_agree_are_enough() -> None:
    wrong = [replace(page, titles=("Weather",)) for page in SAID[3:]]
    assert xpath(locate(PAGES, [*SAID[:3], *wrong]).title) == "//h1"


def test_pages_of_which_nothing_is_known_do_not_count_against_a_locator() -> None:
    unknown = [PageMetadata() for _ in ALL[2:]]
    assert xpath(locate(PAGES, [*SAID[:2], *unknown]).title) == "//h1"


def test_text_agrees_whatever_its_quotes_and_capitals() -> None:
    bodies = [f"<h1>‘{word}’ –  AGAIN</h1>" for word in WORDS]
    metadata = [PageMetadata(titles=(f"'{word}' - again",)) for word in WORDS]
    assert xpath(locate(bodies, metadata).title) == "//h1"


def test_a_title_with_changing_sections_in_it_is_located_by_the_part_that_is_shown() -> None:
    sections = ("Sport", "Cricket", "Town", "Moor", "Farming")
    metadata = [
        PageMetadata(titles=(f"{page.title} | {section} | News",))
        for page, section in zip(SAID, sections, strict=True)
    ]
    bodies = [f"<h6>{section}</h6>{body}" for section, body in zip(sections, PAGES, strict=True)]
    assert xpath(locate(bodies, metadata).title) == "//h1"


def test_a_section_shared_by_two_of_three_pages_is_not_the_title() -> None:
    columns = ("Dishes of the day", "Dishes of the day", "Views of the world")
    bodies = [f"<h1>{column}</h1><p>It came.</p>" for column in columns]
    metadata = [
        PageMetadata(titles=(f"{column} : {page.title}",))
        for column, page in zip(columns, SAID, strict=False)
    ]
    assert locate(bodies, metadata).title is None


def test_two_days_on_five_pages_are_enough_for_a_date() -> None:
    days = (1, 1, 1, 2, 2)
    bodies = [f'<p>x</p><p class="day">{day} March 2026</p>' for day in days]
    metadata = [PageMetadata(published=datetime(2026, 3, day, tzinfo=UTC)) for day in days]
    assert xpath(locate(bodies, metadata).date) == of_class("p", "day")


def test_a_section_that_holds_nothing_but_the_title_is_not_the_title() -> None:
    bodies = [f"<header><h2>{page.title}</h2></header><p>It came.</p>" for page in SAID]
    assert xpath(locate(bodies, SAID).title) == "//h2"


def test_a_title_that_every_page_shares_is_the_site_s() -> None:
    metadata = [PageMetadata(titles=("Hill Herald",)) for _ in ALL]
    assert locate(PAGES, metadata).title is None


def test_a_date_that_never_changes_is_not_the_date() -> None:
    bodies = [body + '<p><time datetime="2026-03-01">today</time></p>' for body in PAGES]
    metadata = [replace(page, published=datetime(2026, 3, 1, tzinfo=UTC)) for page in SAID]
    assert locate(bodies, metadata).date is None


def test_a_time_element_is_preferred_to_a_text() -> None:
    bodies = [
        f'{body}<p><time datetime="2026-03-0{number + 1}T08:00">now</time></p>'
        for number, body in enumerate(PAGES)
    ]
    assert xpath(locate(bodies, SAID).date) == "//time"


def test_a_date_over_several_elements_is_located_by_what_holds_them_all() -> None:
    bodies = [
        f'<p>x</p><div class="cal"><b>{number + 1}</b><b>March</b><b>2026</b></div>'
        for number in ALL
    ]
    assert xpath(locate(bodies, SAID).date) == of_class("div", "cal")


def test_the_site_s_name_as_author_of_four_pages_is_no_author() -> None:
    metadata = [replace(page, authors=("Hill Herald",)) for page in SAID]
    assert locate(PAGES, metadata).author is None


def test_the_host_s_name_as_author_is_no_author() -> None:
    bodies = [f'<p class="by">hill-herald</p>{body}' for body in PAGES]
    metadata = [
        replace(
            page, authors=("hill-herald",), sitename=None, canonical="http://hill-herald.example/"
        )
        for page in SAID
    ]
    assert locate(bodies, metadata).author is None


def test_the_one_person_of_a_blog_is_its_author() -> None:
    bodies = [f'<h1>{page.title}</h1><p class="by">Ann Lee</p>' for page in SAID]
    metadata = [replace(page, authors=("Ann Lee",)) for page in SAID]
    assert xpath(locate(bodies, metadata).author) == of_class("p", "by")


def test_a_name_in_the_imprint_of_every_page_is_no_byline() -> None:
    text = "<p>It came again.</p>" * 20
    bodies = [f'<h1>{page.title}</h1>{text}<p class="end">Ann Lee</p>' for page in SAID]
    metadata = [replace(page, authors=("Ann Lee",)) for page in SAID]
    assert locate(bodies, metadata).author is None


def test_of_several_authors_the_first_one_s_element_is_enough() -> None:
    bodies = [f'<p>x</p><p class="by"><b>{name}</b> <b>Zoe Hu</b></p>' for name in AUTHORS]
    metadata = [PageMetadata(authors=(name, "Zoe Hu")) for name in AUTHORS]
    found = locate(bodies, metadata).author
    # The whole line is the one element that shows them all, and it stands alone.
    assert xpath(found) == of_class("p", "by")


def test_an_image_on_every_page_is_the_site_s_logo() -> None:
    metadata = [replace(page, image="http://hills.example/logo.png") for page in SAID]
    assert locate(PAGES, metadata).image is None


def test_an_image_that_is_loaded_late_is_located_all_the_same() -> None:
    bodies = [
        f'<div class="photo"><img src="blank.gif" data-src="/img/{word}.jpg?w=300"></div>'
        for word in WORDS
    ]
    assert xpath(locate(bodies, SAID).image) == "//img"


def test_a_body_that_begins_with_the_description_is_no_lead() -> None:
    bodies = [
        f'<div class="text"><p>{page.description}</p>' + "<p>More of it came.</p>" * 9 + "</div>"
        for page in SAID
    ]
    assert locate(bodies, SAID).lead is None


def test_a_description_cut_short_still_locates_the_lead() -> None:
    metadata = [replace(page, description=(page.description or "")[:40] + "…") for page in SAID]
    assert xpath(locate(PAGES, metadata).lead) == of_class("p", "lead")


@dataclass(frozen=True)
class Bundled:
    """A bundled site: its pages, what its gold says of them, and what was located."""

    trees: list[PageTree]
    gold: list[dict[str, str | None]]
    fields: FieldLocators

    def shows(self, locator: Locator) -> list[tuple[str | None, dict[str, str | None]]]:
        """The text of the first element on each page, beside the page's gold."""
        path = ElementPath(write_xpath(locator))
        found = [next(iter(path(tree.html)), None) for tree in self.trees]
        texts = [
            None if it is None else " ".join("".join(map(str, it.itertext())).split())
            for it in found
        ]
        return list(zip(texts, self.gold, strict=True))


@cache
def bundled(name: str) -> Bundled:
    site = next(it for it in bundled_sites() if it.name == name)
    documents = sorted(path.stem for path in site.glob("*.txt"))
    gold = [json.loads((site / f"{it}.json").read_text(encoding="utf-8")) for it in documents]
    trees = [
        parse_page((site / f"{it}.html").read_bytes(), url=facts["url"])
        for it, facts in zip(documents, gold, strict=True)
    ]
    feed = read_feed((site / "feed.xml").read_bytes(), url=f"http://{name}.example/feed.xml")
    entries = {entry.link: entry for entry in feed.entries}
    fields = locate_fields(
        [PageNames(tree.outline) for tree in trees],
        [read_metadata(tree) for tree in trees],
        [entries.get(facts["url"]) for facts in gold],
    )
    return Bundled(trees, gold, fields)


SITES = [site.name for site in bundled_sites()]

TWO_BUILDS = "two builds of the template, each with its own class names; one locator serves one"

NO_AUTHOR = {
    "gazette-des-cols": "the name's element also holds 'Par' or 'Texte et photos :'",
    "stadtlicht": "the name's element also holds 'Von'",
    "open-field": "the name stands in one text with the date",
    "talbote": "the name stands in one text with the date",
    "umibe-tsushin": "the name stands in one text with the date",
    "valley-minutes": "the name stands in one text with the date",
    "orrery-wiki": "a wiki's articles have no author",
}


@pytest.mark.parametrize("name", SITES)
def test_the_located_title_of_a_bundled_site_is_the_gold_s(name: str) -> None:
    site = bundled(name)
    assert site.fields.title is not None
    for text, facts in site.shows(site.fields.title):
        assert text == facts["title"]


@pytest.mark.parametrize("name", SITES)
def test_the_located_author_of_a_bundled_site_is_the_gold_s(name: str) -> None:
    site = bundled(name)
    if name in NO_AUTHOR:
        assert site.fields.author is None, NO_AUTHOR[name]
        return
    assert site.fields.author is not None
    shown = [(text, facts["author"]) for text, facts in site.shows(site.fields.author)]
    missing = sum(text is None and author is not None for text, author in shown)
    assert all(text in (author, None) for text, author in shown)
    assert missing == (len(shown) // 2 if name == "signal-stack" else 0), TWO_BUILDS


@pytest.mark.parametrize("name", SITES)
def test_the_located_date_of_a_bundled_site_is_the_gold_s(name: str) -> None:
    site = bundled(name)
    assert site.fields.date is not None
    missing = 0
    for text, facts in site.shows(site.fields.date):
        day = datetime.fromisoformat(facts["date"] or "").date()
        missing += text is None
        assert text is None or find_day(text, {day}) == day
    assert missing == (len(site.gold) // 2 if name == "signal-stack" else 0), TWO_BUILDS
