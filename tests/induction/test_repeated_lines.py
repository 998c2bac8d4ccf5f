"""Lines that repeat inside the body are template."""

import pytest

from forest_crawler.induction import ForestMethod, SamplePage, induce
from forest_crawler.induction.repeated_lines import (
    MAX_LINE_LENGTH,
    MAX_LINES,
    RatedLine,
    find_repeated_lines,
)
from forest_crawler.page.tree import parse_page

NOTICE = "Follow us on every network"
TOPICS = ("ferry harbour crew tide", "bakery bread oven flour", "school teacher class exam")


def own(number: int, words: float = 60) -> RatedLine:
    return RatedLine(f"own text {number}", 0.95, words, is_heading=False)


def line(text: str, chance: float = 0.4, *, is_heading: bool = False) -> RatedLine:
    return RatedLine(text, chance, len(text.split()), is_heading)


def test_a_line_of_half_of_the_pages_is_template() -> None:
    pages = [[own(number), line("Share")] for number in range(2)] + [[own(2)], [own(3)]]
    assert find_repeated_lines(pages) == ("Share",)
    assert find_repeated_lines([*pages, [own(4)]]) == ()


def test_a_line_of_one_page_is_not() -> None:
    assert find_repeated_lines([[own(0), line("Share")], [own(1)]]) == ()


def test_what_the_page_model_is_sure_about_is_kept() -> None:
    pages = [[own(number), line("Jane", 0.92), line("Share", 0.88)] for number in range(3)]
    assert find_repeated_lines(pages) == ("Share",)


def test_a_heading_above_own_text_is_kept() -> None:
    heading = line("Ingredients", is_heading=True)
    assert find_repeated_lines([[heading, own(number)] for number in range(3)]) == ()
    more = line("More stories", is_heading=True)
    pages = [[own(number), more, line("Share")] for number in range(3)]
    assert find_repeated_lines(pages) == ("More stories", "Share")


def test_copies_of_one_article_are_not_template() -> None:
    copies = [[own(0), line("Share")], [own(0), line("Share")]]
    assert find_repeated_lines(copies) == ()
    assert find_repeated_lines([*copies, [own(1), line("Share")], [own(2), line("Share")]]) == (
        "Share",
    )


def test_the_number_and_length_of_lines_is_bounded() -> None:
    many = [line(f"box {number:03}") for number in range(MAX_LINES + 5)]
    endless = line("x" * (MAX_LINE_LENGTH + 1))
    pages = [[own(number, words=1000), *many, endless] for number in range(2)]
    assert find_repeated_lines(pages) == tuple(f"box {number:03}" for number in range(MAX_LINES))


def page(topic: str) -> str:
    words = topic.split()
    sentences = [
        f"The {words[i % 4]} near the {words[(i + 1) % 4]} was {verb} again on Monday, people said."
        for i, verb in enumerate(("seen", "heard", "moved", "closed", "opened", "painted"))
    ]
    paragraphs = "".join(f"<p>{sentence * 2}</p>" for sentence in sentences)
    return (
        f"<title>{topic}</title><ul id=menu><li><a href=/>Home</a></ul>"
        f"<div class=story><h1>{topic}</h1>{paragraphs}<p>{NOTICE}</p></div>"
    )


def test_a_wrapper_leaves_the_lines_out_of_further_pages() -> None:
    trees = [parse_page(page(topic)) for topic in TOPICS]
    (wrapper,) = induce([SamplePage(tree) for tree in trees])
    assert wrapper.repeated == (NOTICE,)
    further = parse_page(page("museum painter frame gallery"))
    text = wrapper.select(further).text
    assert "museum" in text
    assert NOTICE not in text


@pytest.mark.parametrize("sentence", ["Follow us", f"{NOTICE}, said the mayor."])
def test_other_lines_stay(sentence: str) -> None:
    (wrapper,) = induce([parse_page(page(topic)) for topic in TOPICS])
    further = parse_page(page("museum painter frame gallery").replace(NOTICE, sentence))
    assert wrapper.select(further).text.endswith(sentence)


def test_the_lines_can_be_kept_for_a_comparison() -> None:
    trees = [parse_page(page(topic)) for topic in TOPICS]
    (wrapper,) = induce(trees, options=ForestMethod(repeated_lines=False))
    assert wrapper.repeated == ()
    assert NOTICE in wrapper.select(trees[0]).text
