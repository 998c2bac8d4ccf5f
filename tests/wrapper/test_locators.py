"""Portable locators are read as they are written, and nothing else is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forest_crawler.errors import WrapperError
from forest_crawler.wrapper.locators import Step, read_xpath, write_xpath

WRITTEN = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1
)
TOKENS = WRITTEN.filter(lambda text: not any(c in " \t\r\n" for c in text))
STEP_TESTS = st.one_of(
    st.tuples(st.just("class"), TOKENS),
    st.tuples(st.sampled_from(["id", "data-x", "class^", "id^"]), WRITTEN),
)
STEPS = st.builds(
    Step,
    st.sampled_from(["/", "//"]),
    st.sampled_from(["div", "p", "my-tag", "h1"]),
    st.lists(STEP_TESTS, max_size=3).map(tuple),
)


@given(STEPS.map(lambda step: step._replace(axis="//")), st.lists(STEPS, max_size=3))
def test_a_written_locator_is_read_back(start: Step, further: list[Step]) -> None:
    locator = (start, *further)
    assert read_xpath(write_xpath(locator)) == locator


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("div", id="relative"),
        pytest.param("/html", id="from-the-root"),
        pytest.param("//div[1]", id="position"),
        pytest.param("//div[last()]", id="function-of-position"),
        pytest.param("//div[@id='a' and @class='b']", id="and"),
        pytest.param("//div[@id='a'] | //p", id="union"),
        pytest.param("//div[@id='a']|//p", id="union-without-blanks"),
        pytest.param("//div/following-sibling::p", id="axis"),
        pytest.param("//div/..", id="parent"),
        pytest.param("//*", id="any-tag"),
        pytest.param("//div/@id", id="attribute"),
        pytest.param("//div/text()", id="text"),
        pytest.param("//div[contains(@id,'a')]", id="part-of-a-value"),
        pytest.param("//div[starts-with(@class,'')]", id="every-start"),
        pytest.param("//div[starts-with(.,'a')]", id="start-of-the-text"),
        pytest.param("//div[starts-with(@class,'a')='b']", id="comparison-of-a-start"),
        pytest.param("//div[starts-with(@class,'a']", id="unclosed-start"),
        pytest.param("//div[@class='story']", id="whole-class-attribute"),
        pytest.param("//div[@id=document('x')]", id="other-function"),
        pytest.param("//div[@id=concat('a', //p)]", id="path-in-concat"),
        pytest.param("//div[@id='a'", id="unclosed"),
        pytest.param("//div[@id='a]", id="unclosed-literal"),
        pytest.param("//o:p", id="namespace"),
        pytest.param("//div\n", id="line-feed-at-the-end"),
        pytest.param(
            "//p[contains(concat(' ',normalize-space(@class),' '),'story')]",
            id="unpadded-token",
        ),
        pytest.param(
            "//p[contains(concat(' ',normalize-space(@class),' '),' a b ')]", id="two-tokens"
        ),
    ],
)
def test_any_other_xpath_is_refused(text: str) -> None:
    with pytest.raises(WrapperError):
        read_xpath(text)


def test_a_hostile_text_is_refused_in_linear_time() -> None:
    with pytest.raises(WrapperError):
        read_xpath("//div[@id=concat(" + "'a', " * 50_000 + ")]")
