"""What a site adds to its titles is cut off, and nothing else."""

import pytest

from forest_crawler.metadata.titles import (
    MIN_TITLES,
    TitleAffix,
    common_title_affix,
    cut_name,
    find_shown,
)


@pytest.mark.parametrize(
    ("title", "name", "headline"),
    [
        pytest.param("Rain at last | Gazette", "Gazette", "Rain at last", id="bar"),
        pytest.param("Rain at last - The Gazette", "the gazette", "Rain at last", id="other case"),
        pytest.param("Gazette: Rain at last", "Gazette", "Rain at last", id="in front"),
        pytest.param("Rain - and sun - Gazette", "Gazette", "Rain - and sun", id="two separators"),
        pytest.param("雨が降る：海辺通信", "海辺通信", "雨が降る", id="full width, no blanks"),
        pytest.param("Rain « Valley Minutes", "Valley Minutes", "Rain", id="guillemet"),
        pytest.param("Rain at last_Gazette", "Gazette", "Rain at last", id="underscore"),
        pytest.param("Rain stops Gazette", "Gazette", "Rain stops Gazette", id="no separator"),
        pytest.param("Rain-Gazette", "Gazette", "Rain-Gazette", id="hyphen within a word"),
        pytest.param("Gazette", "Gazette", "Gazette", id="nothing but the name"),
        pytest.param("Rain | Herald", "Gazette", "Rain | Herald", id="another name"),
        pytest.param("Rain | ", "!", "Rain | ", id="a name without letters"),
    ],
)
def test_a_known_name_is_cut_at_a_separator(title: str, name: str, headline: str) -> None:
    assert cut_name(title, name) == headline


def test_the_longest_ending_that_most_titles_share_is_found() -> None:
    titles = ["A - Sport - Gazette", "B - Sport - Gazette", "C - Sport - Gazette", "D"]
    assert common_title_affix(titles) == TitleAffix("", " - Sport - Gazette")


def test_an_ending_that_half_of_the_titles_share_is_not_the_site_s() -> None:
    titles = ["A | Live", "B | Live", "C | Live", "D", "E", "F"]
    assert common_title_affix(titles) == TitleAffix()


def test_a_common_beginning_is_found_too() -> None:
    titles = ["Gazette » A", "Gazette » B", "Gazette » C"]
    affix = common_title_affix(titles)
    assert (affix, affix.name) == (TitleAffix("Gazette » ", ""), "Gazette")


def test_an_affix_needs_three_distinct_titles() -> None:
    assert MIN_TITLES == 3
    assert common_title_affix(["A | Gazette", "B | Gazette", "B | Gazette"]) == TitleAffix()


def test_a_title_that_is_only_its_affix_stays() -> None:
    assert TitleAffix("Gazette » ", " | Home").cut("Gazette »  | Home") == "Gazette »  | Home"


def test_titles_in_any_order_give_the_same_affix() -> None:
    titles = ["A | G", "B | G", "C | G", "D | H", "E | H", "F | G"]
    assert common_title_affix(titles) == common_title_affix(titles[::-1]) == TitleAffix("", " | G")


@pytest.mark.parametrize(
    ("headlines", "found"),
    [
        (["Which rain coats do we like best?"], None),  # rain, coats and best, of seven words
        (["Rain coats of the year"], "Rain coats of the year"),  # all but one
        (["Rain coats"], None),  # a section
        (["The Coast Gazette"], None),  # the site, though all of its words are in the title
        (["Rain coats of the year", "Best coats for rain"], None),  # which of the two?
        (["Rain coats of the year", "News"], "Rain coats of the year"),
        (["The Coast Gazette Online"], None),  # the site, with a word more
        (["Welcome, dear readers, from The Coast Gazette"], None),  # three of seven words
        (["News of the World"], None),  # the words that it shares are in every title
        ([], None),
    ],
)
def test_a_headline_in_other_words_is_the_title_if_it_is_the_only_one(
    headlines: list[str], found: str | None
) -> None:
    titles = ["The 7 Best Rain Coats of 2026 | The Coast Gazette"]
    assert find_shown(titles, headlines) == found


def test_the_known_name_of_a_site_is_no_headline() -> None:
    title = ["Rain stops the Coast Gazette race"]
    assert find_shown(title, ["The Coast Gazette"], "The Coast Gazette of Gull Point") is None
    assert find_shown(title, ["The Coast Gazette race"]) == "The Coast Gazette race"


def test_a_heading_that_is_the_site_s_name_is_no_headline() -> None:
    name = "The Gazette of the Northern Coast"  # longer than what it stands beside
    titles = [f"Rain in May | {name}"]
    assert find_shown(titles, [name, "Rain in May"], name) == "Rain in May"
    assert find_shown(titles, [name], name) is None
    assert find_shown([name], [name], name) == name  # a page about the site


def test_a_section_in_an_unspaced_script_is_no_headline() -> None:
    title = ["国际油价上涨 新闻网"]  # has two of three pairs: 国际 and 新闻, not 际新
    assert find_shown(title, ["国际新闻"]) is None
    assert (
        find_shown(["東京で大雨が降り電車が止まる：朝日新聞デジタル"], ["朝日新聞デジタル速報"])
        is None
    )  # the site
