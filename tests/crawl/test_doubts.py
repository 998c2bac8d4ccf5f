"""Pages that don't show what their feed announces are in doubt, by two signs."""

from __future__ import annotations

import pytest

from forest_crawler.crawl.doubts import (
    OTHER_TITLE,
    REPEATED,
    SAME,
    TEASER,
    Doubt,
    PageText,
    find_doubts,
    read_page_text,
    unpack_text,
)
from forest_crawler.feed.records import FeedEntry
from forest_crawler.page.tree import parse_page

NOTICE = ("Back soon", "We are working on it and will be back within the hour, please wait.")
STORY = ("Ferry returns", "The ferry is back in the harbour after three weeks in the dock.")
OTHER = ("Bakery opens", "A new bakery opens next to the old mill on the first of March.")


def text(lines: tuple[str, ...], *, is_fitted: bool = False, has_title: bool = True) -> PageText:
    return PageText(lines, is_fitted=is_fitted, has_title=has_title)


@pytest.mark.parametrize(
    ("is_fitted", "has_title", "doubt"),
    [
        (True, True, None),  # one text under two URLs
        (False, True, Doubt(REPEATED)),
        (True, False, Doubt(REPEATED, is_article=False)),
        (False, False, Doubt(REPEATED, is_article=False)),
    ],
)
def test_repeated_text_is_in_doubt_without_a_wrapper_or_its_title(
    is_fitted: bool, has_title: bool, doubt: Doubt | None
) -> None:
    notice = text(NOTICE, is_fitted=is_fitted, has_title=has_title)
    assert find_doubts([notice, notice, text(STORY)]) == [doubt, doubt, None]


@pytest.mark.parametrize(
    ("is_fitted", "has_title", "doubt"),
    [(True, False, None), (False, True, None), (False, False, Doubt(OTHER_TITLE))],
)
def test_own_text_is_in_doubt_only_without_both_wrapper_and_title(
    is_fitted: bool, has_title: bool, doubt: Doubt | None
) -> None:
    story = text(STORY, is_fitted=is_fitted, has_title=has_title)
    assert find_doubts([story, text(OTHER)]) == [doubt, None]


def test_notice_with_a_number_of_its_own_on_every_page_is_repeated() -> None:
    long = " ".join(f"word{number}" for number in range(60))
    pages = [text((f"Request {n} failed. {long}",), has_title=False) for n in range(3)]
    assert find_doubts(pages) == [Doubt(REPEATED, is_article=False)] * 3


@pytest.mark.parametrize(
    ("usual_words", "is_fitted", "has_title", "doubt"),
    [
        (28, True, True, None),  # a short article
        (28, False, True, Doubt(TEASER)),  # 13 of 28 words
        (28, True, False, Doubt(OTHER_TITLE)),
        (26, False, True, None),  # 13 of 26 words: half
    ],
)
def test_text_far_shorter_than_articles_of_its_site_is_a_sign(
    usual_words: int, is_fitted: bool, has_title: bool, doubt: Doubt | None
) -> None:
    lines = ("The ferry is back in the harbour after three weeks in the dock.",)
    page = PageText(lines, is_fitted=is_fitted, has_title=has_title, usual_words=usual_words)
    assert find_doubts([page]) == [doubt]


def test_whole_article_under_two_urls_is_not_short() -> None:
    story = PageText(STORY, is_fitted=True, has_title=True, usual_words=20)
    assert find_doubts([story, story]) == [None, None]


def test_notice_below_each_articles_title_in_the_sites_template_is_repeated() -> None:
    pages = [
        PageText((title, NOTICE[1]), is_fitted=True, has_title=True, usual_words=60)
        for title in ("Ferry returns", "Bakery opens")
    ]
    assert find_doubts(pages) == [Doubt(REPEATED)] * 2


def teaser(name: str, *more: str, usual_words: int = 0) -> PageText:
    summary = f"The {name} is back in the harbour, and nobody knows for how long it will stay."
    entry = FeedEntry(f"The {name} returns", summary)
    lines = (entry.title, summary, *more)
    return PageText(lines, is_fitted=True, has_title=True, entry=entry, usual_words=usual_words)


WALL = "This story goes on for subscribers of the Gazette only."


def test_page_that_says_no_more_than_its_feed_above_a_wall_is_a_teaser() -> None:
    assert find_doubts([teaser("ferry", WALL), teaser("whale", WALL)]) == [Doubt(TEASER)] * 2


def test_short_article_without_a_wall_is_a_teaser_only_if_articles_of_its_site_are_longer() -> None:
    assert find_doubts([teaser("ferry"), teaser("whale")]) == [None, None]
    assert find_doubts([teaser("ferry", usual_words=60)]) == [Doubt(TEASER)]


def post(word: str, words: int, *more: str) -> PageText:
    entry = FeedEntry(f"On {word}", f"{word} " * words)
    page = parse_page(f"<h1>{entry.title}</h1>")
    return read_page_text(page, (entry.description, *more), entry, is_fitted=True, usual_words=30)


def test_short_post_whose_feed_has_whole_articles_is_not_a_teaser() -> None:
    short, *others = post("rain", 10), post("snow", 40), post("hail", 50)
    assert find_doubts([short]) == [Doubt(TEASER)]
    assert find_doubts([short, *others]) == [None] * 3
    assert find_doubts([short], [unpack_text(it.pack()) for it in others]) == [None]
    # Of two others one has more than its feed entry says: that feed has summaries.
    longer = post("hail", 5, "And then it snowed. " * 10)
    assert find_doubts([short, others[0], longer]) == [Doubt(TEASER), None, None]


def test_article_that_goes_on_after_its_summary_is_not_a_teaser() -> None:
    further = "Its captain says that the new engine took three weeks, and that it runs well now."
    pages = [teaser("ferry", further, WALL), teaser("whale", WALL)]
    assert find_doubts(pages) == [None, Doubt(TEASER)]


@pytest.mark.parametrize(
    ("title", "is_shown"),
    [
        ("Ferry returns to the harbour", True),
        ("Back at last: the ferries return", True),  # in other forms
        ("Parliament votes on the budget", False),
        ("Update", True),  # too short to tell
        ("", True),
    ],
)
def test_title_is_looked_for_on_the_whole_page(title: str, is_shown: bool) -> None:
    page = parse_page("<html lang=en><h1>Ferry returns</h1><p>It is back in the harbour at last.")
    assert read_page_text(page, [], FeedEntry(title)).has_title is is_shown


def titled(title: str, *lines: str, usual_words: int = 0) -> PageText:
    """Return a page that a wrapper fits, with the title of its feed entry above its lines."""
    entry = FeedEntry(title)
    return PageText(
        (title, *lines), is_fitted=True, has_title=True, entry=entry, usual_words=usual_words
    )


LONG = " ".join(f"word{number}" for number in range(60))


def test_one_text_below_three_titles_is_a_notice_and_below_two_an_article() -> None:
    pages = [titled(title, LONG) for title in ("Ferry returns", "Bakery opens", "Rain again")]
    assert find_doubts(pages) == [Doubt(SAME)] * 3
    assert find_doubts(pages[:2]) == [None, None]


def test_one_article_under_three_urls_with_its_title_is_not_a_notice() -> None:
    assert find_doubts([titled("Ferry returns", LONG)] * 3) == [None] * 3


def test_page_that_comes_alone_is_compared_with_earlier_ones() -> None:
    notice = text(NOTICE, is_fitted=True, has_title=False)
    assert find_doubts([notice]) == [None]
    assert find_doubts([notice], [notice]) == [Doubt(REPEATED, is_article=False)]


def test_short_notices_that_differ_in_numbers_are_repeats() -> None:
    numbers = ("7f3a90", "b1", "2026")
    pages = [text((f"Name incident {it} to us.",), is_fitted=True) for it in numbers]
    assert find_doubts(pages) == [None] * 3  # they have their titles
    untitled = [text(page.lines, is_fitted=True, has_title=False) for page in pages]
    assert find_doubts(untitled) == [Doubt(REPEATED, is_article=False)] * 3


def test_page_without_one_word_of_a_long_title_is_in_doubt_in_the_sites_template() -> None:
    tree = parse_page("<html lang=en><h1>Back soon</h1><p>We are working on it, please wait.")
    long, short = "Parliament votes budget tonight", "Parliament votes budget"
    pages = [
        read_page_text(tree, NOTICE, FeedEntry(title), is_fitted=True) for title in (long, short)
    ]
    assert [find_doubts([page]) for page in pages] == [[Doubt(OTHER_TITLE)], [None]]


@pytest.mark.parametrize("end", ["…", "...", " […]"])
def test_short_text_that_breaks_off_is_in_doubt_without_a_wrapper(end: str) -> None:
    lines = ("Ferry returns", f"The ferry is back in the harbour after{end}")
    assert find_doubts([text(lines)]) == [Doubt(TEASER)]
    assert find_doubts([text(lines, is_fitted=True)]) == [None]
    assert find_doubts([text((LONG, LONG, LONG, *lines))]) == [None]


def test_one_paragraph_above_a_wall_is_a_teaser_unless_articles_of_its_site_are_no_longer() -> None:
    stories = ("The ferry is back after three weeks.", "A bakery opens at the old mill today.")
    for usual_words, doubt in ((0, Doubt(TEASER)), (60, Doubt(TEASER)), (5, None)):
        pages = [
            titled(f"Story {n}", story, WALL, usual_words=usual_words)
            for n, story in enumerate(stories)
        ]
        assert find_doubts(pages) == [doubt, doubt]


def test_several_short_pages_are_in_doubt_together() -> None:
    # Of 40 usual words, 20 are half: 12 are short, and 25 fewer than any article has.
    short = [titled(f"Story {n}", f"{word} " * 10, usual_words=40) for n, word in enumerate("abc")]
    longer = titled("Story 4", "rain " * 23, usual_words=40)
    whole = titled("Story 5", "snow " * 60, usual_words=40)
    doubt = Doubt(TEASER)
    assert find_doubts([*short, longer, whole]) == [doubt, doubt, doubt, doubt, None]
    assert find_doubts([*short[:2], longer]) == [None] * 3
    others = [titled(f"Tale {n}", f"{word} " * 60, usual_words=40) for n, word in enumerate("defg")]
    assert find_doubts([*short, *others]) == [None] * 7


def test_one_short_post_among_articles_is_not_a_teaser() -> None:
    short = titled("Story", "The ferry is back after three weeks.", WALL, usual_words=60)
    articles = [
        titled(f"Tale {n}", f"{word} " * 70, WALL, usual_words=60) for n, word in enumerate("ab")
    ]
    assert find_doubts([short, *articles]) == [None] * 3


def test_pages_with_much_text_in_common_but_a_story_each_are_no_notices() -> None:
    stories = ("The grader comes.", "The goat is lost.", "The clinic opens.")
    pages = [titled(f"Story {n}", LONG, story, f"By {story}") for n, story in enumerate(stories)]
    assert find_doubts(pages) == [None] * 3
